"""The whole loop over HTTP: the composition of `app.py`, LiteLLM, and a server that speaks the OpenAI protocol."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from app import compose
from assistant import Scope, Settings
from assistant.events import Event, Finished, Noted
from assistant.types import ReplyStatus, Turn, TurnState
from tests.support import faults
from tests.support.chat_server import ChatServer
from tests.support.faults import Fault
from ui.services import Services

ME = Scope("me")
WRONG = '<understanding>You want a word that sounds like "quick".</understanding>\n<answer>kwik</answer>'
RIGHT = '<understanding>You want a word that means the same as "quick".</understanding>\n<answer>fast</answer>'
OTHER = '<notes>none</notes>\n<understanding>You want a synonym of "big".</understanding>\n<answer>large</answer>'
HALF = "<understanding>You want a word</understanding>\n<answer>fas"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


@pytest.fixture
def services(server: ChatServer, tmp_path: Path) -> Iterator[Services]:
    environment = {
        "NOTED_HOME": str(tmp_path),
        "NOTED_MODEL": "openai/scripted",
        "NOTED_API_BASE": server.url,
        "NOTED_EMBEDDER": "none",
        "NOTED_FIRST_TOKEN_SECONDS": "8",
        "NOTED_READ_SECONDS": "3",
    }
    services = compose(Settings.load(environment))
    yield services
    services.close()


def last(events: Iterable[Event]) -> Turn:
    return [event.turn for event in events if isinstance(event, Finished)][-1]


def test_the_conversation_over_http(services: Services, server: ChatServer) -> None:
    assistant = services.assistant
    server.replies(WRONG, "<correction>a synonym</correction>", RIGHT, OTHER)
    wrong = last(assistant.ask("what is akin to quick ?", ME, "c"))
    assert wrong.reply.understanding == 'You want a word that sounds like "quick".'
    events = list(assistant.ask("no, I meant a synonym", ME, "c"))
    noted = next(event for event in events if isinstance(event, Noted))
    assert last(events).reply.answer == "fast"
    assert last(events).used == (noted.entry.id,)
    other = last(assistant.ask("what is akin to big ?", ME, "another"))
    assert other.reply.answer == "large"
    assert noted.entry.id in {decision.entry.id for decision in other.decisions}
    assert "no, I meant a synonym" in server.requests[-1].body["messages"][-1]["content"]
    assert all(request.body["stream"] for request in server.requests)


FAULTS: dict[str, Fault] = {
    "key refused": faults.refused_key,
    "rate limited": faults.rate_limited("60"),
    "500": faults.status(500),
    "slow first token": faults.slow_first_token,
    "stall": faults.stalls_after(HALF),
    "reset": faults.resets_after(HALF),
    "empty": faults.says(""),
    "page": faults.html,
    "malformed": faults.malformed_json,
    "context too long": faults.context_too_long,
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_one_sentence_and_the_turn_can_be_tried_again(
    services: Services, server: ChatServer, name: str
) -> None:
    server.replies(*[FAULTS[name]] * 3)
    failed = last(services.assistant.ask("what is akin to quick ?", ME, "c"))
    assert failed.state is TurnState.FAILED
    assert failed.error.count(".") <= 2
    assert "\n" not in failed.error
    assert services.assistant.memory.entries(ME) == []
    server.forget_replies()
    server.replies(RIGHT)
    assert last(services.assistant.retry(failed.id, ME)).reply.answer == "fast"
    assert "fas<" not in str(server.requests[-1].body)


def test_a_stream_that_ends_too_early_is_possibly_cut_and_never_shown_to_the_model_again(
    services: Services, server: ChatServer
) -> None:
    server.replies(faults.ends_after(HALF), RIGHT)
    cut = last(services.assistant.ask("what is akin to quick ?", ME, "c"))
    assert (cut.state, cut.reply.status, cut.reply.answer) == (TurnState.ANSWERED, ReplyStatus.TRUNCATED, "fas")
    services_turn = last(services.assistant.ask("and big ?", ME, "c"))
    assert services_turn.reply.answer == "fast"
    assert "<answer>fas" not in "".join(m["content"] for m in server.requests[-1].body["messages"])
