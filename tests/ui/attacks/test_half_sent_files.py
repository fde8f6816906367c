"""Files that stop coming keep nobody out, and a large one keeps nobody waiting: not even the one who brings it in."""

from __future__ import annotations

import base64
import time
from pathlib import Path
from typing import Any

import pytest

from assistant.limits import DEFAULT_LIMITS
from assistant.types import Scope
from memory_store.store import Store
from tests.support.memory.store import ANN, BOB, small_store, unlike
from ui.page.memory.importing import PIECE, ImportHandlers
from ui.page.memory.uploads import MOST_AT_ONCE, MOST_OF_ONE

HERE = "203.0.113.1"
FIRST = {"place": 0, "last": False, "bytes": "AAAA"}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return small_store(tmp_path / "one")


def pieces(content: bytes) -> list[dict[str, Any]]:
    parts = [content[start : start + PIECE] for start in range(0, len(content), PIECE)]
    last = len(parts) - 1
    encoded = [base64.b64encode(part).decode() for part in parts]
    return [{"place": place, "last": place == last, "bytes": part} for place, part in enumerate(encoded)]


def send(handlers: ImportHandlers, content: bytes, scope: Scope, page: str = "page") -> dict[str, Any]:
    told: dict[str, Any] = {}
    for piece in pieces(content):
        told = handlers.piece(piece, scope, page)
    return told


def waited_for(handlers: ImportHandlers, scope: Scope, page: str = "page") -> dict[str, Any]:
    told = handlers.taking({}, scope, page)
    while "taking" in told:
        time.sleep(0.02)
        told = handlers.taking({}, scope, page)
    return told


def export_of(store: Store, number: int) -> bytes:
    store.memory.remember_all([unlike(str(place)) for place in range(number)], BOB)
    return "".join(store.export(BOB)).encode()


def test_half_sent_files_keep_nobody_out(store: Store) -> None:
    handlers = ImportHandlers(store.importing(DEFAULT_LIMITS))
    content = export_of(store, 3)
    for number in range(2 * MOST_AT_ONCE):
        assert handlers.piece(FIRST, Scope(f"visitor:{number}", f"192.0.2.{number}"), "page") == {"received": 1}
    send(handlers, content, ANN)
    assert waited_for(handlers, ANN)["imported"]["new"] == {"entries": 3}


def test_one_address_takes_no_room_from_others(store: Store) -> None:
    handlers = ImportHandlers(store.importing(DEFAULT_LIMITS))
    assert handlers.piece(FIRST, ANN, "page") == {"received": 1}
    for number in range(2 * MOST_AT_ONCE):
        assert handlers.piece(FIRST, Scope(f"visitor:{number}", HERE), "page") == {"received": 1}
    assert handlers.piece(FIRST | {"place": 1}, ANN, "page") == {"received": 2}
    kept = range(2 * MOST_AT_ONCE - MOST_OF_ONE, 2 * MOST_AT_ONCE)
    for number in range(2 * MOST_AT_ONCE):
        told = handlers.piece(FIRST | {"place": 1}, Scope(f"visitor:{number}", HERE), "page")
        assert ("received" in told) == (number in kept)


def test_the_last_piece_is_answered_at_once_and_the_import_can_be_stopped(store: Store) -> None:
    handlers = ImportHandlers(store.importing(DEFAULT_LIMITS))
    content = export_of(store, 800)
    assert send(handlers, content, ANN)["taking"]["done"] == 0
    assert "being taken in just now" in str(send(handlers, content, ANN, "another page")["refused"])
    while not handlers.taking({}, ANN, "page")["taking"]["done"]:
        time.sleep(0.01)
    handlers.stop_taking({}, ANN, "page")
    told = waited_for(handlers, ANN)
    assert told["stopped"]
    came = len(store.memory.entries(ANN, limit=1_000))
    assert 0 < came == told["imported"]["new"]["entries"] < 800
    send(handlers, content, ANN)
    assert waited_for(handlers, ANN)["imported"]["new"]["entries"] == 800 - came
    assert "did not come in whole" in str(handlers.taking({}, BOB, "page")["refused"])


def test_nothing_comes_in_after_everything_was_forgotten(store: Store) -> None:
    handlers = ImportHandlers(store.importing(DEFAULT_LIMITS))
    send(handlers, export_of(store, 400), ANN)
    handlers.stop_all(ANN)
    store.memory.forget_all(ANN)
    assert waited_for(handlers, ANN)["stopped"]
    time.sleep(0.2)
    assert store.memory.entries(ANN) == []
