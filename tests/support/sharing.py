"""What tests of sharing need: a curator, rules, and what other people get."""

from __future__ import annotations

from assistant.errors import TooLong
from assistant.sharing import SharingRules
from assistant.types import Entry, Scope
from memory_store.store import Store
from tests.support.store import BOB

CURATOR = Scope("cora")


def short(text: str) -> None:
    """A rule about what may be shared."""
    if len(text) > 40:
        raise TooLong(len(text), 40)


RULES = SharingRules(frozenset({CURATOR.person}), lambda scope: scope.person != "a stranger", short)


def read_by(store: Store, person: Scope) -> list[tuple[str, str]]:
    """Question and text of everything that counts for a person."""
    ids = {key.entry_id for key in store.memory.keys(person)}
    return sorted((found.question, found.text) for found in store.memory.entries_by_id(ids, person).values())


def shared_one(store: Store, person: Scope = BOB) -> Entry:
    ids = {key.entry_id for key in store.memory.keys(person)}
    (found,) = [entry for entry in store.memory.entries_by_id(ids, person).values() if entry.shared]
    return found
