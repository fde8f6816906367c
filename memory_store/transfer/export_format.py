"""Export everything of a user as lines, and read such lines.

Every line is a JSON object whose last member, `sha256`, is the checksum of the bytes before it. The first line, the
manifest, holds the number of lines by type and a checksum over all others. `docs/export-format.md` has the details.
"""

import codecs
import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Column, Connection, Table, select

from assistant.errors import InputError
from assistant.reply.fields import parse_trace
from assistant.sentences import Sentence
from assistant.types import Scope, TurnState
from memory_store.ledger.access import belongs_to
from memory_store.ledger.database.schema import (
    EVIDENCE,
    LIMITING,
    SEEN,
    SHARED,
    decisions,
    entries,
    events,
    titles,
    turns,
)
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import make_storable

_FORMAT = "noted export"
_VERSION = 1
_TYPES = ("entry", "turn", "title", "event")

_SEAL = re.compile(rb',"sha256":"([0-9a-f]{64})"\}\s*$')

EXPORTED_EVENTS = (*EVIDENCE, *LIMITING)
"""Events in exports; the others only log how rows changed."""

_NOT_EXPORTED = {"sequence", "owner", "checksum", "scope", "history", "body", "trace", "found_under", "search_text"}
# Fields of the first entry types are in every entry, for compatibility with older exports.
_DEFAULT_FIELDS = {"text": "", "wrong_understanding": "", "understanding": "", "answer": "", "only_in": None}

Record = dict[str, Any]


def export(ledger: Ledger, scope: Scope, embedder: str) -> Iterator[str]:
    """Yield the lines of an export of one snapshot, each with its line break."""
    with ledger.read() as connection:
        lines = [seal_line(make_storable(record)) for record in _records(connection, scope)]
    yield build_manifest(lines, embedder) + "\n"
    for line in lines:
        yield line + "\n"


def _records(connection: Connection, scope: Scope) -> Iterator[Record]:
    for row in _rows(connection, entries, scope, entries.c.sequence):
        columns, body = _select_fields(row), {**_DEFAULT_FIELDS, **row["body"]}
        yield {"type": "entry", **columns, **body, "shared": row["scope"] == SHARED, "keys": row["found_under"]}
    # Decisions and events on other users' entries stay out, even if a shared entry was part of an answer.
    mine = set(connection.execute(select(entries.c.id).where(belongs_to(entries, scope))).scalars())
    decided: dict[str, list[Any]] = defaultdict(list)
    for row in _rows(connection, decisions, scope, decisions.c.rank):
        if row["entry_id"] in mine and row["action"] != SEEN:
            decided[row["turn_id"]].append(_select_fields(row) | {"reason": str(Sentence.read(row["reason"]))})
    for row in _rows(connection, turns, scope, turns.c.sequence):
        if row["state"] == TurnState.DELETED:
            continue
        trace = {"trace": parse_trace(row["trace"])} if row["trace"] else {}
        error = str(Sentence.read(row["error"]))
        yield {"type": "turn", **_select_fields(row), "error": error, **trace, "decisions": decided[row["id"]]}
    for row in _rows(connection, titles, scope, titles.c.conversation):
        yield {"type": "title", **_select_fields(row)}
    for row in _rows(connection, events, scope, events.c.sequence):
        if row["kind"] in EXPORTED_EVENTS and row["entry_id"] in mine:
            yield {"type": "event", **_select_fields(row)}


def _rows(connection: Connection, table: Table, scope: Scope, order: Column[Any]) -> Iterator[Any]:
    yield from connection.execute(select(table).where(belongs_to(table, scope)).order_by(order)).mappings()


def _select_fields(row: Any) -> Record:
    return {name: value for name, value in row.items() if name not in _NOT_EXPORTED}


def seal_line(record: Record) -> str:
    """Return a record as a line with its checksum, without a line break."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return f'{text[:-1]},"sha256":"{_digest(text.encode())}"}}'


def build_manifest(lines: Sequence[str], embedder: str) -> str:
    """Return the first line of an export, given the other lines.

    `embedder` is for information only: exports contain no vectors.
    """
    counts = Counter(json.loads(line)["type"] for line in lines)
    manifest = {"format": _FORMAT, "version": _VERSION, "created": datetime.now(UTC).isoformat(), "embedder": embedder}
    manifest["counts"] = {name: counts[name] for name in _TYPES}
    manifest["content_sha256"] = _digest(b"".join(line.encode() + b"\n" for line in lines))
    return seal_line(manifest)


def read_records(lines: Iterable[bytes]) -> dict[int, Record]:
    """Return the records after the manifest by line number.

    Checks the checksum of each line, and of all lines. Tolerates changes by text editors: a byte order mark, UTF-16,
    other line ends and blank lines.

    Raises InputError if this is not an export, is damaged, of a newer version, or has missing or extra lines.
    """
    content = b"".join(lines).removeprefix(codecs.BOM_UTF8)
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            content = content.decode("utf-16").encode()
        except UnicodeError:
            raise InputError("import.no_export") from None
    whole = ((number, line.rstrip(b"\r")) for number, line in enumerate(content.split(b"\n"), start=1))
    numbered = [(number, line) for number, line in whole if line.strip()] or [(1, b"")]
    if (_parse(numbered[0][1]) or {}).get("format") != _FORMAT:
        raise InputError("import.no_export")
    records = {number: _unseal(line, number) for number, line in numbered}
    manifest = records.pop(numbered[0][0])
    if manifest.get("version") != _VERSION:
        raise InputError("import.other_version")
    if _digest(b"".join(line + b"\n" for _, line in numbered[1:])) != manifest.get("content_sha256"):
        raise InputError("import.missing_lines")
    return records


def _unseal(line: bytes, number: int) -> Record:
    seal, record = _SEAL.search(line), _parse(line)
    if record is None or seal is None or _digest(line[: seal.start()] + b"}") != seal[1].decode():
        raise InputError("import.damaged_line", line=number)
    return record


def _parse(line: bytes) -> Record | None:
    with suppress(ValueError, RecursionError):
        record = json.loads(line)
        return record if isinstance(record, dict) else None
    return None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
