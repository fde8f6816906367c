"""Damage the ledger's file, bit by bit and page by page: no wrong entry is served, and a plain sentence reports it."""

import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from assistant.errors import NotedError, StoreError
from assistant.sentences import plain
from assistant.types import Action, Candidate, Decision, Entry, Key, KeyOrigin, Reply, Turn
from memory_store.maintenance.verifying import damage_in
from memory_store.store import Store
from tests.support.memory.store import ANN, BOB, clarification, execute, keys_of, recall_on, share, small_store

pytestmark = pytest.mark.promise("ledger-damage-is-contained")

FLIPS = 6
INDEXED = 2
ENTRIES = 12


@dataclass(frozen=True)
class Truth:
    folder: Path
    entries: dict[str, Entry]
    turns: dict[str, Turn]


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Truth:
    folder = tmp_path_factory.mktemp("whole")
    store = small_store(folder)
    for number in range(ENTRIES):
        draft = clarification(f"question {number} {'x' * 37 * number}", further=[Key("further", KeyOrigin.MODEL)])
        entry = store.memory.remember(draft, ANN)
        decision = Decision(Candidate(entry, entry.keys[0]), Action.USE, 0.5, plain("It is the same."))
        reply = Reply.of("raw", "understood", "the answer")
        turn = Turn(f"turn {number}", "c", "ann", f"question {number}", decisions=(decision,), reply=reply)
        store.turn_store.record(turn, ANN)
        store.memory.count(entry.id, "helped", turn.id, ANN)
    store.memory.remember(clarification("what nobody else may see"), BOB)
    share(store, store.memory.entries(ANN)[3].id)
    store.memory.edit(store.memory.entries(ANN)[5].id, "I meant an antonym", ANN)
    store.ledger.wipe()
    found = {entry.id: entry for person in (ANN, BOB) for entry in store.memory.entries(person)}
    turns = {turn.id: turn for turn in store.turn_store.turns("c", ANN)}
    store.close()
    return Truth(folder, found, turns)


@pytest.fixture
def ledger(truth: Truth, tmp_path: Path) -> Path:
    return Path(shutil.copy(truth.folder / "ledger.db", tmp_path))


def test_a_flip_anywhere_serves_nothing_wrong_and_raises_nothing_strange(truth: Truth, tmp_path: Path) -> None:
    for number in range(FLIPS):
        flipped(truth, tmp_path, number)
        with suppress(StoreError):
            use(small_store(tmp_path), truth)


def test_an_index_is_made_of_what_is_whole_in_a_damaged_ledger(truth: Truth, tmp_path: Path) -> None:
    for number in range(INDEXED):
        flipped(truth, tmp_path, number)
        with suppress(StoreError):
            store = small_store(tmp_path)
            with suppress(NotedError):
                store.indexer.catch_up()
            use(store, truth)
        shutil.rmtree(tmp_path / "index", ignore_errors=True)


def flipped(truth: Truth, folder: Path, number: int) -> None:
    """The ledger with another value for one bit of a byte that is not zero: most others lie in room not in use."""
    for path in folder.glob("ledger.db*"):
        path.unlink()
    content = bytearray((truth.folder / "ledger.db").read_bytes())
    chance = random.Random(number)  # noqa: S311 - no secret, only the same numbers each time
    content[chance.choice([place for place, byte in enumerate(content) if byte])] ^= 1 << chance.randrange(8)
    (folder / "ledger.db").write_bytes(content)


def use(store: Store, truth: Truth) -> None:
    served = set()
    for entry in reading(store, truth):
        assert bare(entry) == bare(truth.entries[entry.id])
        served.add(entry.id)
    with suppress(NotedError):
        store.turn_store.turns("c", ANN)
    missing = truth.entries.keys() - served
    assert not missing or list(damage_in(store.ledger, lambda line: None)), missing
    for change in changes(store, truth):
        with suppress(NotedError):
            change()
    store.close()


def reading(store: Store, truth: Truth) -> Iterator[Entry]:
    """What each person gets by every door."""
    recall = recall_on(store, seconds=0)
    for person in (ANN, BOB):
        readable = {entry_id for entry_id, entry in truth.entries.items() if person.may_read(entry)}
        found: list[Entry] = []
        with suppress(NotedError):
            found += store.memory.entries(person)
        with suppress(NotedError):
            found += store.memory.entries_by_id(truth.entries, person).values()
        for entry_id in truth.entries:
            with suppress(NotedError):
                found.append(store.memory.entry(entry_id, person))
        for candidate in recall("question 3", person):
            assert candidate.key in candidate.entry.keys
            found.append(candidate.entry)
        with suppress(NotedError):
            assert {key.entry_id for key in keys_of(store, person)} <= readable
        assert {entry.id for entry in found} <= readable
        yield from found


def changes(store: Store, truth: Truth) -> list[Callable[[], object]]:
    """What people and the background may want to change next."""
    memory, ids = store.memory, list(truth.entries)
    return [
        lambda: memory.remember(clarification("a new question"), ANN),
        lambda: store.turn_store.record(Turn("new", "c", "ann", "q"), ANN),
        lambda: store.turn_store.mark(replace(truth.turns["turn 1"], confirmed=True), ANN),
        lambda: memory.edit(ids[2], "other words", ANN),
        lambda: memory.count(ids[4], "used", "t", ANN),
        lambda: memory.retract(ids[6], ANN),
        lambda: memory.forget(ids[8], ANN),
        store.key_work.wanting,
    ]


def bare(entry: Entry) -> Entry:
    """An entry without what is counted from events."""
    return replace(entry, used=0, helped=0, hurt=0, reactions=())


PAGES = ["entries", "sqlite_autoindex_entries_1", "sqlite_autoindex_entries_2", "entries_by_owner", "counters", "meta"]


@pytest.mark.parametrize("name", [*PAGES, "sqlite_autoindex_keys_1", "sqlite_autoindex_events_1", "forms_by_owner"])
def test_a_root_page_that_is_lost_is_a_plain_sentence_or_does_not_matter(
    truth: Truth, ledger: Path, tmp_path: Path, name: str
) -> None:
    ((page,),) = execute(ledger, "SELECT rootpage FROM sqlite_master WHERE name = ?", (name,))
    overwrite(ledger, page)
    try:
        store = small_store(tmp_path)
    except StoreError as error:
        sentence = str(error)
    else:
        found = store.verify(lambda line: None)
        sentence = str(found.ledger)
        assert not found.is_right
        use(store, truth)
    assert "memory restore" in sentence or "missing from index" in sentence


@pytest.mark.parametrize("text", ["I meant a synonym", "It is the same."])
def test_lost_page_is_reported(truth: Truth, ledger: Path, tmp_path: Path, text: str) -> None:
    page_with(ledger, text)
    store = small_store(tmp_path)
    with pytest.raises(StoreError, match="memory restore"):
        store.memory.entries(ANN), store.turn_store.turns("c", ANN)
    assert not store.verify(lambda line: None).is_right


def page_with(ledger: Path, text: str) -> None:
    """Overwrite the first page with a text."""
    ((page_size,),) = execute(ledger, "PRAGMA page_size")
    content = ledger.read_bytes()
    page = content.index(text.encode()) // page_size
    overwrite(ledger, page + 1)


def overwrite(ledger: Path, page: int) -> None:
    """Bytes that are no page in the place of one page of the file."""
    ((page_size,),) = execute(ledger, "PRAGMA page_size")
    content = bytearray(ledger.read_bytes())
    content[(page - 1) * page_size : page * page_size] = b"\xa5" * page_size
    ledger.write_bytes(content)
