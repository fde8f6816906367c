"""The whole app with a model over HTTP: steps that were blocked, and the setting that thinks each question through."""

from collections.abc import Callable

import pytest

from assistant.papers.selection.drafts import kept_drafts
from assistant.papers.selection.taking import Taking
from assistant.papers.teachme.teaching import Act, Teaching
from assistant.types import Turn
from tests.support.memory.loop import ME, last, reply
from tests.support.memory.teaching import CLAIM, NO, QUESTION, YES, reasons
from tests.support.servers.chat_server import ChatServer
from ui.server.services import Services

pytestmark = pytest.mark.promise("blocked-steps-stay-blocked", "thinking-is-bounded")

COPPER = "a penny is made of copper"
THOUGHTS = f"<understanding>u</understanding><candidate>yes</candidate><statement>{CLAIM}</statement>"
Connected = Callable[..., Services]


@pytest.fixture
def connected(composed: Callable[..., Services], server: ChatServer) -> Connected:
    """The app with the model of the server."""
    model = {"NOTED_MODEL": "openai/test", "NOTED_API_BASE": server.url, "NOTED_API_KEY": "sk-test"}
    return lambda **settings: composed({"NOTED_PROPOSE_LESSONS": "off", **model, **settings})


def ask(services: Services, message: str, conversation: str = "c") -> Turn:
    return last(services.assistant.ask(message, ME, conversation))


def test_blocked_step_is_a_note_of_later_questions(connected: Connected, server: ChatServer) -> None:
    services = connected()
    teaching = Teaching(services.assistant)
    noted = reply("you tell me that", "Noted.")
    server.replies(noted, noted, YES, reasons(COPPER, claim=CLAIM), NO, *[NO] * 4)
    ask(services, f"remember that {COPPER}")
    ask(services, "remember that my brother works in Agra")
    turn = ask(services, QUESTION)
    list(teaching.why(turn.id, ME))
    again = last(teaching.dispute(turn.id, Act.DOES_NOT_FOLLOW, ME))

    def prompted(question: str) -> bool:
        ask(services, question, question)
        return "does not follow" in server.requests[-1].question

    assert prompted(QUESTION)
    assert prompted("is a penny made of copper or of iron?")
    assert not prompted("where does my brother work?")
    assert again.clarified_with
    teaching.undo(again.clarified_with, ME)
    assert not prompted(QUESTION)


def test_setting_thinks_each_question_through(connected: Connected, server: ChatServer) -> None:
    services = connected(NOTED_THINK_THROUGH="on")
    assert "up to 38 calls" in str(services.models.note("local"))
    server.replies(THOUGHTS, "<because>Pennies are metal.</because>", "<premise>1 yes 95</premise><step>yes 90</step>")
    assert "thought" in ask(services, QUESTION).reply.fields
    assert len(server.requests) == 3
    for message in ("by the way, Rex is a dog", "thanks!"):
        server.replies(reply("u", "Good to know.") + "\n<fact>Rex is a dog</fact>")
        assert "thought" not in ask(services, message).reply.fields
    assert len(server.requests) == 5
    assert [entry.shown for entry in services.assistant.memory.entries(ME)] == ["Rex is a dog"]


def test_thinking_leaves_several_drafts_possible(connected: Connected, server: ChatServer) -> None:
    services = connected(NOTED_THINK_THROUGH="on")
    server.answer = lambda _: reply("u", f"An answer, {len(server.requests)}")
    turn = ask(services, QUESTION)
    assert kept_drafts(last(Taking(services.assistant).several_ways(turn.id, ME)))


def test_question_is_one_call_by_default(connected: Connected, server: ChatServer) -> None:
    services = connected()
    assert "calls" not in str(services.models.note("local"))
    server.replies(YES)
    ask(services, QUESTION)
    assert len(server.requests) == 1
