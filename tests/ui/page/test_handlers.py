"""Handlers of the conversation, on a real store and a scripted model."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

import pytest

from assistant.model_usage import Count, ignore_usage
from assistant.types import Message
from memory_store.store import Store
from tests.support.memory.loop import ME, OTHER, Loop
from tests.support.memory.services import services_on
from tests.support.servers.scripted import ScriptedModel
from tests.support.threads import drain, in_thread
from ui.page.conversation import ConversationHandlers
from ui.page.handlers import View
from ui.streaming.runs import StillAnswering

pytestmark = pytest.mark.promise("limits-are-sentences")

PAGE = "page"
RIGHT = "<understanding>a synonym</understanding>\n<answer>fast</answer>"

Chat = Callable[..., ConversationHandlers]


@pytest.fixture
def chat(store: Store) -> Chat:
    def on(model: Any) -> ConversationHandlers:
        assistant = Loop(store).assistant.with_parts(model=model)
        return ConversationHandlers(services_on(store, assistant))

    return on


def last(updates: AsyncIterator[View]) -> View:
    return drain(updates)[-1]


class Waiting:
    """Model that begins a reply, then waits until its stream is closed or it is released."""

    name, window, writes_keys = "waiting", 8192, False

    def __init__(self) -> None:
        self.said, self.go_on, self.closed = threading.Event(), threading.Event(), threading.Event()

    def stream(self, messages: Sequence[Message], count: Count = ignore_usage) -> Iterator[str]:
        try:
            yield "<understanding>a synonym</understanding>\n<answer>fa"
            self.said.set()
            self.go_on.wait()
            yield "st</answer>"
        finally:
            self.closed.set()


@in_thread
async def test_stop_ends_the_run_and_closes_the_model(chat: Chat) -> None:
    model = Waiting()
    handlers = chat(model)
    updates = handlers.ask({"question": "What is akin?", "conversation": "c4", "run": "r1"}, ME, PAGE)
    while not (shown := (await anext(updates))["turns"]) or not shown[0]["answer"]:
        pass
    handlers.stop({"run": "r1"}, OTHER)
    handlers.stop({}, ME)
    handlers.stop({"run": "r0"}, ME)  # a finished run
    refused = (await _all(handlers.ask({"question": "one more", "conversation": "c4"}, ME, PAGE)))[-1]
    assert refused["refused"] == StillAnswering().sentence
    handlers.stop({"run": "r1"}, ME)
    (turn,) = (await _all(updates))[-1]["turns"]
    assert (turn["state"], turn["answer"]) == ("stopped", "<p>fa</p>\n")
    model.go_on.set()
    assert model.closed.wait(10)


def test_what_is_stopped_before_it_begins_never_begins(chat: Chat) -> None:
    model = ScriptedModel([RIGHT])
    handlers = chat(model)
    data = {"question": "What is akin?", "conversation": "c13", "run": "r1"}
    handlers.stop(data, ME)
    update = last(handlers.ask(data, ME, PAGE))
    assert (update["turns"], update["done"], update["refused"]) == ([], True, "")
    assert (model.asked, handlers.go_on(data, ME)["turns"]) == ([], [])
    assert last(handlers.ask(data, OTHER, PAGE))["turns"]


@pytest.mark.parametrize(("text", "sentence"), [
    ("", "Write something first."), ("\u200b", "Write something first."),
    ("a" * 1_000_000, "This is 1,000,000 characters long. Shorten it to 8,000."),
    (7, "This was not understood (question: Input should be a valid string)."),
])  # fmt: skip
def test_a_text_that_cannot_be_used_is_refused_in_one_sentence(chat: Chat, text: object, sentence: str) -> None:
    update = last(chat(ScriptedModel()).ask({"question": text, "conversation": "c6", "run": "r"}, ME, PAGE))
    assert str(update.pop("refused")) == sentence
    assert update == {"turns": [], "done": True}


@in_thread
async def test_stopped_run_is_waited_for(chat: Chat) -> None:
    handlers = chat(ScriptedModel([RIGHT, RIGHT]))
    first = handlers.ask({"question": "What is akin?", "conversation": "c10", "run": "r1"}, ME, PAGE)
    await anext(first)
    handlers.stop({"run": "r1"}, ME)
    second = handlers.ask({"question": "And to that?", "conversation": "c10", "run": "r2"}, ME, PAGE)
    updates, _ = await asyncio.gather(_all(second), first.aclose())
    assert updates[-1]["refused"] == ""


@pytest.mark.promise("no-access-across-people", "answers-survive-reload")
@in_thread
async def test_reloaded_page_goes_on_and_nobody_else_does(chat: Chat) -> None:
    model = Waiting()
    handlers = chat(model)
    data = {"question": "What is akin?", "conversation": "c12", "run": "r1"}
    first = handlers.ask(data, ME, PAGE)
    while not (shown := (await anext(first))["turns"]) or not shown[0]["answer"]:
        pass
    await first.aclose()
    opened = await asyncio.to_thread(handlers.go_on, data, ME)
    (turn,) = opened["turns"]
    assert (opened["following"], turn["state"], turn["answer"]) == ("r1", "running", "<p>fa</p>\n")
    assert "following" not in handlers.go_on(data, OTHER)
    second = handlers.follow(data, ME, "another page")
    assert (await anext(second))["turns"][0]["answer"] == "<p>fa</p>\n"
    model.go_on.set()
    assert [view["turns"] for view in await _all(handlers.follow(data, OTHER, PAGE))] == [[]]
    followed = (await _all(second))[-1]["turns"]
    assert [turn["answer"] for turn in followed] == ["<p>fast</p>\n"]
    assert [view["turns"] for view in await _all(handlers.follow(data, ME, PAGE))] == [followed]


async def _all(updates: AsyncIterator[View]) -> list[View]:
    return [update async for update in updates]
