"""Unfinished uploads keep nobody out, and a large import delays nobody, not even its own user."""

import time
from collections.abc import Iterator
from unittest.mock import Mock

import pytest

from assistant.reports.upkeep import Imported
from memory_store.store import Store
from tests.support.memory.keys import wait_until
from tests.support.memory.services import services_on
from tests.support.memory.store import ANN, BOB, unrelated_clarification
from tests.support.people.imports import FIRST, import_file, send, wait_for_import
from tests.support.people.visitors import visitor
from ui.page.teach.importing import ImportHandlers
from ui.page.teach.uploads import MOST_AT_ONCE, MOST_OF_ONE
from ui.server.services import Upkeep

pytestmark = pytest.mark.promise("imports-let-others-in")


@pytest.fixture
def handlers(store: Store) -> ImportHandlers:
    return ImportHandlers(services_on(store))


def export_of(store: Store, number: int) -> bytes:
    store.memory.remember_all([unrelated_clarification(str(place)) for place in range(number)], BOB)
    return "".join(store.export(BOB)).encode()


def test_half_sent_files_keep_nobody_out(store: Store, handlers: ImportHandlers) -> None:
    content = export_of(store, 3)
    for number in range(2 * MOST_AT_ONCE):
        assert handlers.piece(FIRST, visitor(number, f"192.0.2.{number}"), "page") == {"received": 1}
    assert import_file(handlers, content, ANN)["imported"]["new"] == {"entries": 3}


def test_one_address_takes_no_room_from_others(handlers: ImportHandlers) -> None:
    assert handlers.piece(FIRST, ANN, "page") == {"received": 1}
    for number in range(2 * MOST_AT_ONCE):
        assert handlers.piece(FIRST, visitor(number), "page") == {"received": 1}
    assert handlers.piece(FIRST | {"place": 1}, ANN, "page") == {"received": 2}
    kept = range(2 * MOST_AT_ONCE - MOST_OF_ONE, 2 * MOST_AT_ONCE)
    for number in range(2 * MOST_AT_ONCE):
        told = handlers.piece(FIRST | {"place": 1}, visitor(number), "page")
        assert ("received" in told) == (number in kept)


def test_import_is_answered_at_once_and_stopped(store: Store, handlers: ImportHandlers) -> None:
    content = export_of(store, 800)
    assert send(handlers, content, ANN)["taking"]["done"] == 0
    assert "being imported" in str(send(handlers, content, ANN, "another page")["refused"])
    while not handlers.taking({}, ANN, "page")["taking"]["done"]:
        time.sleep(0.01)
    handlers.stop_taking({}, ANN, "page")
    told = wait_for_import(handlers, ANN)
    assert told["stopped"]
    came = len(store.memory.entries(ANN, limit=1_000))
    assert 0 < came == told["imported"]["new"]["entries"] < 800
    assert import_file(handlers, content, ANN)["imported"]["new"]["entries"] == 800 - came
    assert "upload was incomplete" in str(handlers.taking({}, BOB, "page")["refused"])


def test_forgetting_everything_ends_the_import(store: Store, handlers: ImportHandlers) -> None:
    send(handlers, export_of(store, 400), ANN)
    handlers.stop_all(ANN)
    store.memory.forget_all(ANN)
    assert wait_for_import(handlers, ANN)["stopped"]
    time.sleep(0.2)
    assert store.memory.entries(ANN) == []


def test_import_ends_when_nobody_asks_for_it(store: Store) -> None:
    now = [0.0]

    def endless(_lines: object, _scope: object) -> Iterator[Imported]:
        while True:
            now[0] += 1.0
            yield Imported({}, {}, done=1, of=2)

    upkeep = Upkeep(Mock(), Mock(), endless, Mock())
    handlers = ImportHandlers(services_on(store, upkeep=upkeep), now=lambda: now[0])
    handlers.piece(FIRST | {"last": True}, ANN, "page")
    wait_until(lambda: not handlers._running(ANN))
    assert handlers.taking({}, ANN, "page")["stopped"]
