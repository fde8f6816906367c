"""Everything of a person as lines to keep and to take along: what they say, how they are sealed, and read again.

Every line is one JSON object whose last member, `sha256`, seals the bytes before it. The first line, the manifest,
says what follows: how many lines of which type, and a checksum over all of them. What an older version stored is cut,
and marked, so that every import takes it in. `docs/export-format.md` is for others.
"""

import codecs
import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import chain
from math import isfinite
from typing import Any

from sqlalchemy import Column, Connection, Table, select

from assistant.errors import InputError
from assistant.kinds import MOST_TRIPLES
from assistant.limits import DEFAULT_LIMITS, LONGEST_QUESTION
from assistant.reply.fields import readable
from assistant.sentences import Sentence
from assistant.text.cleaning import storable
from assistant.text.content_rules import LONGEST_TEXT
from assistant.types import Action, ReplyStatus, Scope, TurnState, use_of
from memory_store.ledger.access import own
from memory_store.ledger.database.schema import (
    EVIDENCE,
    LIMITING,
    SHARED,
    decisions,
    entries,
    events,
    keys,
    titles,
    turns,
)
from memory_store.ledger.ledger import Ledger

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

_OF_REPLY = ("raw", "understanding", "answer", "correction")
_LONGEST = {
    **dict.fromkeys(("question", "key_text"), LONGEST_QUESTION),
    **dict.fromkeys((*_OF_REPLY, "wrong_understanding"), DEFAULT_LIMITS.reply),
    **dict.fromkeys(("model", "error", "reason", "title", "idempotency_key"), LONGEST_NAME),
    **dict.fromkeys(("conversation", "only_in"), LONGEST_CONVERSATION),
    "text": LONGEST_TEXT,
    "why_both": DEFAULT_LIMITS.clarification,
}
_MOST = {"keys": MOST_KEYS, "triples": MOST_TRIPLES}
_NUMBERS = {
    "usage": {"prompt": MOST_TOKENS, "reply": MOST_TOKENS, "dollars": MOST_DOLLARS},
    "ms": dict.fromkeys(("recall", "gate", "prompt", "first_token", "model", "total"), MOST_MS),
}
_DEEPEST = 20  # of lists in lists in a trace
_CUT = "…"

EXPORTED_EVENTS = (*EVIDENCE, *LIMITING)
"""Events that an export tells of. The others tell how rows came to be as they are."""

_NOT_TOLD = {"sequence", "owner", "checksum", "scope", "history", "body"}
# The fields of the first kinds stand in every entry, as in exports from before what one says stood in one column.
_NOT_SAID = {"text": "", "wrong_understanding": "", "understanding": "", "answer": "", "only_in": None}

Record = dict[str, Any]


class NoExport(InputError):
    code = "import.no_export"


class DamagedExport(InputError):
    def __init__(self, line: int) -> None:
        super().__init__("import.damaged_line", line=line)


def export(ledger: Ledger, scope: Scope, embedder: str) -> Iterator[str]:
    """The lines of an export of everything of a person, as it is at one moment, each with its line break."""
    with ledger.read() as connection:
        lines = [fitting_line(record) for record in _records(connection, scope)]
    yield manifest(lines, embedder) + "\n"
    for line in lines:
        yield line + "\n"


def _records(connection: Connection, scope: Scope) -> Iterator[Record]:
    found_under = _by(connection, keys, "entry_id", scope, keys.c.position)
    for row in _rows(connection, entries, scope, entries.c.sequence):
        told = [{"text": key["text"], "origin": key["origin"]} for key in found_under[row["id"]]]
        columns, body = _told(row), {**_NOT_SAID, **row["body"]}
        yield {"type": "entry", **columns, **body, "shared": row["scope"] == SHARED, "keys": told}
    # What others said of their entries is theirs, also where it was shared and stood in an answer.
    mine = set(connection.execute(select(entries.c.id).where(own(entries, scope))).scalars())
    decided = _by(connection, decisions, "turn_id", scope, decisions.c.rank)
    for row in _rows(connection, turns, scope, turns.c.sequence):
        about = [_decision(one, row) for one in decided[row["id"]] if one["entry_id"] in mine]
        yield {"type": "turn", **_told(row, "error"), "decisions": about}
    for row in _rows(connection, titles, scope, titles.c.conversation):
        yield {"type": "title", **_told(row)}
    exported = {kind.value for kind in EXPORTED_EVENTS}
    for row in _rows(connection, events, scope, events.c.sequence):
        if row["kind"] in exported and row["entry_id"] in mine:
            yield {"type": "event", **_told(row)}


def _decision(row: Any, turn: Any) -> Record:
    action, state = Action(row["action"]), TurnState(turn["state"])
    return _told(row, "reason") | {"use": use_of(action, row["entry_id"], state, turn["used"], turn["chosen"])}


def _rows(connection: Connection, table: Table, scope: Scope, order: Column[Any]) -> Iterator[Any]:
    yield from connection.execute(select(table).where(own(table, scope)).order_by(order)).mappings()


def _by(connection: Connection, table: Table, name: str, scope: Scope, order: Column[Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = defaultdict(list)
    for row in _rows(connection, table, scope, order):
        found[row[name]].append(row)
    return found


def _told(row: Any, sentence: str = "") -> Record:
    """What is told of a row, with the `sentence` that it has under a name in English."""
    told = {name: value for name, value in row.items() if name not in _NOT_TOLD and (value or name != "trace")}
    return told | {sentence: str(Sentence.read(row[sentence]))} if sentence else told


def sealed(record: Record) -> str:
    """A record as a line, without its line break."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return f'{text[:-1]},"sha256":"{_digest(text.encode())}"}}'


def fitting_line(record: Record) -> str:
    """A record as a line of an export. A turn whose reply is cut says that it is; other texts end with an ellipsis."""
    fitting = _all_fitting(record)
    if any(len(record.get(name) or "") > DEFAULT_LIMITS.reply for name in _OF_REPLY) and "reply_status" in record:
        fitting["reply_status"] = ReplyStatus.TRUNCATED.value
    line = sealed(fitting)
    while len(line.encode()) > LONGEST_LINE and (fitting.pop("trace", None) or _halve_longest_list(fitting)):
        line = sealed(fitting)
    return line


def fitting_trace(value: Any, deepest: int = _DEEPEST) -> Any:
    """A turn's trace, or a part of it, as far as an import takes it in."""
    if isinstance(value, str):
        return _cut(value, DEFAULT_LIMITS.reply)
    if isinstance(value, dict | list) and not deepest:
        return None
    if isinstance(value, dict):
        parts = list(value.items())[:MOST_ITEMS]
        return {_cut(name, LONGEST_NAME): fitting_trace(part, deepest - 1) for name, part in parts}
    if isinstance(value, list):
        return [fitting_trace(part, deepest - 1) for part in value[:MOST_ITEMS]]
    return None if isinstance(value, float) and not isfinite(value) else value


def _fitting(name: str, value: Any) -> Any:
    if name == "trace":
        return readable(fitting_trace(value)) if value else value
    if isinstance(value, str) and name in _LONGEST:
        return _cut(value, _LONGEST[name])
    if isinstance(value, dict) and name in _NUMBERS:
        most = _NUMBERS[name]
        return {part: _within(number, most[part]) if part in most else number for part, number in value.items()}
    if not isinstance(value, list):
        return value
    some = value[: _MOST.get(name, MOST_ITEMS)]
    if name == "keys":
        return [{**key, "text": _cut(key["text"], LONGEST_QUESTION)} for key in some]
    return [_all_fitting(each) if isinstance(each, dict) else each for each in some]


def _all_fitting(record: Record) -> Record:
    return {name: _fitting(name, value) for name, value in record.items()}


def _cut(text: str, longest: int) -> str:
    kept = storable(text)
    return kept if len(kept) <= longest else kept[: longest - len(_CUT)] + _CUT


def _within(number: float | None, most: float) -> float | None:
    return None if number is None else type(number)(min(max(number, 0), most))


def _halve_longest_list(record: Record) -> bool:
    """Halve what makes the line long: the keys of an entry or the decisions of a turn, but never the last one."""
    for name in ("keys", "decisions"):
        if len(several := record.get(name) or ()) > 1:
            record[name] = several[: len(several) // 2]
            return True
    return False


def manifest(lines: Sequence[str], embedder: str) -> str:
    """The line that goes before all others, which are sealed.

    `embedder` is what the memory compared meanings with; for information, as an export holds no vectors.
    """
    counts = Counter(json.loads(line)["type"] for line in lines)
    told = {"format": FORMAT, "version": VERSION, "created": datetime.now(UTC).isoformat(), "embedder": embedder}
    told |= {"counts": {name: counts[name] for name in TYPES}}
    return sealed(told | {"content_sha256": _digest(b"".join(line.encode() + b"\n" for line in lines))})


def read(lines: Iterable[bytes]) -> dict[int, Record]:
    """The records after the manifest by the number of their line, each checked against its seal, and all together
    against the manifest. What an editor adds as it saves a file does not matter: a byte order mark, UTF-16, other line
    ends, and blank lines.

    Raises NoExport, DamagedExport, or InputError: it was written by a newer version, or lines are missing or too many.
    """
    numbered = ((number, line) for number, line in enumerate(_as_written(lines), start=1) if line.strip())
    number, first = next(numbered, (1, b""))
    told = _manifest(first, number)
    content = hashlib.sha256()
    records = {}
    for number, line in numbered:
        content.update(line.rstrip(b"\r\n") + b"\n")
        records[number] = _unsealed(line, number)
    counts = Counter(str(record.get("type")) for record in records.values())
    whole = dict(counts) == {name: number for name, number in told["counts"].items() if number}
    if not whole or content.hexdigest() != told["content_sha256"]:
        raise InputError("import.missing_lines")
    return records


def _as_written(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines in UTF-8, without a byte order mark. Raises NoExport: the mark is of UTF-16, and the rest is not."""
    pieces = iter(lines)
    first = next(pieces, b"")
    if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            text = "".join(codecs.iterdecode(chain([first], pieces), "utf-16"))
        except UnicodeError:
            raise NoExport from None
        yield from text.encode().split(b"\n")
    else:
        yield first.removeprefix(codecs.BOM_UTF8)
        yield from pieces


def _manifest(line: bytes, number: int) -> Record:
    told = _parsed(line[:LONGEST_LINE])
    if told is None or told.get("format") != FORMAT:
        raise NoExport
    told = _unsealed(line, number)
    if told.get("version") != VERSION:
        raise InputError("import.other_version")
    if not isinstance(told.get("counts"), dict):
        raise DamagedExport(number)
    return told


def _unsealed(line: bytes, number: int) -> Record:
    seal = _SEAL.search(line) if len(line) <= LONGEST_LINE else None
    if seal is None or _digest(line[: seal.start()] + b"}") != seal[1].decode():
        raise DamagedExport(number)
    record = _parsed(line)
    if record is None:
        raise DamagedExport(number)
    return record


def _parsed(line: bytes) -> Record | None:
    with suppress(ValueError, RecursionError):
        record = json.loads(line)
        return record if isinstance(record, dict) else None
    return None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
