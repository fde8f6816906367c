"""Handlers of the page on lessons and facts: whatever a browser sends changes nothing and is answered in a sentence."""

from contextlib import closing
from pathlib import Path

import pytest

from app import compose
from assistant.kinds import Triple
from assistant.papers.teachme.teaching import Act, Teaching
from assistant.settings import Settings
from assistant.types import Scope
from tests.support.memory.loop import last
from ui.page.learn.learn import LearnHandlers
from ui.page.lessons.lessons import lessons_part
from ui.page.lessons.waiting import DraftHandlers
from ui.page.sheet.sheet import SheetHandlers

pytestmark = pytest.mark.promise("hostile-ids-reach-nothing")

ME, OTHER = Scope("local"), Scope("other")
QUESTION, RULE = 'Who is "mama"?', 'For "mama" it is "uncle".'
ODD_DECISIONS: list[object] = [
    None,
    3,
    "x",
    [],
    {"act": 3},
    {"act": "keep", "words": 3},
    {"act": "burn"},
    {"turn": "../x"},
]


def test_odd_input_about_lessons_changes_nothing(tmp_path: Path) -> None:
    with closing(compose(Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none"}))) as services:
        asked = last(services.assistant.ask(QUESTION, ME, "c"))
        turn = last(Teaching(services.assistant).dispute(asked.id, Act.ANSWER, ME, words="uncle"))
        services.settle()
        panel, part = DraftHandlers(services.lessons), lessons_part(services.lessons, services.is_drafting)
        drafts = panel.look(None, ME)["drafts"]
        assert drafts == [{"turn": turn.id, "question": QUESTION, "rule": RULE, "state": "proposed"}]
        assert panel.look(None, OTHER)["drafts"] == []
        for sent in ODD_DECISIONS:
            assert panel.decide(sent, ME)["refused"]
            assert panel.decide({"turn": turn.id, "told": sent}, ME)["refused"]
        for act in ("keep", "drop", "undo"):
            assert panel.decide({"turn": turn.id, "told": {"act": act}}, OTHER)["refused"]
        assert panel.look(None, ME)["drafts"] == drafts
        assert panel.decide({"turn": turn.id, "told": {"act": "keep"}}, ME)["drafts"] == []
        assert part.view(services.assistant.turn(turn.id, ME)) == {"rule": RULE, "state": "kept"}


ODD: list[object] = [None, 3, "x", [], {"line": 3}, {"name": 3, "line": "a | b | c"}]
ODD += [{"name": "../x.0", "line": "a | b | c"}]
ODD += [{"text": 7}, {"format": "exe"}, {"sentences": [3]}, {"sentences": ["a"] * 99}, {"facts": [{"text": "a"}]}]
ODD += [{"facts": [{"text": "a", "triples": ["b"]}]}, {"facts": 3}, {"search": {}, "of": [], "order": 5, "first": -1}]


def test_odd_input_about_facts_changes_nothing(tmp_path: Path) -> None:
    with closing(compose(Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none"}))) as services:
        editing = services.sheet_editing
        table, learn = SheetHandlers(services.sheet, editing), LearnHandlers(services.reads, services.sheet_editing)
        for handler in (*table.panel().events, *learn.panel().events):
            for sent in ODD:
                view = handler(sent, ME)
                assert view.get("refused") or view.get("lines") == [] or "read" in view or "parted" in view, (
                    handler,
                    sent,
                )
        entry = editing.remember("Dana works in Pune", [Triple(subject="Dana", relation="works in", object="Pune")], ME)
        for name in (f"{entry.id}.0", f"{entry.id}.1", f"{entry.id}.x", entry.id):
            assert table.reword({"name": name, "line": "a | b | c"}, Scope("other"))["refused"]
            assert table.take_off({"name": name}, Scope("other"))["refused"]
            assert table.forget({"name": name}, Scope("other"))["refused"]
        assert table.weigh({"name": f"{entry.id}.0"}, Scope("other"))["refused"]
        assert [line["object"] for line in table.look({}, ME)["lines"]] == ["Pune"]
