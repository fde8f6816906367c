"""The header of a GGUF file, read and checked before llama.cpp, which a damaged file can crash, gets the file.

Layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from assistant.models.local.errors import FileDamaged, FileGone

# Types of metadata: number of the type to its format in `struct`.
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_CONTROL = 3  # type of a token
_LENGTH = struct.Struct("<Q")
_LONGEST_ARRAY = 10_000_000
_MOST_ENTRIES = 100_000  # of metadata, and of tensors
# Types of tensors: number of the type to the elements and the bytes of a block.
_BLOCKS = {
    0: (1, 4), 1: (1, 2), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 30: (1, 2),
    2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 40), 20: (32, 18), 39: (32, 17),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292), 16: (256, 66),
    17: (256, 74), 18: (256, 98), 19: (256, 50), 21: (256, 110), 22: (256, 82), 23: (256, 136), 29: (256, 56),
    34: (256, 54), 35: (256, 66), 40: (64, 36), 41: (128, 18),
}  # fmt: skip
DEFAULT_WINDOW = 4096
_CACHED_BYTES = 2  # of a cached number: float16


@dataclass(frozen=True, slots=True)
class Header:
    """What the header of a GGUF file says of its model."""

    file_bytes: int
    trained_window: int  # longest context that the model was trained for, in tokens; 0 where the file does not say
    token_bytes: int  # of the cache, for each token of the context
    marks: tuple[str, ...]  # tokens that say where messages begin and end, which nobody's text may hold

    def window(self, wanted: int | None) -> int:
        """Return the context window in tokens: what is wanted, as far as the model was trained for it."""
        wanted = wanted or DEFAULT_WINDOW
        return min(wanted, self.trained_window or wanted)

    def memory(self, window: int, beside: int) -> int:
        """Return the bytes that the model takes with a context of `window` tokens, and `beside` for its buffers."""
        return self.file_bytes + window * self.token_bytes + beside


def read_header(path: Path) -> Header:
    """Read a header, and check that all tensors it names are in the file. Raises FileGone and FileDamaged."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return _parse(_Reader(content))
    except OSError:
        raise FileGone(path.name) from None
    except (struct.error, ValueError, KeyError, TypeError, AttributeError, OverflowError, ZeroDivisionError):
        raise FileDamaged(path.name) from None


class _Reader:
    """Reads values one after the other; struct.error says that the file ended before."""

    def __init__(self, content: mmap.mmap) -> None:
        self.content, self.position = content, 0

    def number(self, kind: str) -> Any:
        (value,) = struct.unpack_from(f"<{kind}", self.content, self.position)
        self.position += struct.calcsize(f"<{kind}")
        return value

    def text(self) -> str:
        length, start = self.number("Q"), self.position
        self.position += length
        return self.content[start : self.position].decode("utf-8", "replace")

    def value(self, kind: int) -> Any:
        """Read a value of metadata; texts of an array stay bytes."""
        if kind == _STRING:
            return self.text()
        if kind != _ARRAY:
            return self.number(_NUMBERS[kind])
        kind, length = self.number("I"), self.number("Q")
        if length > _LONGEST_ARRAY:
            raise ValueError
        if kind != _STRING:
            values = struct.unpack_from(f"<{length}{_NUMBERS[kind]}", self.content, self.position)
            self.position += struct.calcsize(f"<{length}{_NUMBERS[kind]}")
            return values
        texts = []
        for _ in range(length):  # 150,000 words of a vocabulary, so nothing of ours is called in here
            start = self.position + 8
            self.position = start + _LENGTH.unpack_from(self.content, self.position)[0]
            texts.append(self.content[start : self.position])
        return texts


def _parse(reader: _Reader) -> Header:
    if reader.content[:4] != b"GGUF":
        raise ValueError
    reader.position = 4
    version, tensors, entries = (reader.number(kind) for kind in "IQQ")
    if version not in {2, 3} or not 0 < tensors <= _MOST_ENTRIES or entries > _MOST_ENTRIES:
        raise ValueError
    metadata = {reader.text(): reader.value(reader.number("I")) for _ in range(entries)}
    ends = [_end_of_tensor(reader) for _ in range(tensors)]
    alignment = int(metadata.get("general.alignment", 32))
    if -(-reader.position // alignment) * alignment + max(ends) > len(reader.content):
        raise ValueError
    of_model = f"{metadata['general.architecture']}."
    own = {name.removeprefix(of_model): value for name, value in metadata.items() if name.startswith(of_model)}
    words = zip(metadata.get("tokenizer.ggml.tokens", ()), metadata.get("tokenizer.ggml.token_type", ()), strict=False)
    marks = tuple(word.decode("utf-8", "replace") for word, kind in words if kind == _CONTROL and word)
    return Header(len(reader.content), int(own.get("context_length", 0)), _token_bytes(own), marks)


def _end_of_tensor(reader: _Reader) -> int:
    """Read where a tensor ends, in bytes after the header."""
    reader.text()
    elements = prod(reader.number("Q") for _ in range(reader.number("I")))
    kind, offset = reader.number("I"), reader.number("Q")
    size, block = _BLOCKS.get(kind, (1, 0))  # a type that came later: llama.cpp checks it
    return int(offset + -(-elements // size) * block)


def _token_bytes(own: dict[str, Any]) -> int:
    """Return the bytes of keys and values for a token; 0 for a model that keeps none."""
    layers, width = int(own.get("block_count", 0)), int(own.get("embedding_length", 0))
    heads = own.get("attention.head_count", 0)
    cached = own.get("attention.head_count_kv", heads)
    most = max(heads) if isinstance(heads, tuple) else heads
    of_head = width // most if most else 0
    length = int(own.get("attention.key_length", of_head)) + int(own.get("attention.value_length", of_head))
    return (sum(cached) if isinstance(cached, tuple) else int(cached) * layers) * length * _CACHED_BYTES
