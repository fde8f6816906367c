"""A large import holds the writer's lock only briefly: others can save meanwhile, and it can be stopped."""

import threading
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from assistant.errors import InputError
from assistant.reports.listing import EntryFilter
from assistant.types import Entry
from memory_store.store import Store
from tests.integration.transfer.test_taking_along import lines, live
from tests.support.memory.store import ANN, BOB, clarification, run_import, small_store, unrelated_clarification

pytestmark = pytest.mark.promise("imports-let-others-in")

ENTRIES = 300


def many(store: Store, number: int) -> list[bytes]:
    """Return the export of that many entries."""
    store.memory.remember_all([unrelated_clarification(f"{place}") for place in range(number)], ANN)
    return lines(store, ANN)


def said(entry: Entry) -> tuple[object, ...]:
    return entry.id, entry.question, entry.text, entry.status, entry.supersedes, entry.used, entry.helped, entry.hurt


def test_others_save_during_an_import(store: Store, elsewhere: Store) -> None:
    file = many(store, ENTRIES)
    over = threading.Event()
    waited: list[float] = []

    def save() -> None:
        while not over.wait(0.01):
            began = time.monotonic()
            elsewhere.memory.remember(clarification(f"question {len(waited)}"), BOB)
            waited.append(time.monotonic() - began)

    other = threading.Thread(target=save)
    steps = elsewhere.take_in(file, ANN)
    assert next(steps).done == 0
    other.start()
    done = [step.done for step in steps]
    over.set()
    other.join()
    assert done == sorted(set(done))
    assert len(waited) >= len(done) / 2
    assert max(waited) < 10
    assert elsewhere.memory.find(BOB, EntryFilter(""), 1).total == len(waited)


def test_stopped_import_can_be_continued(store: Store, elsewhere: Store, tmp_path: Path) -> None:
    steps = ["say", "ask", "say", "again", "edit", "name", "ask", "retract", "say", "again", "key", "edit", "ask"]
    live(store, [(step, f"text {place}", place) for place, step in enumerate(steps * 4)])
    file = lines(store, ANN)
    taking = elsewhere.take_in(file, ANN)
    for _ in range(10):
        next(taking, None)
    assert isinstance(taking, Generator)
    taking.close()
    run_import(elsewhere.take_in, file, ANN)
    at_once = small_store(tmp_path / "at once")
    run_import(at_once.take_in, file, ANN)
    assert [line.replace(b" ", b"") for line in lines(elsewhere, ANN)[1:]] == [
        line.replace(b" ", b"") for line in lines(at_once, ANN)[1:]
    ]
    assert list(map(said, elsewhere.memory.entries(ANN))) == list(map(said, store.memory.entries(ANN)))
    assert run_import(elsewhere.take_in, file, ANN).new == {}


def test_forgetting_everything_ends_the_import(store: Store, elsewhere: Store) -> None:
    steps = elsewhere.take_in(many(store, 300), ANN)
    while not next(steps).new:
        pass
    elsewhere.memory.forget_all(ANN)
    with pytest.raises(InputError, match="deleted the imported memories"):
        list(steps)
    assert elsewhere.memory.entries(ANN) == []
