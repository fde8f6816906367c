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
from ui.page.teach.study import StudyHandlers
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


def test_it_is_planned_and_made_from_where_it_was(services: Services) -> None:
    panel = StudyHandlers(services, connect_model(services, writer()))
    made = panel.make(SENT, ME, PAGE)
    assert len(made["made"]) == 3
    assert [one["sentence"] for one in panel.make(SENT | {"done": 2}, ME, PAGE)["made"]] == ["The king slept."]
    assert panel.plan(SENT | {"answers": "Dana\n\nthe ring"}, ME, PAGE)["places"] == 2


def test_without_a_model_one_is_asked_for(services: Services) -> None:
    panel = StudyHandlers(services)
    for handler in (panel.plan, panel.make):
        assert str(handler(SENT, ME, PAGE)["refused"]) == str(Sentence("study.needs_model"))


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
    for handler in (panel.plan, panel.make):
        assert [*handler(sent, ME, PAGE)] == ["refused"]


def test_the_model_of_the_page_writes_and_what_it_made_stays_where_it_fails(services: Services) -> None:
    model = writer()
    panel = StudyHandlers(services, connect_model(services, model))
    assert panel.plan(SENT, ME, PAGE) == {"places": 3, "calls": 3 * 2 * 2}
    made = panel.make(SENT, ME, PAGE)
    assert [one["all"][0]["question"] for one in made["made"]] == ["Who?"] * 3
    model.enqueue(ModelUnavailable())
    failed = panel.make(SENT, ME, PAGE)
    assert (failed["made"], str(failed["why"])) == ([], str(ModelUnavailable().sentence))
