"""Drafted lessons in the terminal, and whatever a browser sends about them."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from ui.programs.api import Api

from app import compose
from assistant.errors import InputError, NotFound
from assistant.papers.teachme.teaching import Act, Teaching
from assistant.settings import Settings
from assistant.types import Scope
from tests.support.commands import Commands
from tests.support.memory.loop import last
from ui.page.lessons.lessons import lessons_part
from ui.page.lessons.waiting import DraftHandlers
from ui.programs.transport import functions

pytestmark = pytest.mark.promise("lessons-are-decided", "lessons-answer-and-go")

ME, OTHER = Scope("local"), Scope("other")
QUESTION, LIKE = 'Who is "mama"?', 'So tell me, who is "mama"?'
RULE = 'For "mama" it is "uncle".'


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return Commands(tmp_path, NOTED_PROPOSE_LESSONS="on")


def test_commands_show_keep_change_drop_and_take_back(commands: Commands) -> None:
    commands.run("ask", QUESTION)
    said = commands.run("why", "--answer", "uncle")
    assert f"Lesson drafted: {RULE} (`lesson keep`, or drop)" in said.stderr
    ((turn, shown),) = [line.split("  ") for line in commands.run("lesson").stdout.splitlines()]
    assert shown == f"Lesson drafted: {RULE}"
    assert commands.run("lesson", "keep").stdout == f"Lesson kept: {RULE}\n"
    assert commands.run("lesson").stderr == "No drafted lesson waits.\n"
    assert "uncle" in commands.run("ask", LIKE).stdout
    assert commands.json("lesson", "undo", turn) == [{"turn": turn, "lesson": RULE, "state": "proposed"}]
    assert commands.run("lesson", "drop", turn).stdout == f"Lesson not kept: {RULE}\n"
    commands.run("lesson", "undo", turn)
    assert commands.run("lesson", "keep", turn, "--as", "It is a mama.").stdout == "Lesson kept: It is a mama.\n"
    commands.run("lesson", "drop", "--as", "no", status=1)
    commands.run("lesson", "keep", "nothing", status=1)


def test_the_chat_does_so_too(commands: Commands) -> None:
    lines = [
        "/lesson",
        QUESTION,
        "/answer uncle",
        "/lesson",
        "/lesson keep",
        "/lesson undo",
        "/lesson drop",
        "/lesson it",
    ]
    said = commands.run("chat", text="\n".join(lines).encode()).stdout
    assert said.count("No drafted lesson waits.") == 1
    assert said.count(f"Lesson drafted: {RULE} (from: {QUESTION})") == 1
    assert said.count(f"Lesson drafted: {RULE} (/lesson keep or /lesson drop)") == 1
    assert said.count("Please say what becomes of it") == 1
    for state in ("kept", "drafted", "not kept"):
        assert f"\nLesson {state}: {RULE}\n" in said


def test_in_the_chat_a_kept_lesson_answers_says_why_and_is_left_out(commands: Commands) -> None:
    commands.run("ask", QUESTION)
    commands.run("why", "--answer", "uncle")
    commands.run("lesson", "keep")
    said = commands.run("chat", text="\n".join([LIKE, "/why", "/leave-out"]).encode()).stdout
    before, _, after = said.rpartition("> /leave-out")
    assert "\nuncle" in before
    assert RULE in before
    assert "\nuncle" not in after


def test_programs_look_keep_drop_and_take_back(tmp_path: Path) -> None:
    with closing(compose(Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none"}))) as services:

        def call(name: str, scope: Scope = ME, **sent: Any) -> Any:
            *_, result = functions()[name].results(Api(services, scope), sent)
            functions()[name].result.validate_python(result, extra="forbid")
            return result

        asked = call("ask", question=QUESTION)
        turn = call("dispute", turn=asked["turn"], act="answer", words="uncle")["turn"]
        services.settle()
        waiting = {"turn": turn, "question": QUESTION, "lesson": RULE, "state": "proposed"}
        assert call("lesson") == call("lesson", turn=turn) == {"drafted": [waiting]}
        assert call("lesson", OTHER) == call("lesson", turn=asked["turn"]) == {"drafted": []}
        assert call("lesson", turn=turn, act="keep")["drafted"] == [waiting | {"state": "kept"}]
        assert call("lesson") == {"drafted": []}
        assert call("lesson", turn=turn, act="keep", words="A mama.")["drafted"][0]["lesson"] == "A mama."
        assert call("lesson", turn=turn, act="undo")["drafted"] == [waiting]
        assert call("lesson", turn=turn, act="drop")["drafted"] == [waiting | {"state": "dropped"}]
        with pytest.raises(NotFound):
            call("lesson", OTHER, turn=turn)
        with pytest.raises(InputError):
            call("lesson", turn=turn, act="burn")


ODD: list[object] = [None, 3, "x", [], {"act": 3}, {"act": "keep", "words": 3}, {"act": "burn"}, {"turn": "../x"}]


def test_whatever_a_browser_sends_changes_nothing_and_is_answered_in_a_sentence(tmp_path: Path) -> None:
    settings = Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none"})
    with closing(compose(settings)) as services:
        asked = last(services.assistant.ask(QUESTION, ME, "c"))
        turn = last(Teaching(services.assistant).dispute(asked.id, Act.ANSWER, ME, words="uncle"))
        services.settle()
        panel, part = DraftHandlers(services.lessons), lessons_part(services.lessons, services.is_drafting)
        drafts = panel.look(None, ME)["drafts"]
        assert drafts == [{"turn": turn.id, "question": QUESTION, "rule": RULE, "state": "proposed"}]
        assert panel.look(None, OTHER)["drafts"] == []
        for sent in ODD:
            assert panel.decide(sent, ME)["refused"]
            assert panel.decide({"turn": turn.id, "told": sent}, ME)["refused"]
        for act in ("keep", "drop", "undo"):
            assert panel.decide({"turn": turn.id, "told": {"act": act}}, OTHER)["refused"]
        assert panel.look(None, ME)["drafts"] == drafts
        assert panel.decide({"turn": turn.id, "told": {"act": "keep"}}, ME)["drafts"] == []
        assert part.view(services.assistant.turn(turn.id, ME)) == {"rule": RULE, "state": "kept"}
