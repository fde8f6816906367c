"""Entries for tests, with defaults for all fields."""

from datetime import UTC, datetime
from typing import Any

from assistant.kinds import CLARIFICATION
from assistant.sentences import plain
from assistant.types import Action, Candidate, Decision, Entry, Key, Status


def build_entry(question: str = "what is akin to quick ?", text: str = "I want a synonym", **fields: Any) -> Entry:
    """Return a private clarification of "me", found by its question, with `fields` changed."""
    known: dict[str, Any] = {
        "id": "e",
        "kind": CLARIFICATION,
        "owner": "me",
        "shared": False,
        "status": Status.ACTIVE,
        "sequence": 1,
        "created": datetime(2026, 11, 20, tzinfo=UTC),
        "keys": (Key(question),),
    }
    known |= fields
    names = ("wrong_understanding", "understanding", "answer")
    said = {"text": text, "understanding": "", "answer": ""} | {
        name: known.pop(name) for name in names if name in known
    }
    body = known["kind"].body
    said = {name: text for name, text in said.items() if name in body.model_fields}
    return Entry(question=question, body=body(**said), **known)


def build_owned_entry(question: str = "q", text: str = "", **fields: Any) -> Entry:
    """Return the same, owned by Ann."""
    return build_entry(question, text, **({"owner": "ann"} | fields))


def decide_all(action: Action, *entries: Entry) -> list[Decision]:
    """Return the same decision about each entry."""
    return [Decision(Candidate(entry, entry.keys[0]), action, 1.0, plain("because")) for entry in entries]
