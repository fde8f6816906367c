"""Damage the ledger's file by bits and pages: no wrong entry is served, and a plain sentence reports it."""

import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from assistant.errors import NotedError, StoreError
from assistant.sentences import plain
from assistant.types import Action, Candidate, Decision, Entry, Key, KeyOrigin, Scope, Turn
from memory_store.maintenance.backup import check_ledger
from memory_store.store import Store
from tests.support.memory.store import ANN, BOB, build_retriever, clarification, execute, read_keys, share, small_store

pytestmark = pytest.mark.promise("ledger-damage-is-contained")

FLIPS = 6
ENTRIES = 12


@dataclass(frozen=True)
class Truth:
    folder: Path
    entries: dict[str, Entry]


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Truth:
    folder = tmp_path_factory.mktemp("whole")
    store = small_store(folder)
    for number in range(ENTRIES):
        draft = clarification(f"question {number} {'x' * 37 * number}", further=[Key("further", KeyOrigin.MODEL)])
        entry = store.memory.remember(draft, ANN)
        decision = Decision(Candidate(entry, entry.keys[0]), Action.USE, 0.5, plain("It is the same."))
        store.turn_store.record(Turn(f"turn {number}", "c", "ann", f"question {number}", decisions=(decision,)), ANN)
        store.memory.count(entry.id, "helped", f"turn {number}", ANN)
    store.memory.remember(clarification("what nobody else may see"), BOB)
    share(store, store.memory.entries(ANN)[3].id)
    store.memory.edit(store.memory.entries(ANN)[5].id, "I meant an antonym", ANN)
    store.ledger.wipe()
    found = {entry.id: entry for person in (ANN, BOB) for entry in store.memory.entries(person)}
    store.close()
    return Truth(folder, found)


@pytest.mark.parametrize("number", range(FLIPS))
def test_flipped_bit_serves_nothing_wrong(truth: Truth, tmp_path: Path, number: int) -> None:
    content = bytearray((truth.folder / "ledger.db").read_bytes())
    chance = random.Random(number)  # noqa: S311 - no secret, only the same numbers each time
    # A nonzero byte: most zeros are unused space.
    content[chance.choice([place for place, byte in enumerate(content) if byte])] ^= 1 << chance.randrange(8)
    (tmp_path / "ledger.db").write_bytes(content)
    with suppress(StoreError):
        store = small_store(tmp_path)
        if number % 3 == 0:
            with suppress(NotedError):
                store.indexer.catch_up()
        use(store, truth)


def use(store: Store, truth: Truth) -> None:
    """Read as each user in each way, then change what users and background jobs may change."""
    served = {entry.id for person in (ANN, BOB) for entry in reading(store, truth, person)}
    missing = truth.entries.keys() - served
    assert not missing or check_ledger(store.ledger, lambda line: None)[1], missing
    memory, ids = store.memory, list(truth.entries)
    changes: list[Callable[[], object]] = [
        lambda: memory.remember(clarification("a new question"), ANN),
        lambda: store.turn_store.turns("c", ANN),
        lambda: store.turn_store.record(Turn("new", "c", "ann", "q"), ANN),
        lambda: memory.edit(ids[2], "other words", ANN),
        lambda: memory.count(ids[4], "used", "t", ANN),
        lambda: memory.retract(ids[6], ANN),
        lambda: memory.forget(ids[8], ANN),
        store.key_work.wanting,
    ]
    for change in changes:
        with suppress(NotedError):
            change()
    store.close()


def reading(store: Store, truth: Truth, person: Scope) -> list[Entry]:
    """Return the entries that a user gets; assert that each is unchanged and readable."""
    readable = {entry_id for entry_id, entry in truth.entries.items() if person.may_read(entry)}
    found = [candidate.entry for candidate in build_retriever(store, seconds=0)("question 3", person)]
    with suppress(NotedError):
        found += store.memory.entries(person)
    with suppress(NotedError):
        found += store.memory.entries_by_id(truth.entries, person).values()
    with suppress(NotedError):
        assert {key.entry_id for key in read_keys(store, person)} <= readable
    assert {entry.id for entry in found} <= readable
    for entry in found:
        known = truth.entries[entry.id]
        assert entry == replace(known, used=entry.used, helped=entry.helped, hurt=entry.hurt)
    return found


@pytest.mark.parametrize("lost", ["entries", "entries_by_owner", "meta", "the page of a text"])
def test_lost_page_is_a_sentence(truth: Truth, tmp_path: Path, lost: str) -> None:
    ledger = Path(shutil.copy(truth.folder / "ledger.db", tmp_path))
    content = bytearray(ledger.read_bytes())
    ((page_size,),) = execute(ledger, "PRAGMA page_size")
    found = execute(ledger, "SELECT rootpage FROM sqlite_master WHERE name = ?", (lost,))
    start = (found[0][0] - 1) * page_size if found else content.index(b"I meant a synonym") // page_size * page_size
    content[start : start + page_size] = b"\xa5" * page_size
    ledger.write_bytes(content)
    try:
        store = small_store(tmp_path)
    except StoreError as error:
        sentence = str(error)
    else:
        told = store.verify(lambda line: None)
        sentence = str(told.ledger)
        assert not told.is_right
        use(store, truth)
    assert "noted restore" in sentence or "missing from index" in sentence
