"""The whole app with a model over HTTP: steps that were blocked, and the setting that thinks each question through."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app import compose
from assistant.events import Finished
from assistant.papers.selection.drafts import kept_drafts
from assistant.papers.selection.taking import Taking
from assistant.papers.teachme.teaching import Act, Teaching
from assistant.settings import Settings
from assistant.types import Scope, Turn
from tests.support.memory.loop import reply
from tests.support.memory.teaching import NO, QUESTION, YES, reasons
from tests.support.servers.chat_server import ChatServer
from ui.server.services import Services

pytestmark = pytest.mark.promise("blocked-steps-stay-blocked", "thinking-is-bounded")

ME = Scope("me")
COPPER = "a penny is made of copper"
CLAIM = "A magnet can attract a penny."
THOUGHTS = f"<understanding>u</understanding><candidate>yes</candidate><statement>{CLAIM}</statement>"
Compose = Callable[..., Services]


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


@pytest.fixture
def composed(tmp_path: Path, server: ChatServer) -> Iterator[Compose]:
    opened: list[Services] = []

    def make(**settings: str) -> Services:
        home = {"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none", "NOTED_PROPOSE_LESSONS": "off"}
        model = {"NOTED_MODEL": "openai/test", "NOTED_API_BASE": server.url, "NOTED_API_KEY": "sk-test"}
        opened.append(compose(Settings.load({**home, **model, **settings})))
        return opened[-1]

    yield make
    for services in opened:
        with closing(services):
            pass


def ask(services: Services, message: str, conversation: str = "c") -> Turn:
    events = services.assistant.ask(message, ME, conversation)
    return next(event.turn for event in events if isinstance(event, Finished))


def test_a_blocked_step_is_a_note_in_later_questions_that_it_is_of_or_that_start_from_its_fact(
    composed: Compose, server: ChatServer
) -> None:
    services = composed()
    teaching = Teaching(services.assistant)
    noted = reply("you tell me that", "Noted.")
    server.replies(noted, noted, YES, reasons(COPPER, claim=CLAIM), NO, *[NO] * 4)
    ask(services, f"remember that {COPPER}")
    ask(services, "remember that my brother works in Agra")
    turn = ask(services, QUESTION)
    list(teaching.why(turn.id, ME))
    (again,) = [e.turn for e in teaching.dispute(turn.id, Act.DOES_NOT_FOLLOW, ME) if isinstance(e, Finished)]

    def prompted(question: str) -> bool:
        ask(services, question, question)
        return "does not follow" in server.requests[-1].question

    assert prompted(QUESTION)
    assert prompted("is a penny made of copper or of iron?")
    assert not prompted("where does my brother work?")
    assert again.clarified_with
    teaching.undo(again.clarified_with, ME)
    assert not prompted(QUESTION)


def test_set_to_think_it_thinks_each_question_through_and_nothing_else(composed: Compose, server: ChatServer) -> None:
    services = composed(NOTED_THINK_THROUGH="on")
    assert "up to 38 calls" in str(services.models.note("local"))
    server.replies(THOUGHTS, "<because>Pennies are metal.</because>", "<premise>1 yes 95</premise><step>yes 90</step>")
    assert "thought" in ask(services, QUESTION).reply.fields
    assert len(server.requests) == 3
    for message in ("by the way, Rex is a dog", "thanks!"):
        server.replies(reply("u", "Good to know.") + "\n<fact>Rex is a dog</fact>")
        assert "thought" not in ask(services, message).reply.fields
    assert len(server.requests) == 5
    assert [entry.shown for entry in services.assistant.memory.entries(ME)] == ["Rex is a dog"]


def test_set_to_think_an_answer_can_still_be_tried_in_several_ways(composed: Compose, server: ChatServer) -> None:
    services = composed(NOTED_THINK_THROUGH="on")
    server.answer = lambda _: reply("u", f"An answer, {len(server.requests)}")
    turn = ask(services, QUESTION)
    tried = [e.turn for e in Taking(services.assistant).several_ways(turn.id, ME) if isinstance(e, Finished)][-1]
    assert kept_drafts(tried)


def test_off_by_default_a_question_is_one_call(composed: Compose, server: ChatServer) -> None:
    services = composed()
    assert "calls" not in str(services.models.note("local"))
    server.replies(YES)
    ask(services, QUESTION)
    assert len(server.requests) == 1
