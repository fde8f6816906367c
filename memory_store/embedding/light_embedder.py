"""The bundled English model as BERT in NumPy, for hosts where torch would bring gigabytes of CUDA.

It reads the same weights as sentence-transformers and gives the same vectors up to the last digits, which a test
checks. Texts are concatenated along the token axis, without padding. Shapes: n tokens, d numbers per token, h heads.
"""

import json
import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy

from memory_store.arrays import Floats, Places

_TEXTS_AT_ONCE = 16


class LightModel:
    """A BERT with mean pooling, loaded from the folder of a sentence-transformers model.

    Raises OSError, ValueError or KeyError if a file is missing or damaged.
    """

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self._layers = int(config["num_hidden_layers"])
        self._heads = int(config["num_attention_heads"])
        self._epsilon = float(config["layer_norm_eps"])
        self._weights: dict[str, Floats] = _map_weights(folder / "model.safetensors")
        self._words = self._weights["embeddings.word_embeddings.weight"]
        limits = json.loads((folder / "sentence_bert_config.json").read_text(encoding="utf-8"))
        self._tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(int(limits["max_seq_length"]))
        self._tokenizer.no_padding()

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return an array of shape (len(texts), d), each row of length 1."""
        tokens = [self._tokenizer.encode(text).ids for text in texts]
        starts = range(0, len(tokens), _TEXTS_AT_ONCE)
        return numpy.concatenate([self._encode_batch(tokens[start : start + _TEXTS_AT_ONCE]) for start in starts])

    def _encode_batch(self, texts: Sequence[Sequence[int]]) -> Floats:
        """Return the vectors of texts given as token ids, in one pass: reading the weights takes the most time."""
        starts = numpy.cumsum([0, *map(len, texts)])
        named = self._weights
        states = (
            self._words[numpy.concatenate(texts)]
            + numpy.concatenate([named["embeddings.position_embeddings.weight"][: len(ids)] for ids in texts])
            + named["embeddings.token_type_embeddings.weight"][0]
        )
        states = self._normalize(states, "embeddings")
        for layer in range(self._layers):
            states = self._apply_layer(states, starts, f"encoder.layer.{layer}")
        means = numpy.stack([states[start:end].mean(axis=0) for start, end in pairwise(starts)])
        lengths = numpy.linalg.norm(means, axis=1, keepdims=True)
        return numpy.asarray(means / numpy.maximum(lengths, 1e-12), numpy.float32)

    def _apply_layer(self, states: Floats, starts: Places, name: str) -> Floats:
        attended = self._attend(states, starts, f"{name}.attention.self")
        attended = self._apply_linear(attended, f"{name}.attention.output.dense")
        states = self._normalize(attended + states, f"{name}.attention.output")
        inner = _gelu(self._apply_linear(states, f"{name}.intermediate.dense"))
        return self._normalize(self._apply_linear(inner, f"{name}.output.dense") + states, f"{name}.output")

    def _attend(self, states: Floats, starts: Places, name: str) -> Floats:
        """Return the self-attention within each text; `starts` are the offsets of the texts among the tokens."""
        tokens, size = states.shape
        query, key, value = (  # (h, n, d / h)
            self._apply_linear(states, f"{name}.{part}").reshape(tokens, self._heads, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        attended = numpy.empty_like(states)
        for start, end in pairwise(starts):
            scores = query[:, start:end] @ key[:, start:end].transpose(0, 2, 1) / math.sqrt(size / self._heads)
            weights = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
            weights /= weights.sum(axis=-1, keepdims=True)
            attended[start:end] = (weights @ value[:, start:end]).transpose(1, 0, 2).reshape(-1, size)
        return attended

    def _apply_linear(self, states: Floats, name: str) -> Floats:
        # For a few tokens, a quarter faster than `states @ weights.T`: BLAS packs the smaller matrix.
        return numpy.asarray((self._weights[f"{name}.weight"] @ states.T).T + self._weights[f"{name}.bias"])

    def _normalize(self, states: Floats, name: str) -> Floats:
        mean, variance = states.mean(axis=-1, keepdims=True), states.var(axis=-1, keepdims=True)
        scaled = (states - mean) / numpy.sqrt(variance + self._epsilon)
        return numpy.asarray(
            scaled * self._weights[f"{name}.LayerNorm.weight"] + self._weights[f"{name}.LayerNorm.bias"]
        )


def _map_weights(path: Path) -> dict[str, Floats]:
    """Map the arrays of a safetensors file into memory, so that the rows of unused words are never read.

    The file consists of the header's length, the header in JSON, and the numbers.
    """
    data = numpy.memmap(path, mode="r").view(numpy.ndarray)
    start = 8 + int(data[:8].view("<u8")[0])
    header = {name: each for name, each in json.loads(data[8:start].tobytes()).items() if each.get("dtype") == "F32"}
    places = {name: slice(*(start + place for place in each["data_offsets"])) for name, each in header.items()}
    return {name: data[places[name]].view("<f4").reshape(each["shape"]) for name, each in header.items()}


# Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26: the error function, with an error below 1.5e-7.
_P = 0.3275911
_A = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)


def _gelu(states: Floats) -> Floats:
    values = states / math.sqrt(2.0)
    size = numpy.abs(values)
    t = 1.0 / (1.0 + _P * size)
    series = ((((_A[4] * t + _A[3]) * t + _A[2]) * t + _A[1]) * t + _A[0]) * t
    error_function = numpy.sign(values) * (1.0 - series * numpy.exp(-size * size))
    return numpy.asarray(states * 0.5 * (1.0 + error_function), numpy.float32)
