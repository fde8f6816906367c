"""The ledger's file damaged, bit by bit and page by page: nothing wrong is ever served, and what is whole still is."""

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
from memory_store.custody.verifying import damage_in
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
        store.journal.record(turn, ANN)
        store.memory.count(entry.id, "helped", turn.id, ANN)
    store.memory.remember(clarification("what nobody else may see"), BOB)
    share(store, store.memory.entries(ANN)[3].id)
    store.memory.edit(store.memory.entries(ANN)[5].id, "I meant an antonym", ANN)
    store.ledger.wipe()
    found = {entry.id: entry for person in (ANN, BOB) for entry in store.memory.entries(person)}
    turns = {turn.id: turn for turn in store.journal.turns("c", ANN)}
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
        for turn in store.journal.turns("c", ANN):
            whole = truth.turns[turn.id]
            assert replace(turn, decisions=()) == replace(whole, decisions=())
            assert [told(decision) for decision in turn.decisions] in ([], [told(each) for each in whole.decisions])
            served.add(turn.id)
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
        lambda: store.journal.record(Turn("new", "c", "ann", "q"), ANN),
        lambda: store.journal.mark(replace(truth.turns["turn 1"], confirmed=True), ANN),
        lambda: memory.edit(ids[2], "other words", ANN),
        lambda: memory.count(ids[4], "used", "t", ANN),
        lambda: memory.retract(ids[6], ANN),
        lambda: memory.forget(ids[8], ANN),
        store.key_work.wanting,
    ]


def bare(entry: Entry) -> Entry:
    """An entry without what is counted from events."""
    return replace(entry, used=0, helped=0, hurt=0, reactions=())


def told(decision: Decision) -> Decision:
    return replace(decision, candidate=replace(decision.candidate, entry=bare(decision.entry)))


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


def test_entries_on_other_pages_are_still_read(truth: Truth, ledger: Path, tmp_path: Path) -> None:
    page = page_with(ledger, "I meant a synonym")
    lost = {entry.id for entry in truth.entries.values() if entry.id.encode() in page}
    store = small_store(tmp_path)
    own = {entry.id for entry in truth.entries.values() if entry.owner == "ann"}
    found = store.memory.entries(ANN)
    assert {entry.id for entry in found} == own - lost
    assert [entry.sequence for entry in found] == sorted((entry.sequence for entry in found), reverse=True)
    assert {entry.id for entry in store.memory.entries(ANN, limit=3, offset=2)} <= own - lost
    assert store.memory.entries_by_id(truth.entries, ANN).keys() >= own - lost
    for entry_id in lost & own:
        with pytest.raises(StoreError, match=r"memory verify.* memory restore"):
            store.memory.entry(entry_id, ANN)
    assert lost
    assert lost <= {damage.id for damage in store.verify(lambda line: None).ledger}


def test_turns_are_read_without_decisions_that_are_lost(truth: Truth, ledger: Path, tmp_path: Path) -> None:
    page_with(ledger, "It is the same.")
    store = small_store(tmp_path)
    turns = store.journal.turns("c", ANN)
    assert [turn.question for turn in turns] == [turn.question for turn in truth.turns.values()]
    assert {len(turn.decisions) for turn in turns} == {0, 1}
    assert not store.verify(lambda line: None).is_right


def test_entries_are_read_where_it_is_lost_how_often_they_helped(truth: Truth, ledger: Path, tmp_path: Path) -> None:
    page_with(ledger, "helped")
    store = small_store(tmp_path)
    assert [bare(entry) for entry in store.memory.entries(ANN)] == [
        bare(entry) for entry in truth.entries.values() if entry.owner == "ann"
    ]
    assert 0 in {entry.helped for entry in store.memory.entries(ANN)}
    assert not store.verify(lambda line: None).is_right


def page_with(ledger: Path, text: str) -> bytes:
    """Overwrite the first page with a text; what stood on it."""
    ((page_size,),) = execute(ledger, "PRAGMA page_size")
    content = ledger.read_bytes()
    page = content.index(text.encode()) // page_size
    overwrite(ledger, page + 1)
    return content[page * page_size : (page + 1) * page_size]


def overwrite(ledger: Path, page: int) -> None:
    """Bytes that are no page in the place of one page of the file."""
    ((page_size,),) = execute(ledger, "PRAGMA page_size")
    content = bytearray(ledger.read_bytes())
    content[(page - 1) * page_size : page * page_size] = b"\xa5" * page_size
    ledger.write_bytes(content)
