"""Another embedder: the one before serves until all is read anew, and vectors of two are never compared."""

import re
import shutil
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import pytest

from assistant.memllm.sheet import Profile, Query
from assistant.sentences import Sentence
from assistant.types import Question
from memory_store.index.index import IndexUnavailable
from memory_store.index.switching import making
from memory_store.store import Store
from tests.support.damage.remains import remains
from tests.support.memory.store import ANN, unlike
from tests.support.memory.switching import (
    NAMES,
    SECONDS,
    Letters,
    assert_found_by_one,
    by,
    go_on,
    made,
    store_with,
    switch_until_killed,
    switched,
)
from tests.support.memory.triples import fact
from tests.support.servers.processes import FORKED

pytestmark = pytest.mark.promise("embedder-switch-resumes")

ENTRIES = 20
MOST_COMMANDS = 30
WHY = Sentence("embedder.none")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "_BATCH", 4)


def filled(folder: Path, embedder: Letters, entries: int = ENTRIES) -> None:
    """A memory whose index is that of an embedder."""
    folder.mkdir(exist_ok=True)
    store = store_with(folder, embedder)
    for number in range(entries):
        store.memory.remember(unlike(str(number)), ANN)
    store.indexer.catch_up()
    store.close()


def tables(folder: Path) -> int:
    return len(list((folder / "index").glob("*.lance")))


@pytest.mark.parametrize("name", ["same", "wide"])
def test_the_one_before_serves_and_follows_until_all_is_read_anew(tmp_path: Path, name: str) -> None:
    one, another = made("one"), made(name)
    filled(tmp_path, one)
    store = store_with(tmp_path, another, one)
    another.may_go_on.clear()
    store.start()
    for number in ("3", "new"):
        if number == "new":
            store.memory.remember(unlike(number), ANN)
        assert assert_found_by_one(store, unlike(number).question, ANN, [one, another]) == "one"
        assert unlike(number).text in {each.entry.text for each in store.recall(Question(unlike(number).question), ANN)}
    assert store.embedder_note(WHY).parameters["model"] == name
    assert re.search(rf"anew by {name}: 0 of 2[01]\.$", str(store.embedder_note(WHY)))
    another.may_go_on.set()
    switched(store)
    for number in ("3", "new"):
        assert assert_found_by_one(store, unlike(number).question, ANN, [one, another]) == name
    assert store.embedder_note(WHY) == WHY


def test_two_embedders_do_find_different_things() -> None:
    """Else none of these tests would say anything."""
    texts = ["what is akin to quick?", "what is akin to slow?"]
    one, same = (made(name).encode(texts) for name in ("one", "same"))
    assert one.shape == same.shape
    assert abs(float(one[0] @ one[1]) - float(one[0] @ same[1])) > 0.05
    assert float(one[0] @ same[0]) < 0.9


def test_a_command_neither_makes_a_large_index_nor_embeds_more_than_its_question(tmp_path: Path) -> None:
    one, another = made("one"), made("wide")
    filled(tmp_path, one)
    store = store_with(tmp_path, another, one)
    assert assert_found_by_one(store, unlike("3").question, ANN, [one, another]) == "one"
    store.memory.remember(unlike("new"), ANN)
    assert assert_found_by_one(store, unlike("new").question, ANN, [one, another]) == "one"
    assert another.seen == []
    store.indexer.rebuild()
    assert assert_found_by_one(store, unlike("new").question, ANN, [one, another]) == "wide"


def test_without_the_one_before_a_command_makes_what_its_time_allows_and_the_next_goes_on(tmp_path: Path) -> None:
    filled(tmp_path, made("one"))
    texts = 0
    for _ in range(MOST_COMMANDS):
        slow = Letters("wide", 24, seconds=0.01)
        store = store_with(tmp_path, slow)
        began = time.monotonic()
        is_current = wait(store, 0.3)
        assert time.monotonic() - began < 5
        texts += len(slow.seen)
        if is_current:
            break
        store.close()
    assert texts == 2 * ENTRIES
    assert assert_found_by_one(store, unlike("3").question, ANN, [slow]) == "wide"


def test_without_the_one_before_nobody_waits_for_a_large_index(tmp_path: Path) -> None:
    filled(tmp_path, made("one"))
    slow = Letters("wide", 24)
    store = store_with(tmp_path, slow)
    slow.may_go_on.clear()
    store.start()
    wait_for_table(tmp_path)
    for _ in range(2):
        began = time.monotonic()
        assert not store.indexer.wait_until_current(SECONDS)
        assert time.monotonic() - began < 5
    slow.may_go_on.set()
    switched(store)
    assert assert_found_by_one(store, unlike("3").question, ANN, [slow]) == "wide"


def wait(store: Store, seconds: float) -> bool:
    try:
        return store.indexer.wait_until_current(seconds)
    except IndexUnavailable:
        return False


def test_an_embedder_that_fails_lets_the_one_before_serve_on(
    tmp_path: Path, soon_tried_again: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, another = made("one"), made("same")
    filled(tmp_path, one)
    store = store_with(tmp_path, another, one)
    broken = threading.Event()

    def encode(texts: object) -> object:
        broken.set()
        raise RuntimeError("It is down.")

    with monkeypatch.context() as patch:
        patch.setattr(another, "encode", encode)
        store.start()
        assert broken.wait(SECONDS)
        assert assert_found_by_one(store, unlike("3").question, ANN, [one]) == "one"
    switched(store)
    assert assert_found_by_one(store, unlike("3").question, ANN, [one, another]) == "same"
    assert store.index.without_vector() == []


@pytest.mark.promise("embedder-switch-forgets")
@pytest.mark.parametrize("steps", [0, 2, 4])
def test_what_is_erased_during_a_switch_is_in_no_table(tmp_path: Path, steps: int) -> None:
    one, another = made("one"), made("same")
    filled(tmp_path, one)
    store = store_with(tmp_path, another, one)
    store.indexer.catch_up()
    for _ in range(steps):
        go_on(store)
    gone = [entry for entry in store.memory.entries(ANN) if entry.text in {unlike("0").text, unlike("19").text}]
    parts = [part for entry in gone for part in (entry.text, entry.question, entry.id)]
    for entry in gone:
        assert store.memory.forget(entry.id, ANN).is_complete
    assert tables(tmp_path) == 1 + (steps > 0)
    assert remains(tmp_path / "index", parts) == []
    while not go_on(store):
        pass
    assert_found_by_one(store, unlike("3").question, ANN, [another])
    assert len(store.memory.entries(ANN)) == ENTRIES - 2
    assert remains(tmp_path / "index", parts) == []


@pytest.mark.promise("embedder-switch-forgets")
def test_what_is_erased_while_it_is_embedded_does_not_come_back(tmp_path: Path) -> None:
    one, another = made("one"), made("same")
    filled(tmp_path, one)
    store = store_with(tmp_path, another, one)
    another.may_go_on.clear()
    store.start()
    entry = next(entry for entry in store.memory.entries(ANN) if entry.text == unlike("0").text)
    assert_found_by_one(store, unlike("3").question, ANN, [one])
    wait_for_table(tmp_path)
    assert store.memory.forget(entry.id, ANN).is_complete
    another.may_go_on.set()
    switched(store)
    assert remains(tmp_path / "index", [entry.text, entry.question, entry.id]) == []


def wait_for_table(folder: Path) -> None:
    deadline = time.monotonic() + SECONDS
    while tables(folder) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    time.sleep(0.2)  # so that the first batch is with the embedder


def test_two_with_different_settings_leave_each_other_theirs_and_a_day_later_it_goes(tmp_path: Path) -> None:
    now = datetime(2030, 1, 1, tzinfo=UTC)
    for round_ in range(3):
        for name in NAMES:
            embedder = made(name)
            store = store_with(tmp_path, embedder, clock=lambda: now)
            store.memory.remember(unlike(f"{round_} {name}"), ANN)
            store.indexer.catch_up()
            texts = {key.text for key in store.memory.keys(ANN)}
            assert len(embedder.seen) <= (6 if round_ else len(texts))
            assert_found_by_one(store, unlike(f"{round_} {name}").question, ANN, [embedder])
            store.close()
    assert tables(tmp_path) == 3
    now += timedelta(days=2)
    store = store_with(tmp_path, made("one"), clock=lambda: now)
    store.indexer.catch_up()
    assert tables(tmp_path) == 1


def test_names_in_facts_are_compared_by_one_embedder_too(tmp_path: Path) -> None:
    one, another = made("one"), made("same")
    another.profile = Profile(1.0, 1.0, 1.0)
    store = store_with(tmp_path, one)
    store.memory.remember(fact("Dana works in Pune", "Dana | works in | Pune"), ANN)
    store.indexer.catch_up()
    store.close()
    store = store_with(tmp_path, another, one)
    store.indexer.catch_up()
    index, vectors = store.recall.space()
    assert (index is store.index, vectors._embedder) == (False, one)
    asked = Query("Dana", "works at", "")  # near enough by the profile of the one, and not by that of the other
    assert store.sheet.read(asked, ANN).rows
    while not go_on(store):
        pass
    index, vectors = store.recall.space()
    assert (index is store.index, vectors._embedder) == (True, another)
    assert not store.sheet.read(asked, ANN).rows


def test_killed_at_any_step_of_a_switch_it_goes_on(tmp_path: Path) -> None:
    """Each time the same home, and a process that is killed some steps later than the last, until one is not."""
    filled(tmp_path / "filled", made("one"))
    again, moments = 0, range(0, 1_000, 6)
    for moment in moments:
        folder = shutil.copytree(tmp_path / "filled", tmp_path / str(moment))
        process = FORKED.Process(target=switch_until_killed, args=(folder, moment))
        process.start()
        process.join(SECONDS)
        assert process.exitcode in {0, -9}
        one, another = made("one"), made("same")
        store = store_with(folder, another, one)
        place = store.indexer._own.partial().place()
        store.indexer.catch_up()
        while not go_on(store):
            assert assert_found_by_one(store, unlike("3").question, ANN, [one]) == "one"
        texts = store.memory.keys(ANN)
        if place is not None:  # what was read is not embedded again, but for the one that was saved meanwhile
            again = max(again, len(another.seen) - len(texts) + 2 * place.read)
            assert again <= 2
        assert assert_found_by_one(store, unlike("3").question, ANN, [another]) == "same"
        assert store.indexer.verify(lambda _line: None) == ([], True)
        store.close()
        if process.exitcode == 0:
            break
    print(f"Killed at each of {moment // moments.step} moments; at most {again} texts were embedded again.")
    assert moment >= 18


@pytest.mark.parametrize("entries", [200])
def test_a_question_takes_its_usual_processor_during_a_switch(
    tmp_path: Path, entries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "_BATCH", 64)
    one, another = made("one"), made("same")
    filled(tmp_path, one, entries)
    store = store_with(tmp_path, one)
    store.start()
    asked(store, "one")  # what is read once is not what a question takes
    before = asked(store, "one")
    store.close()
    store = store_with(tmp_path, another, one)
    another.may_go_on.clear()
    store.start()
    asked(store, "one")
    another.may_go_on.set()
    during = asked(store, "one")
    switched(store)
    after = asked(store, "same")
    assert during[0] < 2 * max(before[0], after[0])
    said = ", ".join(
        f"{when} {cpu:.1f} ms ({seconds:.1f} ms at most)"
        for when, (cpu, seconds) in {"before": before, "during": during, "after": after}.items()
    )
    print(f"A question among {entries:,} memories: {said}.")


def asked(store: Store, name: str) -> tuple[float, float]:
    """The median of the processor time of a question, and the longest wait, in milliseconds; all are found by one."""
    processor, longest = [], 0.0
    for number in range(30):
        question, began, used = Question(unlike(str(number)).question), time.perf_counter(), time.thread_time()
        found = store.recall(question, ANN)
        processor.append(time.thread_time() - used)
        longest = max(longest, time.perf_counter() - began) if number else 0.0
        assert unlike(str(number)).text in {each.entry.text for each in found}
        if by(found, store) != name:
            assert number > 5
            break
    return 1000 * median(processor), 1000 * longest
