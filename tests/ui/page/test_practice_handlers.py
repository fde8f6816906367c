"""Handlers of practice: any input of a browser, and whose model is used."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from app import compose
from assistant.errors import ModelUnavailable, TooOften
from assistant.settings import Settings
from assistant.types import Scope
from tests.support.memory.allowance import FROM_AFAR, LimitedAllowance
from tests.support.memory.loop import reply
from tests.support.people.connected_model import connect_model
from tests.support.servers.scripted import ScriptedModel
from tests.support.threads import drain
from ui.page.handlers import View
from ui.page.texts import PracticeHandlers
from ui.server.services import Services

pytestmark = pytest.mark.promise("practice-continues")

ME, OTHER, PAGE = Scope("me"), Scope("somebody else"), "page"
LINES = "question,answer\nWho is a mama?,uncle\nSo who is a mama?,uncle\nWho is a bua?,cousin"


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with closing(compose(Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none"}))) as services:
        yield services


def last(views: AsyncGenerator[View, None]) -> View:
    """Return the last view of a stream."""
    return drain(views)[-1]


def test_practice_runs_from_its_lines_to_its_end(services: Services) -> None:
    panel = PracticeHandlers(services)
    done = last(panel.practise({"text": LINES}, ME, PAGE))
    assert (done["cases"], done["held_out"], done["practised"], done["right"]) == (2, 1, 2, 1)
    (lesson,) = done["lessons"]
    assert (lesson["rule"], lesson["used"], lesson["right"]) == ('For "mama" it is "uncle".', 1, 1)
    assert [(one["before"], one["after"]) for one in done["tests"]] == [(False, False)]
    assert last(panel.practise({"text": LINES, "tested": 1}, ME, PAGE))["tests"] == []
    assert panel.forget({"text": LINES}, OTHER) == {"forgotten": 0}
    assert [panel.keep({"text": LINES}, scope) for scope in (OTHER, ME, ME)] == [{"kept": 0}, {"kept": 1}, {"kept": 0}]
    assert panel.forget({"text": LINES}, ME) == {"forgotten": 1}
    assert services.assistant.memory.entries(ME) == []


def test_practice_asks_for_the_header(services: Services) -> None:
    panel = PracticeHandlers(services)
    sent = {"text": "What was asked?,What is right\nWho is my mother's brother?,uncle\nWho is an aunt's son?,cousin"}
    for answer in ({}, {"header": None}, {"header": "yes"}):
        (asked,) = last(panel.practise(sent | answer, ME, PAGE)).items()
        assert (asked[0], str(asked[1])) == (
            "header", "Line 1 is “What was asked? · What is right”. Is it a header?"
        )  # fmt: skip
    assert services.conversations.conversations(ME) == []
    for header, count in ((True, 2), (False, 3)):
        done = last(panel.practise(sent | {"header": header}, ME, PAGE))
        assert done["cases"] + done["held_out"] == count
        assert "forgotten" in panel.forget(sent | {"header": header}, ME)


@pytest.mark.parametrize(
    "sent", [None, [], {}, {"text": 3}, {"text": ""}, {"text": "hello"}, {"text": "a?,b" * 20_000}]
)
def test_what_is_no_text_is_refused(services: Services, sent: object) -> None:
    panel = PracticeHandlers(services)
    for view in (last(panel.practise(sent, ME, PAGE)), panel.keep(sent, ME), panel.forget(sent, ME)):
        assert [*view] == ["refused"]
    assert services.conversations.conversations(ME) == []


def test_own_model_of_the_page_practises(services: Services) -> None:
    model = ScriptedModel([reply("who", "It is an uncle."), "NONE", ModelUnavailable()])
    panel = PracticeHandlers(services, connect_model(services, model, PAGE))
    *_, done, refused = drain(panel.practise({"text": LINES}, ME, PAGE))
    assert (done["practised"], done["right"], refused) == (1, 1, {"refused": ModelUnavailable().sentence})
    assert last(panel.practise({"text": LINES}, OTHER, "another page"))["right"] == 1


def test_rate_limit_waits_and_goes_on(services: Services) -> None:
    allowance = LimitedAllowance(1)
    practice = replace(services.practice, assistant=replace(services.assistant, allowance=allowance))
    panel = PracticeHandlers(replace(services, practice=practice))
    assert last(panel.practise({"text": LINES}, FROM_AFAR, PAGE)) == {"wait": TooOften(1).sentence}
    allowance.left = 9
    done = last(panel.practise({"text": LINES}, FROM_AFAR, PAGE))
    assert (done["practised"], len(done["tests"])) == (2, 1)
