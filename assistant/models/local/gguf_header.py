"""Read the metadata of a GGUF file: memory requirements, and control tokens of its chat template.

Layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from assistant.errors import ModelError

# Number of a metadata type to its format in `struct`.
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_CONTROL = 3  # type of a token
_CACHED_BYTES = 2  # of a cached number: float16
KEPT_PROMPTS = 128
"""MiB for the cache of prompt prefixes, without the last used one."""
_BESIDE = (KEPT_PROMPTS + 128) << 20  # bytes in addition to weights and KV cache: prompt prefixes, and buffers
DEFAULT_WINDOW = 4096


class FileGone(ModelError):
    code = "local.file_gone"


class FileDamaged(ModelError):
    code = "local.file_damaged"


@dataclass(frozen=True, slots=True)
class Header:
    file_bytes: int
    trained_window: int  # maximum context in tokens that the model was trained for; 0 if unknown
    token_bytes: int  # of the KV cache, per token of the context
    marks: tuple[str, ...]  # control tokens, which texts must not contain

    def window(self, wanted: int | None) -> int:
        """Return the context window in tokens: the wanted or the default one, up to the trained one."""
        wanted = wanted or DEFAULT_WINDOW
        return min(wanted, self.trained_window or wanted)

    def memory(self, wanted: int | None) -> int:
        """Return the maximum memory of the model in bytes with that context window."""
        return self.file_bytes + self.window(wanted) * self.token_bytes + _BESIDE


def read_header(path: Path) -> Header:
    """Read the header of a file, cached until the file changes. Raises FileGone and FileDamaged."""
    try:
        return _read(path, path.stat().st_mtime_ns)
    except OSError:
        raise FileGone(file=path.name) from None
    except (struct.error, ValueError, KeyError, TypeError, AttributeError, OverflowError, MemoryError):
        raise FileDamaged(file=path.name) from None


@lru_cache(maxsize=100)  # a vocabulary takes a fifth of a second
def _read(path: Path, _changed: int) -> Header:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        if content.read(4) != b"GGUF" or _numbers(content, "I")[0] not in {2, 3}:
            raise ValueError
        _tensors, entries = _numbers(content, "2Q")
        metadata = {_value(content, _STRING).decode(): _value(content, *_numbers(content, "I")) for _ in range(entries)}
        size = len(content)
    own = f"{metadata['general.architecture'].decode()}."
    values = {name.removeprefix(own): value for name, value in metadata.items() if name.startswith(own)}
    words = zip(metadata["tokenizer.ggml.tokens"], metadata.get("tokenizer.ggml.token_type", ()), strict=False)
    marks = tuple(word.decode("utf-8", "replace") for word, kind in words if kind == _CONTROL and word)
    return Header(size, int(values.get("context_length", 0)), _token_bytes(values), marks)


def _numbers(content: mmap.mmap, kinds: str) -> tuple[Any, ...]:
    """Read numbers. Raises struct.error if the file ends before them."""
    kinds = f"<{kinds}"
    return struct.unpack(kinds, content.read(struct.calcsize(kinds)))


def _value(content: mmap.mmap, kind: int) -> Any:
    """Read a metadata value; texts are bytes."""
    if kind == _STRING:
        return content.read(*_numbers(content, "Q"))
    if kind != _ARRAY:
        return _numbers(content, _NUMBERS[kind])[0]
    kind, length = _numbers(content, "I")[0], _numbers(content, "Q")[0]
    if kind == _STRING:
        return [_value(content, kind) for _ in range(length)]
    return _numbers(content, f"{length}{_NUMBERS[kind]}")


def _token_bytes(values: dict[str, Any]) -> int:
    """Return the bytes of the KV cache per token; 0 for a model without one."""
    layers, width = int(values.get("block_count", 0)), int(values.get("embedding_length", 0))
    heads = values.get("attention.head_count", 0)
    cached = values.get("attention.head_count_kv", heads)
    most = max(heads) if isinstance(heads, tuple) else heads
    of_head = width // most if most else 0
    length = sum(int(values.get(f"attention.{name}_length", of_head)) for name in ("key", "value"))
    return (sum(cached) if isinstance(cached, tuple) else int(cached) * layers) * length * _CACHED_BYTES
