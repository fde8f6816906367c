"""Other meanings of the same question, with a choice to replace or keep them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assistant.conversation import Assistant
from assistant.types import Entry, Scope, Status

_MOST_LOOKED_UP = 8  # most recent clarifications of a conversation


def add_conflicts(
    views: list[dict[str, Any]], noted: Iterable[tuple[str, Entry]], assistant: Assistant, scope: Scope
) -> list[dict[str, Any]]:
    """Add the other meanings to the views, for `noted` pairs of turn id and entry."""
    found = {turn_id: others for turn_id, entry in noted if (others := conflict_views(entry, assistant, scope))}
    return [
        view | {"noted": view["noted"] | {"others": found[view["id"]]}}
        if view["id"] in found and view.get("noted")
        else view
        for view in views
    ]


def conflict_views(entry: Entry, assistant: Assistant, scope: Scope) -> list[dict[str, Any]]:
    """Return views of the other meanings of an entry: active ones, and the one that it replaced."""
    return [
        {"id": one.id, "text": one.shown, "when": one.created.isoformat(), "counts": one.status is Status.ACTIVE}
        for one in assistant.others(entry, scope)
    ]


def select_last(pairs: Iterable[tuple[str, Entry]]) -> list[tuple[str, Entry]]:
    """Return the last pairs, since each takes a query of the ledger."""
    return list(pairs)[-_MOST_LOOKED_UP:]
