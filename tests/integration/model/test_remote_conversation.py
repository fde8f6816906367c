"""The app on a model over HTTP that fails, is stopped or never ends."""

from collections.abc import Callable

import pytest

from assistant import Scope
from assistant.types import ReplyStatus, TurnState
from tests.support.memory.loop import last
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer, Exchange
from tests.support.servers.faults import Fault
from ui.server.services import Services

ME = Scope("me")
RIGHT = '<understanding>You want a word that means the same as "quick".</understanding>\n<answer>fast</answer>'
HALF = "<understanding>You want a word</understanding>\n<answer>fas"


@pytest.fixture
def services(server: ChatServer, composed: Callable[..., Services]) -> Services:
    patience = {"NOTED_FIRST_TOKEN_SECONDS": "1", "NOTED_READ_SECONDS": "1", "NOTED_PROPOSE_LESSONS": "off"}
    return composed({"NOTED_MODEL": "openai/scripted", "NOTED_API_BASE": server.url, **patience})


# The two whose patience is set; all others are in test_remote_faults.py.
@pytest.mark.parametrize("fault", [faults.slow_first_token, faults.stalls_after(HALF)])
def test_failed_turn_is_tried_again(services: Services, server: ChatServer, fault: Fault) -> None:
    server.replies(*[fault] * 3)
    failed = last(services.assistant.ask("what is akin to quick ?", ME, "c"))
    assert failed.state is TurnState.FAILED
    assert str(failed.error).count(".") <= 2
    assert "\n" not in str(failed.error)
    assert services.assistant.memory.entries(ME) == []
    server.forget_replies()
    server.replies(RIGHT)
    assert last(services.assistant.retry(failed.id, ME)).reply.answer == "fast"
    assert "fas<" not in str(server.requests[-1].body)


@pytest.mark.parametrize("hidden", [False, True], ids=["text", "reasoning"])
def test_endless_reply_is_cut(services: Services, server: ChatServer, *, hidden: bool) -> None:
    def endless(exchange: Exchange) -> None:
        exchange.begin()
        exchange.text("" if hidden else HALF)
        for _ in range(4_000):
            exchange.delta({"reasoning_content" if hidden else "content": "x" * 50_000})

    server.replies(endless, RIGHT)
    turn = last(services.assistant.ask("what is akin to quick ?", ME, "c"))
    assert len(turn.reply.raw) <= services.assistant.limits.reply
    if hidden:
        assert turn.reply.answer == "fast"  # nothing came, so it was asked once more
    else:
        assert (turn.state, turn.reply.status) == (TurnState.ANSWERED, ReplyStatus.TRUNCATED)
    assert server.requests[0].disconnected.wait(20)
