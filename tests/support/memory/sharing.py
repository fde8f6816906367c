"""A curator, rules and helpers for tests of sharing."""

from collections.abc import Callable
from dataclasses import replace

from assistant.errors import TooLong
from assistant.sharing import SharingRules
from assistant.types import Entry, Scope
from memory_store.store import Store
from tests.support.memory.store import BOB, clarification, read_keys

CURATOR = Scope("cora")


def shorten(text: str) -> None:
    if len(text) > 40:
        raise TooLong(len(text), 40)


RULES = SharingRules(frozenset({CURATOR.person}), lambda scope: scope.person != "a stranger", shorten)


def end_sharing(store: Store, how: str, entry: Entry, offer: str, curator: Scope = CURATOR) -> None:
    """End an offer in one of these ways."""
    sharing, owner = store.sharing(SharingRules(frozenset({curator.person}))), Scope(entry.owner)
    ends: dict[str, Callable[[], object]] = {
        "withdraw": lambda: sharing.withdraw(entry.id, owner),
        "decline": lambda: sharing.decline(offer, "no longer right", sharing.curator(curator)),
        "edit": lambda: store.memory.edit(entry.id, "something else", owner),
        "retract": lambda: store.memory.retract(entry.id, owner),
        "supersede": lambda: store.memory.remember(replace(clarification("q"), supersedes=entry.id), owner),
        "forget": lambda: store.memory.forget(entry.id, owner),
        "forget_all": lambda: store.memory.forget_all(owner),
    }
    ends[how]()


def read_texts(store: Store, person: Scope) -> list[tuple[str, str]]:
    """Return question and text of all active entries that a user can read."""
    ids = {key.entry_id for key in read_keys(store, person)}
    return sorted((found.question, found.text) for found in store.memory.entries_by_id(ids, person).values())


def read_shared_entry(store: Store, person: Scope = BOB) -> Entry:
    ids = {key.entry_id for key in read_keys(store, person)}
    (found,) = [entry for entry in store.memory.entries_by_id(ids, person).values() if entry.shared]
    return found
