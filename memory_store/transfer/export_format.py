"""Export everything of a user as lines; read and validate such lines.

Every line is a JSON object whose last member, `sha256`, is the checksum of the bytes before it. The first line, the
manifest, holds the number of lines by type and a checksum over all others. `docs/export-format.md` has the details.
Only columns that `check_record` returns are ever written. Texts of a model that are too long are truncated with an
ellipsis; texts of users are not.
"""

import codecs
import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationInfo
from sqlalchemy import Column, Connection, Table, select

from assistant.errors import InputError
from assistant.kinds import MOST_TRIPLES, STORABLE, Content, Kinds
from assistant.limits import DEFAULT_LIMITS
from assistant.reply.fields import parse_trace
from assistant.sentences import Sentence
from assistant.settings import LONGEST_QUESTION
from assistant.text.content_rules import check_private
from assistant.types import KeyOrigin, Scope, Status, TurnState, utc_now
from memory_store.ledger.access import belongs_to
from memory_store.ledger.database.schema import (
    EVIDENCE,
    LIMITING,
    SEEN,
    SHARED,
    KeyState,
    decisions,
    entries,
    events,
    titles,
    turns,
)
from memory_store.ledger.entries import drop_unnamed, find_unnamed
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

_LONGEST_NAME = 500  # characters of a model's name
_MOST_KEYS = 500  # per entry
_MOST_ITEMS = 200  # ids in a list
_LONGEST_BODY = 4_000_000  # characters of its JSON
_INVALID = (ValueError, TypeError, KeyError, OverflowError, RecursionError)

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

    Checks the checksum of each line, and of all lines. Tolerates changes by text editors: a byte order mark, other line
    ends and blank lines.

    Raises InputError if this is not an export, is damaged, of a newer version, or has missing or extra lines.
    """
    content = b"".join(lines).removeprefix(codecs.BOM_UTF8).split(b"\n")
    whole = ((number, line.rstrip(b"\r")) for number, line in enumerate(content, start=1))
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


def _cut(text: str, longest: int = DEFAULT_LIMITS.reply) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _read_time(written: str, info: ValidationInfo) -> str:
    """Return a time in UTC; replace a future one, which would never expire, by now.

    Raises ValueError if it is not a time, TypeError without a time zone, or OverflowError.
    """
    now: datetime = info.context["now"]  # type: ignore[index]  # every check has one
    return min(datetime.fromisoformat(written), now).astimezone(UTC).isoformat()


_Id = Annotated[str, StringConstraints(strict=True, pattern="^[0-9a-zA-Z:-]{1,64}$")]
_Text = Annotated[str, StringConstraints(strict=True, max_length=LONGEST_QUESTION), STORABLE]
_Time = Annotated[str, StringConstraints(strict=True), AfterValidator(_read_time)]


class _Line(BaseModel):
    # Build validators for the first import only; most processes never need them.
    model_config = ConfigDict(use_enum_values=True, protected_namespaces=(), defer_build=True)


class _Key(_Line):
    text: _Text
    origin: KeyOrigin


# Keys without a storable text are skipped.
_WithText = AfterValidator(lambda found_under: [key for key in found_under if key.text])


class _Entry(_Line):
    id: _Id
    kind: str
    status: Status
    question: Annotated[_Text, Field(min_length=1)]
    turn_id: Literal[""] | _Id
    model: Annotated[_Text, AfterValidator(lambda name: _cut(name, _LONGEST_NAME))]
    supersedes: _Id | None
    created: _Time
    key_state: KeyState | None
    found_under: Annotated[
        list[_Key], Field(max_length=_MOST_KEYS, validation_alias="keys"), _WithText, Field(min_length=1)
    ]


class _Event(_Line):
    kind: Annotated[str, StringConstraints(strict=True, pattern=f"^({'|'.join(EXPORTED_EVENTS)})$")]
    entry_id: _Id
    turn_id: _Id | None
    created: _Time


def check_lines(records: Mapping[int, Record], kinds: Kinds) -> Iterator[tuple[str, Record]]:
    """Yield the type and the columns (see `check_record`) of each entry and each event; skip turns and titles.

    Raises InputError with the line number and, if known, the reason.
    """
    earlier: set[str] = set()
    now = utc_now()
    for number, record in records.items():
        try:
            if record["type"] in {"turn", "title"}:
                continue
            columns = check_record(record, now, kinds)
            older = columns.get("supersedes")  # must be an earlier line
            if (older and older not in earlier) or columns.get("id") in earlier:
                raise ValueError
        except InputError as error:
            raise InputError("import.line_because", line=number, why=error.sentence) from None
        except _INVALID:
            raise InputError("import.line", line=number) from None
        if "id" in columns:
            earlier.add(columns["id"])
        yield record["type"], columns


def check_record(record: Record, now: datetime, kinds: Kinds) -> Record:
    """Return the columns of an event, or of an entry.

    Times are at most `now`, and bodies match their entry type in `kinds`. Triples with names that are not in the
    fact's sentence are removed; `dropped` counts them. The idempotency key is not included.

    Raises one of `_INVALID` for invalid values, InputError for content that must not be stored
    (`assistant.text.content_rules`).
    """
    models: dict[str, type[_Line]] = {"entry": _Entry, "event": _Event}
    line = models[record["type"]].model_validate(record, context={"now": now})
    columns = line.model_dump()
    if isinstance(line, _Entry):
        content = _parse_body(record, kinds)
        columns["dropped"] = len(find_unnamed(content.body))
        content = replace(content, body=drop_unnamed(content.body))
        for text in (*content.texts, *(key.text for key in line.found_under if key.origin == KeyOrigin.PERSON)):
            check_private(text)
        columns["body"] = content.body.stored()
    return columns


def _parse_body(record: Record, kinds: Kinds) -> Content:
    """Return the content of an entry. Older exports lack some fields, and fields that do not apply are null."""
    kind = kinds[record["kind"]]
    said = {name: record[name] for name in kind.body.model_fields if record.get(name) is not None}
    for name, value in said.items():
        most = MOST_TRIPLES if name in kind.drawn else _MOST_ITEMS
        if isinstance(value, list) and len(value) > most:
            raise InputError("import.items", field=name, count=most)
    if len(json.dumps(said, ensure_ascii=False, allow_nan=False)) > _LONGEST_BODY:
        raise ValueError
    said = {name: _cut(value) if isinstance(value, str) else value for name, value in said.items()}
    return Content(kind, record["question"], kind.body.model_validate(said))
