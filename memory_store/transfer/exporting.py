"""Everything of a person, as lines that any program can read (`docs/export-format.md`): to keep, and to take along."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Column, Connection, Table, select

from assistant.sentences import Sentence
from assistant.types import Action, Scope, TurnState, use_of
from memory_store.ledger.access import own
from memory_store.ledger.database.schema import (
    COUNTED,
    SHARED,
    EventKind,
    decisions,
    entries,
    events,
    keys,
    titles,
    turns,
)
from memory_store.ledger.ledger import Ledger
from memory_store.transfer.export_format import Record, fitting_line, manifest

EXPORTED_EVENTS = (*COUNTED, EventKind.USED_AGAIN)
"""Events that an export tells of. The others tell how rows came to be as they are."""

_NOT_TOLD = {"sequence", "owner", "checksum", "scope", "history", "body"}
# The fields of the first kinds stand in every entry, as in exports from before what one says stood in one column.
_NOT_SAID = {"text": "", "wrong_understanding": "", "understanding": "", "answer": "", "only_in": None}


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
