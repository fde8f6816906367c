"""The bundled English model without torch, for hosts where that would bring gigabytes of CUDA: BERT in NumPy.

It reads the same weights and gives the same vectors as sentence-transformers, but for the last digits; a test holds
that. Nothing is padded: of several texts, the tokens stand below each other. Shapes: n tokens, d numbers to a token,
h heads.
"""

import json
import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy

from memory_store.arrays import Floats, Places

_TOKENS_AT_ONCE = 256


class LightModel:
    """A BERT whose vectors are the means of its tokens, from the folder of a sentence-transformers model.

    Raises OSError, ValueError, KeyError: a file is missing, or is of a model of another kind.
    """

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        pooling = json.loads((folder / "1_Pooling" / "config.json").read_text(encoding="utf-8"))
        if config["model_type"] != "bert" or config["hidden_act"] != "gelu" or not pooling["pooling_mode_mean_tokens"]:
            raise ValueError("This model is none that can be used without torch.")
        self._layers = int(config["num_hidden_layers"])
        self._heads = int(config["num_attention_heads"])
        self._epsilon = float(config["layer_norm_eps"])
        self._weights: dict[str, Floats] = _weights(folder / "model.safetensors")
        self._words = self._weights["embeddings.word_embeddings.weight"]
        limits = json.loads((folder / "sentence_bert_config.json").read_text(encoding="utf-8"))
        self._tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(int(limits["max_seq_length"]))
        self._tokenizer.no_padding()

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return shape (len(texts), d), each row of length 1."""
        tokens = [self._tokenizer.encode(text).ids for text in texts]
        return numpy.concatenate([self._vectors(some) for some in _together(tokens)])

    def _vectors(self, texts: Sequence[Sequence[int]]) -> Floats:
        """Of texts by the numbers of their tokens. Weights are read once for all of them: that takes the most time."""
        starts = numpy.cumsum([0, *map(len, texts)])
        named = self._weights
        states = (
            self._words[numpy.concatenate(texts)]
            + numpy.concatenate([named["embeddings.position_embeddings.weight"][: len(ids)] for ids in texts])
            + named["embeddings.token_type_embeddings.weight"][0]
        )
        states = self._normed(states, "embeddings")
        for layer in range(self._layers):
            states = self._layer(states, starts, f"encoder.layer.{layer}")
        means = numpy.stack([states[start:end].mean(axis=0) for start, end in pairwise(starts)])
        lengths = numpy.linalg.norm(means, axis=1, keepdims=True)
        return numpy.asarray(means / numpy.maximum(lengths, 1e-12), numpy.float32)

    def _layer(self, states: Floats, starts: Places, name: str) -> Floats:
        attended = self._attended(states, starts, f"{name}.attention.self")
        attended = self._linear(attended, f"{name}.attention.output.dense")
        states = self._normed(attended + states, f"{name}.attention.output")
        inner = _gelu(self._linear(states, f"{name}.intermediate.dense"))
        return self._normed(self._linear(inner, f"{name}.output.dense") + states, f"{name}.output")

    def _attended(self, states: Floats, starts: Places, name: str) -> Floats:
        """What the tokens of each text, which begins at one of `starts`, take of each other."""
        tokens, size = states.shape
        query, key, value = (  # (h, n, d / h)
            self._linear(states, f"{name}.{part}").reshape(tokens, self._heads, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        attended = numpy.empty_like(states)
        for start, end in pairwise(starts):
            scores = query[:, start:end] @ key[:, start:end].transpose(0, 2, 1) / math.sqrt(size / self._heads)
            weights = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
            weights /= weights.sum(axis=-1, keepdims=True)
            attended[start:end] = (weights @ value[:, start:end]).transpose(1, 0, 2).reshape(-1, size)
        return attended

    def _linear(self, states: Floats, name: str) -> Floats:
        # A quarter quicker for a few tokens than `states @ weights.T`: BLAS packs the smaller matrix.
        return numpy.asarray((self._weights[f"{name}.weight"] @ states.T).T + self._weights[f"{name}.bias"])

    def _normed(self, states: Floats, name: str) -> Floats:
        mean, variance = states.mean(axis=-1, keepdims=True), states.var(axis=-1, keepdims=True)
        scaled = (states - mean) / numpy.sqrt(variance + self._epsilon)
        return numpy.asarray(
            scaled * self._weights[f"{name}.LayerNorm.weight"] + self._weights[f"{name}.LayerNorm.bias"]
        )


def _weights(path: Path) -> dict[str, Floats]:
    """The arrays of a file of safetensors as they lie on the disk: those of most words are never read.

    Such a file is the length of a header, the header in JSON, and the numbers.
    """
    data = numpy.memmap(path, mode="r").view(numpy.ndarray)
    start = 8 + int(data[:8].view("<u8")[0])
    header = {name: each for name, each in json.loads(data[8:start].tobytes()).items() if each.get("dtype") == "F32"}
    places = {name: slice(*(start + place for place in each["data_offsets"])) for name, each in header.items()}
    return {name: data[places[name]].view("<f4").reshape(each["shape"]) for name, each in header.items()}


def _together(texts: Sequence[Sequence[int]]) -> Iterator[Sequence[Sequence[int]]]:
    """The texts, as many at a time as have so few tokens together that what is worked out of them stays small."""
    some: list[Sequence[int]] = []
    for ids in texts:
        if some and sum(map(len, some)) + len(ids) > _TOKENS_AT_ONCE:
            yield some
            some = []
        some.append(ids)
    yield some


# Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26: the error function, wrong by 1.5e-7 at most.
_P = 0.3275911
_A = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)


def _gelu(states: Floats) -> Floats:
    values = states / math.sqrt(2.0)
    size = numpy.abs(values)
    t = 1.0 / (1.0 + _P * size)
    series = ((((_A[4] * t + _A[3]) * t + _A[2]) * t + _A[1]) * t + _A[0]) * t
    error_function = numpy.sign(values) * (1.0 - series * numpy.exp(-size * size))
    return numpy.asarray(states * 0.5 * (1.0 + error_function), numpy.float32)
