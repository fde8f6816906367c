"""Embedders to try with, made of the bundled weights, and never shipped. They differ as embedders do.

Each is a folder as sentence-transformers reads it, so it is loaded and used as any other model is:

- `layers-2`, `layers-4`: the bundled model with its first layers only;
- `narrow`: its vectors in 64 dimensions, by principal components;
- `crowded`: its vectors with one large component that all share, so that no two texts are less like than .75, as with
  models of the E5 family; on the scale that all share it is the bundled one, so nothing is fitted on it;
- `static`: one vector per word piece and their mean, as Model2Vec distils them (Tulkens and van Dongen, 2024): each
  piece alone through the model, principal components, and weights by how rare a piece is (Arora et al., 2017).

Two more are quick, and nothing is fitted on them:

- `pieces`: the vectors of word pieces that the bundled model begins with, and their mean;
- `glossed`: a multilingual one imitated: the same for whole words, where a word of another language has the vector of
  what it says in English.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.gate.data import decisions
from evaluation.gate.fitting import LOADING_SECONDS
from memory_store.embedding.embedder import BUNDLED, SentenceEmbedder, choose_embedder
from memory_store.language.terms import Floats
from memory_store.language.word_translation import in_english

_NARROW = 64
_SHARED = 3.0  # of the component that all vectors of `crowded` share, in lengths of the rest: cosines from 3/4 on
_STATIC = 256
_COMMON = 1e-4  # the constant a of a / (a + p): how much less a piece that often occurs counts
_FIRST_PIECE = 999  # what stands before it in BERT's vocabulary is unused, or a mark of a special kind
_PIECES_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class _Bundled:
    folder: Path
    encode: Callable[[Sequence[str]], Floats]


Make = Callable[[_Bundled, Path], None]
"""Makes a folder of the bundled model."""


def _to_nobody(_: str) -> None:
    """Whoever wants to hear nothing."""


def trial_embedders(
    folder: Path, names: Collection[str] = (), made: Callable[[str], None] = _to_nobody
) -> dict[str, Path]:
    """Name to the folder of each of `TRIED`, or of those named, below this one.

    What is there already is taken as it is, and `made` hears of each that was not.

    Raises:
        KeyError: there is none of this name.
        OSError: the folder cannot be written.
    """
    bundled = choose_embedder(BUNDLED)
    encode = SentenceEmbedder(bundled, LOADING_SECONDS).encode
    for name in names or TRIED:
        make, to = _MAKERS[name], folder / name
        if not (to / "modules.json").is_file():
            part = folder / f"{name}.part"
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            make(_Bundled(bundled.path or folder, encode), part)
            part.rename(to)
            made(name)
    return {name: folder / name for name in names or TRIED}


def _first_layers(most: int) -> Make:
    def make(bundled: _Bundled, to: Path) -> None:
        from safetensors.numpy import load_file, save_file

        shutil.copytree(bundled.folder, to, dirs_exist_ok=True)
        config = json.loads((bundled.folder / "config.json").read_text(encoding="utf-8"))
        gone = tuple(f"encoder.layer.{layer}." for layer in range(most, int(config["num_hidden_layers"])))
        _write(to / "config.json", config | {"num_hidden_layers": most})
        weights = load_file(to / "model.safetensors")
        kept = {name: values for name, values in weights.items() if not name.startswith(gone)}
        save_file(kept, to / "model.safetensors", {"format": "pt"})

    return make


def _narrow(bundled: _Bundled, to: Path) -> None:
    vectors = bundled.encode([case.question for case in decisions("first", keys=False).questions])
    _projected(bundled, to, _principal(vectors, _NARROW), np.zeros(_NARROW, np.float32))


def _crowded(bundled: _Bundled, to: Path) -> None:
    width = int(json.loads((bundled.folder / "config.json").read_text(encoding="utf-8"))["hidden_size"])
    weights = np.concatenate([np.eye(width, dtype=np.float32), np.zeros((1, width), np.float32)])
    # What is projected has length 1, so the shared component is told in its lengths.
    _projected(bundled, to, weights, np.append(np.zeros(width, np.float32), np.float32(np.sqrt(_SHARED))))


def _static(bundled: _Bundled, to: Path) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(bundled.folder / "tokenizer.json"))
    pieces = [str(tokenizer.id_to_token(number)).removeprefix("##") for number in range(tokenizer.get_vocab_size())]
    alone = np.concatenate(
        [bundled.encode(pieces[at : at + _PIECES_AT_ONCE]) for at in range(0, len(pieces), _PIECES_AT_ONCE)]
    )
    vectors = (alone - alone.mean(axis=0)) @ _principal(alone - alone.mean(axis=0), _STATIC).T
    # Word pieces stand in the order of how often they occur, which by Zipf's law says how often.
    rank = np.maximum(np.arange(len(pieces)) - _FIRST_PIECE, 1)
    share = 1 / rank / np.sum(1 / rank)
    vectors *= (_COMMON / (_COMMON + share))[:, None]
    vectors[:_FIRST_PIECE] = 0.0
    _of_pieces(tokenizer, to, vectors.astype(np.float32))


def _pieces(bundled: _Bundled, to: Path) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(bundled.folder / "tokenizer.json"))
    _of_pieces(tokenizer, to, _piece_vectors(bundled))


def _glossed(bundled: _Bundled, to: Path) -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    pieces = Tokenizer.from_file(str(bundled.folder / "tokenizer.json"))
    pieces.no_padding()
    vectors = _piece_vectors(bundled)
    lower = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    split = pre_tokenizers.Whitespace()
    words = {word for text in _packaged() for word, _ in split.pre_tokenize_str(lower.normalize_str(text))}
    vocabulary = ["[UNK]", *sorted(words)]
    read = [pieces.encode(in_english(word), add_special_tokens=False).ids for word in vocabulary]
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(vocabulary)}, "[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = lower, split
    _of_pieces(tokenizer, to, np.stack([vectors[ids or [0]].mean(axis=0) for ids in read]))


def _piece_vectors(bundled: _Bundled) -> Floats:
    from safetensors.numpy import load_file

    vectors: Floats = load_file(bundled.folder / "model.safetensors")["embeddings.word_embeddings.weight"]
    return vectors @ _principal(vectors, _NARROW).T


def _packaged() -> Iterator[str]:
    """All texts of the decision sets."""
    for name in ("first", "second", "third", "fourth", "fifth", "scripts"):
        memory = decisions(name, keys=False)
        yield from (case.question for case in memory.questions)
        yield from (text for entry in memory.entries for text in (entry.question, entry.text))


def _of_pieces(tokenizer: Any, to: Path, vectors: Floats) -> None:
    """A model of one vector per token; `vectors` of shape (tokens, d)."""
    from safetensors.numpy import save_file

    kinds = [_module(0, "StaticEmbedding", "0_StaticEmbedding"), _module(1, "Normalize", "1_Normalize")]
    _write(to / "modules.json", kinds)
    (to / "0_StaticEmbedding").mkdir()
    _write(to / "0_StaticEmbedding" / "config.json", {"word_embedding_dimension": vectors.shape[1]})
    save_file({"embedding.weight": vectors}, to / "0_StaticEmbedding" / "model.safetensors")
    tokenizer.save(str(to / "0_StaticEmbedding" / "tokenizer.json"))


def _projected(bundled: _Bundled, to: Path, weights: Floats, bias: Floats) -> None:
    """The bundled model, and after it one linear map of its vectors; `weights` of shape (out, in)."""
    from safetensors.numpy import save_file

    shutil.copytree(bundled.folder, to, dirs_exist_ok=True)
    modules = json.loads((bundled.folder / "modules.json").read_text(encoding="utf-8"))
    modules += [_module(len(modules), "Dense", "3_Dense"), _module(len(modules) + 1, "Normalize", "4_Normalize")]
    _write(to / "modules.json", modules)
    (to / "3_Dense").mkdir()
    out, width = weights.shape
    config = {"in_features": width, "out_features": out, "bias": True}
    _write(to / "3_Dense" / "config.json", config | {"activation_function": "torch.nn.modules.linear.Identity"})
    save_file(
        {"linear.weight": np.ascontiguousarray(weights), "linear.bias": bias}, to / "3_Dense" / "model.safetensors"
    )


def _principal(vectors: Floats, most: int) -> Floats:
    """The directions along which vectors differ most; shape (most, d)."""
    _, directions = np.linalg.eigh(vectors.T @ vectors)
    return np.ascontiguousarray(directions[:, ::-1].T[:most], dtype=np.float32)


def _module(place: int, kind: str, path: str) -> Mapping[str, Any]:
    return {"idx": place, "name": str(place), "path": path, "type": f"sentence_transformers.models.{kind}"}


def _write(file: Path, content: object) -> None:
    file.write_text(json.dumps(content, indent=2), encoding="utf-8")


_MAKERS: Mapping[str, Make] = {
    "layers-2": _first_layers(2),
    "layers-4": _first_layers(4),
    "narrow": _narrow,
    "crowded": _crowded,
    "static": _static,
    "pieces": _pieces,
    "glossed": _glossed,
}

FITTED_WITH = ("layers-2", "layers-4", "narrow", "static")
"""The embedders that the gate for any is fitted with, beside the bundled one."""
CROWDED = "crowded"
TRIED = (*FITTED_WITH, CROWDED)
NAMES = tuple(_MAKERS)
"""Those, and the two that are quick."""
