"""What else a person said of the same question: shown where something is noted, with a click for instead or beside."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from assistant.errors import NotedError
from assistant.ports import OwnEntries
from assistant.types import Entry, Scope, Status

_MOST_LOOKED_UP = 8  # of a conversation, the last


def other_meanings(memory: OwnEntries, entry: Entry, scope: Scope) -> list[dict[str, Any]]:
    """What stands beside an entry, and what it took the place of: id, text and time, and whether that still counts."""
    if entry.status is not Status.ACTIVE or entry.owner != scope.person:
        return []
    found: list[Entry] = []
    with suppress(NotedError):
        found += memory.beside(entry.id, scope)
    with suppress(NotedError):
        older = memory.entry(entry.supersedes, scope) if entry.supersedes else entry
        found += [older] if older.turn != entry.turn and older.text != entry.text else []
    return [
        {"id": other.id, "text": other.text, "when": other.created.isoformat(), "counts": other.status is Status.ACTIVE}
        for other in found
    ]


def with_others(
    views: list[dict[str, Any]], noted: Iterable[tuple[str, Entry]], memory: OwnEntries, scope: Scope
) -> list[dict[str, Any]]:
    """Views of turns, with the other meanings of what was noted of them: pairs of a turn's id and an entry."""
    found = {turn_id: others for turn_id, entry in noted if (others := other_meanings(memory, entry, scope))}
    return [
        view | {"noted": view["noted"] | {"others": found[view["id"]]}}
        if view["id"] in found and view.get("noted")
        else view
        for view in views
    ]


def last_noted(pairs: Iterable[tuple[str, Entry]]) -> list[tuple[str, Entry]]:
    """Those that are looked up for: each takes a question to the ledger."""
    return list(pairs)[-_MOST_LOOKED_UP:]
