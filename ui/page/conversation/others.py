"""What else a person said of the same question: shown where something is noted, with a click for instead or beside."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assistant.conversation import Assistant
from assistant.types import Entry, Scope, Status

_MOST_LOOKED_UP = 8  # of a conversation, the last


def with_others(
    views: list[dict[str, Any]], noted: Iterable[tuple[str, Entry]], assistant: Assistant, scope: Scope
) -> list[dict[str, Any]]:
    """Views of turns, with the other meanings of what was noted of them: pairs of a turn's id and an entry."""
    found = {turn_id: others for turn_id, entry in noted if (others := others_of(entry, assistant, scope))}
    return [
        view | {"noted": view["noted"] | {"others": found[view["id"]]}}
        if view["id"] in found and view.get("noted")
        else view
        for view in views
    ]


def others_of(entry: Entry, assistant: Assistant, scope: Scope) -> list[dict[str, Any]]:
    """Views of the other meanings of an entry: those that apply, and the one that it replaced."""
    return [
        {"id": one.id, "text": one.shown, "when": one.created.isoformat(), "counts": one.status is Status.ACTIVE}
        for one in assistant.others(entry, scope)
    ]


def last_noted(pairs: Iterable[tuple[str, Entry]]) -> list[tuple[str, Entry]]:
    """Those that are looked up for: each takes a question to the ledger."""
    return list(pairs)[-_MOST_LOOKED_UP:]
