from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from assistant.events import AnswerText, Event, Finished, Noted, Recalled, Started, UnderstandingText
from assistant.types import Action, Candidate, Decision, Entry, Key, Kind, Reply, ReplyStatus, Status, Turn, TurnState
from ui.live import LiveTurns
from ui.render import conversation_view, entry_view, memory_view, turn_view

WHEN = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
ENTRY = Entry(
    id="e1", kind=Kind.CLARIFICATION, owner="ann", shared=False, status=Status.ACTIVE,
    question="What is akin to quick?", text="a synonym", sequence=1, created=WHEN,
    keys=(Key("What is akin to quick?"),),
)  # fmt: skip
ANSWERED = Turn(
    id="t1", conversation="c", person="ann", question="What is akin to brave?", state=TurnState.ANSWERED, created=WHEN,
    reply=Reply(raw="", understanding="a synonym of brave", answer="**bold**", status=ReplyStatus.OK),
)  # fmt: skip


def decision(entry: Entry, action: Action, reason: str = "same wording") -> Decision:
    return Decision(Candidate(entry, entry.keys[0]), action, 0.9, reason)


def test_an_answered_turn_shows_understanding_answer_and_what_can_be_done() -> None:
    view = turn_view(ANSWERED)
    assert view["understanding"] == "a synonym of brave"
    assert view["answer"] == "<p><strong>bold</strong></p>\n"
    assert view["copy"] == "**bold**"
    assert view["can"] == {"correct": True, "confirm": True, "retry": False}
    assert json.loads(json.dumps(view)) == view


@pytest.mark.parametrize(("status", "notice"), [
    (ReplyStatus.TRUNCATED, "truncated"), (ReplyStatus.NO_ANSWER, "no_answer"), (ReplyStatus.UNSTRUCTURED, ""),
])  # fmt: skip
def test_a_reply_that_is_not_whole_says_so_and_can_be_tried_again(status: ReplyStatus, notice: str) -> None:
    view = turn_view(replace(ANSWERED, reply=replace(ANSWERED.reply, status=status)))
    assert view["notice"] == notice
    assert view["can"]["retry"] == bool(notice)
    assert view["can"]["confirm"] == (not notice)


def test_a_failed_turn_shows_its_sentence_and_no_memory() -> None:
    view = turn_view(replace(ANSWERED, state=TurnState.FAILED, error="No key is set.", reply=Reply(raw="")))
    assert (view["error"], view["memory"]) == ("No key is set.", None)
    assert view["can"] == {"correct": False, "confirm": False, "retry": True}


def test_memory_names_what_was_used_and_why() -> None:
    view = memory_view(replace(ANSWERED, decisions=(decision(ENTRY, Action.OFFER),), used=("e1",)))
    (used,) = view["used"]
    assert (used["text"], used["reason"], used["shared"], used["when"]) == (
        "a synonym", "same wording", False, "2026-01-02T03:04:00+00:00",
    )  # fmt: skip
    assert view["nearest"] is None


def test_where_nothing_was_used_the_nearest_says_why_it_was_left_out() -> None:
    offered = memory_view(replace(ANSWERED, decisions=(decision(ENTRY, Action.OFFER),)))["nearest"]
    left = memory_view(replace(ANSWERED, decisions=(decision(ENTRY, Action.LEAVE, "other task"),)))["nearest"]
    assert offered["not_chosen"] is True
    assert (left["not_chosen"], left["reason"]) == (False, "other task")


def test_what_the_person_left_out_comes_before_what_was_near() -> None:
    near = replace(ENTRY, id="e2")
    decisions = (decision(near, Action.LEAVE), replace(decision(ENTRY, Action.LEAVE, "by you"), probability=0.0))
    view = memory_view(replace(ANSWERED, decisions=decisions, left_out=("e1",)))
    assert (view["nearest"]["id"], view["nearest"]["reason"], view["left_by_person"]) == ("e1", "by you", True)
    assert memory_view(replace(ANSWERED, decisions=decisions))["nearest"]["id"] == "e2"


def test_an_entry_that_has_nothing_to_do_with_the_question_is_not_called_near() -> None:
    far = replace(decision(ENTRY, Action.LEAVE), probability=0.04)
    assert memory_view(replace(ANSWERED, decisions=(far,)))["nearest"] is None


def test_a_correction_in_the_chat_is_undone_at_its_message() -> None:
    corrected = replace(ANSWERED, corrected_by="e1")
    message = replace(ANSWERED, id="t2", state=TurnState.CORRECTION, corrected_by="e1", reply=Reply(raw=""))
    views = conversation_view([corrected, message], {"e1": ENTRY})
    assert [view["noted"]["entry"] for view in views] == ["", "e1"]


def test_undo_is_offered_only_while_the_clarification_counts() -> None:
    corrected = replace(ANSWERED, corrected_by="e1")
    assert turn_view(corrected, noted=ENTRY)["noted"] == {
        "entry": "e1",
        "text": "a synonym",
        "supersedes": "",
        "offered": False,
    }
    superseded = replace(ENTRY, status=Status.SUPERSEDED)
    gone = {"entry": "", "text": "a synonym", "supersedes": "", "offered": False}
    assert turn_view(corrected, noted=superseded, offered=True)["noted"] == gone
    assert turn_view(corrected)["noted"] == gone | {"text": ""}


def test_a_conversation_knows_what_was_answered_again_and_what_was_cut_off() -> None:
    again = replace(ANSWERED, id="t2", answers_again="t1")
    undone = replace(ANSWERED, id="t3", answers_again="t2", state=TurnState.UNDONE)
    running = replace(ANSWERED, id="t4", state=TurnState.RUNNING, reply=Reply(raw=""))
    views = conversation_view([ANSWERED, again, undone, running], {})
    assert [view["replaced"] for view in views] == [True, False, False, False]
    assert (views[3]["state"], views[3]["can"]["retry"]) == ("stopped", True)


def test_an_example_is_listed_by_what_it_was_understood_as() -> None:
    example = replace(ENTRY, kind=Kind.EXAMPLE, text="", understanding="a synonym of quick", used=3)
    view = entry_view(example)
    assert (view["text"], view["example"], view["used"]) == ("a synonym of quick", True, 3)


def _take(live: LiveTurns, *events: Event) -> list[dict[str, object]]:
    for event in events:
        live.take(event)
    return live.views()


def test_events_become_what_is_shown_step_by_step() -> None:
    live = LiveTurns()
    running = replace(ANSWERED, state=TurnState.RUNNING, reply=Reply(raw=""))
    assert _take(live, Started(running))[0]["phase"] == "looking"
    recalled = replace(running, decisions=(decision(ENTRY, Action.USE),))
    (view,) = _take(live, Recalled(recalled))
    assert (view["phase"], view["memory"]["used"][0]["id"]) == ("thinking", "e1")  # type: ignore[index]
    (view,) = _take(live, UnderstandingText("t1", "a syn"), UnderstandingText("t1", "onym"), AnswerText("t1", "bo"))
    assert (view["understanding"], view["answer"], view["phase"]) == ("a synonym", "<p>bo</p>\n", "")
    (view,) = _take(live, Finished(ANSWERED))
    assert (view["state"], view["understanding"]) == ("answered", "a synonym of brave")


def test_a_correction_shows_the_corrected_turn_as_noted_and_answered_again() -> None:
    live = LiveTurns()
    corrected = replace(ANSWERED, corrected_by="e1")
    again = replace(ANSWERED, id="t2", answers_again="t1")
    first, second = _take(
        live, Noted(ENTRY, corrected), Started(replace(again, state=TurnState.RUNNING)), Finished(again)
    )
    assert (first["id"], first["replaced"], first["noted"]["entry"]) == ("t1", True, "e1")  # type: ignore[index]
    assert (second["id"], second["again"], second["replaced"]) == ("t2", True, False)


def test_a_turn_of_another_run_is_only_marked_as_answered_again() -> None:
    again = replace(ANSWERED, id="t2", answers_again="t1")
    assert _take(LiveTurns(), Finished(again))[0] == {"id": "t1", "replaced": True}


def test_what_is_stopped_keeps_what_had_come() -> None:
    live = LiveTurns()
    _take(live, Started(replace(ANSWERED, state=TurnState.RUNNING, reply=Reply(raw=""))), AnswerText("t1", "bo"))
    live.end(TurnState.STOPPED)
    (view,) = live.views()
    assert (view["state"], view["answer"], view["copy"]) == ("stopped", "<p>bo</p>\n", "")
