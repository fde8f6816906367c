"""What an answer took of the model: told by its server or estimated, priced where it can be, and kept with the turn."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from assistant.errors import ModelUnavailable
from assistant.events import UnderstandingText
from assistant.model_usage import Meter, Usage
from assistant.models.remote.remote import RemoteModel
from assistant.types import Message, Role, TurnState
from memory_store.store import Store
from tests.support.memory.loop import ME, RIGHT, WRONG, Loop, reply
from tests.support.servers.chat_server import ChatServer, told
from tests.support.servers.scripted import Broken

PRICED = "openai/gpt-4o-mini"  # 0.15 dollars for a million tokens of a prompt, 0.60 for a million of a reply
QUESTION = (Message(Role.USER, "a" * 300),)
USAGE = Usage(800, 90, told=True, dollars=0.25)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(lambda _body: "b" * 60) as server:
        yield server


def taken(name: str, server: ChatServer) -> Usage | None:
    model, meter = RemoteModel(name, api_key="a-key", api_base=server.url), Meter()
    assert "".join(model.stream(QUESTION, meter))
    model.close()
    return meter.sum


def test_usage_is_told_or_estimated_and_priced(
    server: ChatServer,
) -> None:
    server.replies(told("An answer.", 2_000_000, 1_000_000))
    for usage, dollars in ((Usage(2_000_000, 1_000_000, told=True), 0.9), (Usage(100, 20, told=False), 0.000027)):
        priced = taken(PRICED, server)
        assert priced
        assert replace(priced, dollars=None) == usage
        assert priced.dollars == pytest.approx(dollars)
    unpriced = taken("openai/of-our-own", server)
    assert unpriced == Usage(100, 20, told=False)
    assert USAGE + unpriced == unpriced + USAGE == Usage(900, 110, told=False, dollars=None)


def test_turns_of_any_state_keep_their_usage(store: Store) -> None:
    broken = Broken("<understanding>", ModelUnavailable())
    loop = Loop(store, WRONG, WRONG, RIGHT, broken, reply("a synonym", "fast"))
    loop.model.usage = USAGE
    loop.ask("what is akin to quick ?")
    loop.ask("no, I meant a word with the same meaning")
    loop.ask("what is akin to brave ?")
    events = loop.assistant.ask("what is akin to calm ?", ME, "c")
    next(event for event in events if isinstance(event, UnderstandingText))
    events.close()  # type: ignore[attr-defined]
    turns = loop.assistant.turns("c", ME)
    answered, failed, stopped = TurnState.ANSWERED, TurnState.FAILED, TurnState.STOPPED
    assert [turn.state for turn in turns] == [answered, TurnState.CORRECTION, answered, failed, stopped]
    assert [turn.usage for turn in turns] == [USAGE] * 5
