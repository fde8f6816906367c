"""Unfinished uploads keep nobody out, and an import can be stopped, by its user or by forgetting everything."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from memory_store.store import Store
from tests.support.memory.services import services_on
from tests.support.memory.store import ANN, BOB, unrelated_clarification
from tests.support.people.visitors import visitor
from tests.support.threads import in_thread
from ui.page import teach
from ui.page.handlers import View
from ui.page.teach import ImportHandlers
from ui.streaming.runs import Runs

pytestmark = pytest.mark.promise("imports-let-others-in")


@pytest.fixture
def handlers(store: Store) -> ImportHandlers:
    runs = Runs(is_known=lambda scope: not scope.address)
    return ImportHandlers(services_on(store, runs=runs))


def export_of(store: Store, number: int) -> bytes:
    store.memory.remember_all([unrelated_clarification(str(place)) for place in range(number)], BOB)
    return "".join(store.export(BOB)).encode()


async def sent(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), 1_000):
        yield content[start : start + 1_000]


async def half_sent() -> AsyncIterator[bytes]:
    yield b"{"
    await asyncio.sleep(60)


async def last(updates: AsyncIterator[View]) -> View:
    return [update async for update in updates][-1]


@in_thread
async def test_half_sent_files_keep_nobody_out(
    store: Store, handlers: ImportHandlers, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = export_of(store, 3)
    others = [visitor(number, f"192.0.2.{number % 50}") for number in range(100)]
    waiting = [asyncio.create_task(last(handlers.take_in(half_sent(), other))) for other in others]
    done, _ = await asyncio.wait(waiting, timeout=0.1)
    assert all("no room" in str(task.result()["refused"]) for task in done)
    assert len(done) == 100 - 18
    assert (await last(handlers.take_in(sent(content), ANN)))["imported"]["new"] == {"entries": 3}
    for task in waiting:
        task.cancel()
    await asyncio.wait(waiting)
    monkeypatch.setattr(teach, "_SECONDS_FOR_A_FILE", 0.01)
    assert "incomplete" in str((await last(handlers.take_in(half_sent(), others[0])))["refused"])


@in_thread
async def test_import_is_stopped_and_continued(store: Store, handlers: ImportHandlers) -> None:
    content = export_of(store, 800)
    updates = handlers.take_in(sent(content), ANN)
    assert (await anext(updates))["taking"]["done"] == 0
    assert "being imported" in str((await last(handlers.take_in(sent(content), ANN)))["refused"])
    while not (await anext(updates))["taking"]["done"]:
        pass
    await updates.aclose()
    assert 0 < len(store.memory.entries(ANN, limit=1_000)) < 800
    assert not (await last(handlers.take_in(sent(content), ANN)))["stopped"]
    assert len(store.memory.entries(ANN, limit=1_000)) == 800


@in_thread
async def test_forgetting_everything_ends_the_import(store: Store, handlers: ImportHandlers) -> None:
    content = export_of(store, 400)
    updates = handlers.take_in(sent(content), ANN)
    await anext(updates)
    rest = asyncio.create_task(last(updates))
    await asyncio.sleep(0.05)
    await asyncio.to_thread(handlers.stop_all, ANN)
    await asyncio.to_thread(store.memory.forget_all, ANN)
    assert (await rest)["stopped"]
    assert store.memory.entries(ANN) == []
