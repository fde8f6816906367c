"""A large import holds the writer's lock only briefly: others can save meanwhile, and it can be stopped."""

from collections.abc import Generator
from pathlib import Path

import pytest

from assistant.errors import InputError
from assistant.reports.listing import EntryFilter
from memory_store.store import Store
from tests.integration.transfer.test_taking_along import lines, live
from tests.support.memory.store import ANN, BOB, clarification, run_import, small_store, unrelated_clarification

pytestmark = pytest.mark.promise("imports-let-others-in")


def many(store: Store) -> list[bytes]:
    """Return the export of many entries."""
    store.memory.remember_all([unrelated_clarification(f"{place}") for place in range(300)], ANN)
    return lines(store, ANN)


def test_others_save_during_an_import(store: Store, elsewhere: Store) -> None:
    done = list[int]()
    for step in elsewhere.take_in(many(store), ANN):  # holds no lock between two steps
        elsewhere.memory.remember(clarification(f"question {len(done)}"), BOB)
        done.append(step.done)
    assert done == sorted(set(done))
    assert len(done) > 3
    assert elsewhere.memory.find(BOB, EntryFilter(""), 1).total == len(done)


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
    assert lines(elsewhere, ANN)[1:] == lines(at_once, ANN)[1:]
    assert run_import(elsewhere.take_in, file, ANN).new == {}


def test_forgetting_everything_ends_the_import(store: Store, elsewhere: Store) -> None:
    steps = elsewhere.take_in(many(store), ANN)
    while not next(steps).new:
        pass
    elsewhere.memory.forget_all(ANN)
    with pytest.raises(InputError, match="deleted the imported memories"):
        list(steps)
    assert elsewhere.memory.entries(ANN) == []
