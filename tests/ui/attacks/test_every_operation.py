"""Every event and operation passes rate limits and admission control; the list is read from the page."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from assistant.limits import UNLIMITED
from tests.support.people.page_client import PageClient, address_of
from tests.support.people.visitors import visitor
from tests.support.threads import in_thread
from tests.ui.conftest import serving
from ui.page.page import PageApp
from ui.server import rate_limit
from ui.server.fair_queue import WorkPool
from ui.server.request_policy import IMPORT
from ui.streaming.runs import Runs

pytestmark = pytest.mark.promise("operations-are-counted", "fair-queue", "calls-take-places")

# Events that stop something, or return nothing of a user, are never refused.
FREE = {"conversation.stop", "header.look"}
# Events that call a model: explicit, so that a test fails when one takes no place any more.
IN_PLACES = {
    "conversation.act", "conversation.ask", "conversation.clarify", "conversation.edit_question",
    "conversation.retry", "header.list_models", "header.use", "learn.read", "practice.practise", "study.make",
    "study.plan", "teach.tell",
}  # fmt: skip


def test_every_event_of_the_page_is_counted(
    tmp_path: Path, built_page: PageApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = set(map(".".join, built_page.names))
    with serving(tmp_path, {}) as (url, services), closing(PageClient(url).open()) as page:
        told = {"text": "Dana slept.", "answers": "", "question": "Who?", "conversation": page.conversation, "run": "r"}

        def refused(sentence: str) -> set[str]:
            """Return the events that are refused with this sentence."""
            answers = {name: page.http.post(address_of(name), json=page.body(told)).text for name in sorted(names)}
            return {name for name, answer in answers.items() if sentence in answer}

        page.do("sheet.look", {})
        with monkeypatch.context() as context:
            context.setattr(services.runs, "most", 0)
            assert refused("Too many people") == IN_PLACES
        monkeypatch.setattr(rate_limit, "_REQUESTS", 0)
        assert refused("a minute") == names - FREE
        assert "a minute" in page.http.post(IMPORT, content=b"", headers={"content-type": "application/jsonl"}).text


@in_thread
async def test_few_requests_wait_for_no_flood() -> None:
    work, go_on, begun = WorkPool(Runs(), UNLIMITED), threading.Event(), threading.Semaphore(0)
    done: list[int] = []

    def listing(number: int) -> Callable[..., None]:
        def job(_is_left: object) -> None:
            begun.release()
            go_on.wait(60)
            done.append(number)

        return job

    flood = [asyncio.create_task(work.do(listing(number), visitor(0))) for number in range(60)]
    for _ in range(12):  # the places of one person
        await asyncio.to_thread(begun.acquire, timeout=60)
    assert await work.do(lambda _is_left: "shown", visitor(1, "203.0.113.2")) == "shown"
    assert done == []
    assert not begun.acquire(blocking=False)
    go_on.set()
    await asyncio.gather(*flood)
    assert sorted(done) == list(range(60))


@in_thread
async def test_work_ends_and_keeps_its_place_when_left() -> None:
    runs = Runs(most=4)
    work, begun, ended = WorkPool(runs, UNLIMITED), threading.Event(), threading.Event()

    def job(is_left: Callable[[], bool]) -> None:
        begun.set()
        while not is_left():
            ended.wait(0.01)
        ended.set()

    calling = asyncio.create_task(work.do(job, visitor(0), asks_model=True))
    await asyncio.to_thread(begun.wait, 60)
    assert len(runs._going) == 1
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert await asyncio.to_thread(ended.wait, 60)
    while runs._going:
        await asyncio.sleep(0)
