"""Handlers of the tab Teach: told facts, suggestions, practice and study questions."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app import compose
from assistant.errors import ModelUnavailable, TooOften
from assistant.sentences import Sentence
from assistant.settings import Settings
from tests.support.memory.allowance import FROM_AFAR, LimitedAllowance
from tests.support.memory.loop import ME, OTHER, reply
from tests.support.memory.triples import triple
from tests.support.people.connected_model import connect_model
from tests.support.servers.scripted import ScriptedModel
from tests.support.threads import drain
from ui.page.handlers import View
from ui.page.teach import PracticeHandlers, StudyHandlers, SuggestionHandlers, TeachHandlers
from ui.server.services import Services

PAGE = "page"
LINES = "question,answer\nWho is a mama?,uncle\nSo who is a mama?,uncle\nWho is a bua?,cousin"
TEXT = {"text": "Dana found the ring. The ring was lost. The king slept.", "answers": "", "samples": 2}


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with closing(compose(Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none"}))) as services:
        yield services


def tell(panel: TeachHandlers, text: object) -> View:
    return panel.tell({"text": text}, ME, PAGE)


def test_told_fact_is_saved_once_and_undone(services: Services) -> None:
    panel = TeachHandlers(services)
    list(services.assistant.ask("my pin is 11", ME, "c"))
    assert panel.look({}, ME) == {"sheet": {"facts": 1, "things": 1}}
    told = tell(panel, "my pin is 22 now")
    assert (told["done"], told["sheet"]) == ("told", {"facts": 1, "things": 1})
    assert tell(panel, "my pin is 22 now")["saved"] == told["saved"]
    assert [entry.shown for entry in services.assistant.memory.entries(ME)] == ["my pin is 22 now"]
    assert "refused" in panel.undo({"entry": told["saved"]["entry"]}, OTHER)
    assert panel.undo({"entry": told["saved"]["entry"]}, ME)["sheet"] == {"facts": 1, "things": 1}
    (entry,) = services.assistant.memory.entries(ME)
    assert entry.shown == "my pin is 11"
    assert panel.undo({"entry": entry.id}, ME)["sheet"] == {"facts": 0, "things": 0}
    assert SuggestionHandlers(services).look({}, ME) == {"suggestions": []}
    for nothing in ("", " ", None, "x" * 3_000):
        assert [*tell(panel, nothing)] == ["refused"]


def test_suggestions_wait_until_they_are_decided(services: Services) -> None:
    message = "By the way, Dana is the one who manages me."
    model = ScriptedModel([reply("You talk about Dana.", "I see.") + "\n<keep>I | manager | Dana</keep>"])
    list(services.assistant.with_parts(services.models.connected, model=model).ask(message, ME, "c"))
    panel = SuggestionHandlers(services)
    (one,) = panel.look({}, ME)["suggestions"]
    assert (one["of"], one["line"], one["question"]) == ("fact", ["I", "manager", "Dana"], message)
    assert panel.look({}, OTHER) == {"suggestions": []}
    decided = {name: one[name] for name in ("turn", "of", "number")}
    changed = panel.decide({**decided, "act": "keep", "text": "I | manager | Dana Kohli"}, ME)
    assert changed["suggestions"] == []
    assert TeachHandlers(services).look({}, ME) == {"sheet": {"facts": 1, "things": 1}}
    panel.decide({**decided, "act": "keep", "text": "I | manager | Priya"}, ME)  # what was kept is changed
    assert [entry.shown for entry in services.assistant.memory.entries(ME)] == ["my manager is Priya"]


def test_sentence_that_was_changed_is_told_again(services: Services) -> None:
    line = [triple("Dana | works in | Pune")]
    told = services.sheet_editing.remember("Dana works in Pune", line, ME)
    services.memory.edit(told.id, "Dana works in Delhi", ME)
    assert services.sheet_editing.remember("Dana works in Pune", line, ME).shown == "Dana works in Pune"


def test_all_lines_of_a_sentence_are_counted(services: Services) -> None:
    lines = [triple("Dana | works in | Pune"), triple("Dana | lives in | Delhi")]
    assert services.sheet_editing.take_in([("Dana works in Pune and lives in Delhi", lines)], ME) == (2, [])


def last(views: AsyncGenerator[View, None]) -> View:
    return drain(views)[-1]


@pytest.mark.slow
@pytest.mark.promise("practice-continues")
def test_practice_runs_from_its_lines_to_its_end(services: Services) -> None:
    allowance = LimitedAllowance(1)
    practice = replace(services.practice, assistant=replace(services.assistant, allowance=allowance))
    limited = PracticeHandlers(replace(services, practice=practice))
    assert last(limited.practise({"text": LINES}, FROM_AFAR, PAGE)) == {"wait": TooOften(1).sentence}
    allowance.left = 9
    done = last(limited.practise({"text": LINES}, FROM_AFAR, PAGE))
    assert (done["of"], done["held_out"], done["learnt_from"], done["right"]) == (3, 1, 2, 1)
    (lesson,) = done["lessons"]
    assert (lesson["lesson"], lesson["used"], lesson["right"]) == ('For "mama" it is "uncle".', 1, 1)
    assert [(one["before"], one["after"]) for one in done["tests"]] == [(False, False)]
    panel = PracticeHandlers(services)
    assert last(panel.practise({"text": LINES, "tested": 1}, ME, PAGE))["tests"] == []
    assert panel.forget({"text": LINES}, OTHER) == {"forgotten": 0}
    assert [panel.keep({"text": LINES}, scope) for scope in (OTHER, ME, ME)] == [{"kept": 0}, {"kept": 1}, {"kept": 0}]
    assert panel.forget({"text": LINES}, ME) == {"forgotten": 1}
    assert services.assistant.memory.entries(ME) == []


@pytest.mark.slow
def test_own_model_of_the_page_practises(services: Services) -> None:
    model = ScriptedModel([reply("who", "It is an uncle."), "NONE", ModelUnavailable()])
    panel = PracticeHandlers(services, connect_model(services, model, PAGE))
    *_, done, refused = drain(panel.practise({"text": LINES}, ME, PAGE))
    assert (done["learnt_from"], done["right"], refused) == (1, 1, {"refused": ModelUnavailable().sentence})
    assert last(panel.practise({"text": LINES}, OTHER, "another page"))["right"] == 1


@pytest.mark.slow
@pytest.mark.promise("study-is-bounded")
def test_study_questions_go_on_from_where_they_were(services: Services) -> None:
    model = ScriptedModel(reply=lambda _: "<question>Who?</question><answer>Dana</answer>")
    panel = StudyHandlers(services, connect_model(services, model))

    def made(**sent: Any) -> list[View]:
        return [one for view in drain(panel.make(TEXT | sent, ME, PAGE)) for one in view["made"]]

    assert panel.plan(TEXT | {"answers": "Dana\n\nthe ring"}, ME, PAGE)["places"] == 2
    assert panel.plan(TEXT, ME, PAGE) == {"places": 3, "calls": 3 * 2 * 2}
    assert [one["question"] for one in made()] == ["Who?"] * 3
    assert [one["sentence"] for one in made(done=2)] == ["The king slept."]
    model.enqueue(ModelUnavailable())
    assert last(panel.make(TEXT, ME, PAGE)) == {"refused": ModelUnavailable().sentence}
    without = StudyHandlers(services)
    for view in (without.plan(TEXT, ME, PAGE), last(without.make(TEXT, ME, PAGE))):
        assert str(view["refused"]) == str(Sentence("study.needs_model"))


@pytest.mark.slow
@pytest.mark.parametrize("sent", [
    None, [], {}, {"text": 3, "answers": ""}, {"text": "", "answers": ""}, {"text": "Hm.", "answers": ""},
    {"text": "a b c", "answers": "x" * 60_001}, {"text": "a?,b" * 20_000, "answers": ""},
])  # fmt: skip
def test_what_is_no_text_is_refused(services: Services, sent: object) -> None:
    practice, study = PracticeHandlers(services), StudyHandlers(services, connect_model(services, ScriptedModel()))
    views = [last(practice.practise(sent, ME, PAGE)), practice.keep(sent, ME), practice.forget(sent, ME)]
    views += [study.plan(sent, ME, PAGE), last(study.make(sent, ME, PAGE))]
    assert [[*view] for view in views] == [["refused"]] * 5
    assert services.conversations.conversations(ME) == []
