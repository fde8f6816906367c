"""What somebody writes who brought a model goes to that one, also where a text is read or a lesson is drawn."""

from collections.abc import Callable

import pytest

from assistant.types import Reaction, Scope
from tests.support.memory.loop import last, reply
from tests.support.people.brought import brought
from tests.support.servers.chat_server import ChatServer
from tests.support.servers.scripted import ScriptedModel
from ui.page.learn.learn import LearnHandlers
from ui.server.services import Services

pytestmark = pytest.mark.promise("own-model-answers-stay")

ME = Scope("me")


@pytest.fixture
def services(server: ChatServer, composed: Callable[..., Services]) -> Services:
    """The app on a model of its host."""
    return composed({"NOTED_API_KEY": "none", "NOTED_MODEL": "openai/x", "NOTED_API_BASE": server.url})


def test_host_draws_no_lesson_of_another_answer(services: Services, server: ChatServer) -> None:
    own = services.assistant.with_parts(services.models.connected, model=ScriptedModel([reply("who", "An uncle.")]))
    turn = last(own.ask("Who is my mother's brother?", ME, "c"))
    list(own.react(turn.id, Reaction.CONFIRM, ME))
    services.settle()
    assert server.requests == []


def test_text_is_read_by_the_model_of_its_page(services: Services, server: ChatServer) -> None:
    model = ScriptedModel(["<keep>Dana | works in | Pune</keep>", "none"])
    learn = LearnHandlers(services, brought(services, model))
    read = learn.read({"sentences": ["Dana works in Pune"]}, ME, "page")["read"]
    assert [one["triples"][0]["object"] for one in read] == ["Pune"]
    assert server.requests == []
