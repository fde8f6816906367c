"""An entry as a test needs it: only what matters to the test is said."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from assistant.types import Action, Candidate, Decision, Entry, Key, Kind, Status


def an_entry(question: str = "what is akin to quick ?", text: str = "I want a synonym", **fields: Any) -> Entry:
    """A private clarification of "me", unless `fields` say otherwise; found by its question."""
    known = {
        "id": "e",
        "kind": Kind.CLARIFICATION,
        "owner": "me",
        "shared": False,
        "status": Status.ACTIVE,
        "sequence": 1,
        "created": datetime(2026, 11, 20, tzinfo=UTC),
        "keys": (Key(question),),
    }
    return Entry(question=question, text=text, **(known | fields))


def made_entry(question: str = "q", text: str = "", **fields: Any) -> Entry:
    """The same, of Ann."""
    return an_entry(question, text, **({"owner": "ann"} | fields))


def decided(action: Action, *entries: Entry) -> list[Decision]:
    """The same decision about each."""
    return [Decision(Candidate(entry, entry.keys[0]), action, 1.0, "because") for entry in entries]
