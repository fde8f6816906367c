"""Handlers of study questions: any input of a browser, and whose model is used."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app import compose
from assistant.errors import ModelUnavailable
from assistant.sentences import Sentence
from assistant.settings import Settings
from assistant.types import Scope
from tests.support.people.connected_model import connect_model
from tests.support.servers.scripted import ScriptedModel
from tests.support.threads import drain
from ui.page.handlers import View
from ui.page.texts import StudyHandlers
from ui.server.services import Services

pytestmark = pytest.mark.promise("study-is-bounded")

ME, PAGE = Scope("me"), "page"
SENT = {"text": "Dana found the ring. The ring was lost. The king slept.", "answers": "", "samples": 2}


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with closing(compose(Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none"}))) as services:
        yield services


def writer() -> ScriptedModel:
    return ScriptedModel(reply=lambda _: "<question>Who?</question><answer>Dana</answer>")


def made(panel: StudyHandlers, sent: object) -> list[View]:
    """Return all views of a stream."""
    return drain(panel.make(sent, ME, PAGE))


def test_questions_go_on_from_where_they_were(services: Services) -> None:
    model = writer()
    panel = StudyHandlers(services, connect_model(services, model))
    assert panel.plan(SENT | {"answers": "Dana\n\nthe ring"}, ME, PAGE)["places"] == 2
    assert panel.plan(SENT, ME, PAGE) == {"places": 3, "calls": 3 * 2 * 2}
    written = [one for view in made(panel, SENT) for one in view["made"]]
    assert [one["question"] for one in written] == ["Who?"] * 3
    later = [one for view in made(panel, SENT | {"done": 2}) for one in view["made"]]
    assert [one["sentence"] for one in later] == ["The king slept."]
    model.enqueue(ModelUnavailable())
    assert made(panel, SENT)[-1] == {"refused": ModelUnavailable().sentence}


def test_without_a_model_one_is_asked_for(services: Services) -> None:
    panel = StudyHandlers(services)
    for view in (panel.plan(SENT, ME, PAGE), made(panel, SENT)[-1]):
        assert str(view["refused"]) == str(Sentence("study.needs_model"))


@pytest.mark.parametrize(
    "sent",
    [
        None,
        [],
        {},
        {"text": 3, "answers": ""},
        {"text": "", "answers": ""},
        {"text": "Hm.", "answers": ""},
        {"text": "a"},
        {"text": "a b c", "answers": "x" * 60_001},
        {"text": "x " * 40_000, "answers": ""},
    ],
)
def test_what_is_no_text_is_refused(services: Services, sent: object) -> None:
    panel = StudyHandlers(services, connect_model(services, writer()))
    for view in (panel.plan(sent, ME, PAGE), made(panel, sent)[-1]):
        assert [*view] == ["refused"]
