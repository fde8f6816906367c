"""What somebody writes who brought a model goes to that one, also where a text is read or a lesson is drawn."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app import compose
from assistant.settings import Settings
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
def host() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


@pytest.fixture
def services(host: ChatServer, tmp_path: Path) -> Iterator[Services]:
    told = {"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none", "NOTED_API_KEY": "none"}
    with closing(compose(Settings.load({**told, "NOTED_MODEL": "openai/x", "NOTED_API_BASE": host.url}))) as services:
        yield services


def test_no_lesson_is_drawn_by_the_host_of_what_another_model_answered(services: Services, host: ChatServer) -> None:
    own = services.assistant.with_parts(services.models.connected, model=ScriptedModel([reply("who", "An uncle.")]))
    turn = last(own.ask("Who is my mother's brother?", ME, "c"))
    list(own.react(turn.id, Reaction.CONFIRM, ME))
    services.settle()
    assert host.requests == []


def test_a_text_is_read_by_the_model_of_its_page(services: Services, host: ChatServer) -> None:
    model = ScriptedModel(["<keep>Dana | works in | Pune</keep>", "none"])
    learn = LearnHandlers(services, brought(services, model))
    read = learn.read({"sentences": ["Dana works in Pune"]}, ME, "page")["read"]
    assert [one["triples"][0]["object"] for one in read] == ["Pune"]
    assert host.requests == []
