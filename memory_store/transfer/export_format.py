"""The lines of an export: how they are sealed, and how they are read again. `docs/export-format.md` is for others.

Every line is one JSON object whose last member, `sha256`, seals the bytes before it. The first line, the manifest,
says what follows: how many lines of which type, and a checksum over all of them. Pure.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from assistant.errors import InputError

FORMAT = "noted export"
VERSION = 1
TYPES = ("entry", "turn", "title", "event")
LONGEST_LINE = 4_000_000  # bytes
LONGEST_NAME = 500  # characters of names, reasons and sentences
LONGEST_CONVERSATION = 1_000  # characters of its id, which a command may choose
MOST_KEYS = 500  # of an entry
MOST_ITEMS = 200  # decisions of a turn, and ids in one
MOST_TOKENS = 10**9  # of a turn
MOST_DOLLARS = 10_000.0
MOST_MS = 10.0**10

_SEAL = re.compile(rb',"sha256":"([0-9a-f]{64})"\}\s*$')

Record = dict[str, Any]


class NoExport(InputError):
    code = "import.no_export"


class DamagedExport(InputError):
    def __init__(self, line: int) -> None:
        super().__init__("import.damaged_line", line=line)


def sealed(record: Record) -> str:
    """A record as a line, without its line break."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return f'{text[:-1]},"sha256":"{_digest(text.encode())}"}}'


def manifest(lines: Sequence[str], embedder: str) -> str:
    """The line that goes before all others, which are sealed.

    `embedder` is what the memory compared meanings with; for information, as an export holds no vectors.
    """
    counts = Counter(json.loads(line)["type"] for line in lines)
    told = {"format": FORMAT, "version": VERSION, "created": datetime.now(UTC).isoformat(), "embedder": embedder}
    told |= {"counts": {name: counts[name] for name in TYPES}}
    return sealed(told | {"content_sha256": _digest(b"".join(line.encode() + b"\n" for line in lines))})


def read(lines: Iterable[bytes]) -> list[Record]:
    """The records after the manifest, each checked against its seal, and all together against the manifest.

    Raises NoExport, DamagedExport, or InputError: it was written by a newer version, or lines are missing or too many.
    """
    numbered = enumerate(lines, start=1)
    _, first = next(numbered, (1, b""))
    told = _manifest(first)
    content = hashlib.sha256()
    records = []
    for number, line in numbered:
        content.update(line.rstrip(b"\r\n") + b"\n")
        records.append(_unsealed(line, number))
    counts = Counter(str(record.get("type")) for record in records)
    whole = dict(counts) == {name: number for name, number in told["counts"].items() if number}
    if not whole or content.hexdigest() != told["content_sha256"]:
        raise InputError("import.missing_lines")
    return records


def _manifest(line: bytes) -> Record:
    try:
        told = json.loads(line[:LONGEST_LINE])
    except (ValueError, RecursionError):
        raise NoExport from None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise NoExport
    told = _unsealed(line, 1)
    if told.get("version") != VERSION:
        raise InputError("import.other_version")
    if not isinstance(told.get("counts"), dict):
        raise DamagedExport(1)
    return told


def _unsealed(line: bytes, number: int) -> Record:
    seal = _SEAL.search(line) if len(line) <= LONGEST_LINE else None
    if seal is None or _digest(line[: seal.start()] + b"}") != seal[1].decode():
        raise DamagedExport(number)
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise DamagedExport(number) from None
    if not isinstance(record, dict):
        raise DamagedExport(number)
    return record


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
