"""Models that can draft, composed by `app.py`: over HTTP by temperature, embedded by next-best readings."""

from collections.abc import Callable

import pytest

from assistant.types import Scope
from tests.support.memory.loop import last
from tests.support.servers.chat_server import Body, ChatServer
from ui.server.services import Services

pytestmark = pytest.mark.promise("best-draft-is-shown", "drafts-can-fail")

ME = Scope("me")
QUESTION = "What is akin to quick?"
WAYS = {0.0: ("You want a sound.", "kwik"), 0.7: ('You want a word like "quick".', "fast")}


def model(body: Body) -> str:
    """Reply by temperature; ask back right for right answers."""
    system, *_, last_message = (message["content"] for message in body["messages"])
    if "Say what was asked." in system:
        return 'You want a word like "quick".' if "fast" in last_message else "You want nothing."
    understanding, answer = WAYS[body.get("temperature", 0.0)]
    return f"<understanding>{understanding}</understanding>\n<answer>{answer}</answer>"


def connected(composed: Callable[..., Services], server: ChatServer, **environment: str) -> Services:
    server.answer = model
    return composed({**server.settings, **environment})


def test_further_drafts_have_a_temperature(composed: Callable[..., Services], server: ChatServer) -> None:
    last(connected(composed, server).assistant.ask("What is akin to big?", ME))
    (plain,) = server.requests
    assert "temperature" not in plain.body
    turn = last(connected(composed, server, NOTED_DRAFTS="3").assistant.ask(QUESTION, ME))
    assert turn.reply.answer == "fast"
    drafts = turn.reply.fields["drafts"]["all"]
    assert [one["fields"]["answer"] for one in drafts] == ["kwik", "fast"]  # the third equals the second
    _, *drawn, first, second = (request.body for request in server.requests)
    assert sorted(body["temperature"] for body in drawn) == [0.0, 0.7, 0.7]
    assert len({str(body["messages"]) for body in drawn}) == 1
    assert first["temperature"] == second["temperature"] == 0.0  # round trips are greedy
