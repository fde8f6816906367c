from dataclasses import replace
from datetime import UTC, datetime

import pytest

from assistant.kinds import CLARIFICATION, Clarification
from assistant.models.embedded.embedded import NOT_UNDERSTOOD
from assistant.sentences import plain
from assistant.types import Action, Candidate, Decision, Entry, Key, Reply, ReplyStatus, Status, Turn, TurnState
from ui.page.conversation.views import memory_view, turn_view

WHEN = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
ENTRY = Entry(
    id="e1", kind=CLARIFICATION, owner="ann", shared=False, status=Status.ACTIVE,
    question="What is akin to quick?", body=Clarification(text="a synonym"), sequence=1, created=WHEN,
    keys=(Key("What is akin to quick?"),),
)  # fmt: skip
ANSWERED = Turn(
    id="t1", conversation="c", person="ann", question="What is akin to brave?", state=TurnState.ANSWERED, created=WHEN,
    reply=Reply.of(raw="", understanding="a synonym of brave", answer="**bold**", status=ReplyStatus.OK),
)  # fmt: skip


def decision(entry: Entry, action: Action, reason: str = "same wording") -> Decision:
    return Decision(Candidate(entry, entry.keys[0]), action, 0.9, plain(reason))


@pytest.mark.parametrize(("status", "notice"), [
    (ReplyStatus.TRUNCATED, "truncated"), (ReplyStatus.NO_ANSWER, "no_answer"), (ReplyStatus.UNSTRUCTURED, ""),
])  # fmt: skip
def test_a_reply_that_is_not_whole_says_so_and_can_be_tried_again(status: ReplyStatus, notice: str) -> None:
    view = turn_view(replace(ANSWERED, reply=replace(ANSWERED.reply, status=status)))
    assert view["notice"] == notice
    assert view["can"]["retry"] == bool(notice)
    assert view["can"]["confirm"] == (not notice)


def test_what_the_embedded_model_cannot_do_has_nothing_to_confirm_and_examples_instead() -> None:
    declined = replace(ANSWERED, reply=ANSWERED.reply.with_fields(understanding=NOT_UNDERSTOOD))
    view = turn_view(declined)
    assert (view["can"]["confirm"], view["can"]["examples"], view["memory"]) == (False, True, None)
    view = turn_view(replace(declined, decisions=(decision(ENTRY, Action.OFFER),)))
    assert view["memory"] is not None
    assert turn_view(ANSWERED)["can"]["examples"] is False


def test_where_nothing_was_used_the_nearest_says_why_it_was_left_out() -> None:
    offered = memory_view(replace(ANSWERED, decisions=(decision(ENTRY, Action.OFFER),)))["nearest"]
    left = memory_view(replace(ANSWERED, decisions=(decision(ENTRY, Action.LEAVE, "other task"),)))["nearest"]
    assert offered["use"] == "declined"
    assert (left["use"], str(left["reason"])) == ("", "other task")


def test_what_the_person_left_out_comes_before_what_was_near() -> None:
    near = replace(ENTRY, id="e2")
    decisions = (decision(near, Action.LEAVE), replace(decision(ENTRY, Action.LEAVE, "by you"), probability=0.0))
    view = memory_view(replace(ANSWERED, decisions=decisions, left_out=("e1",)))
    assert (view["nearest"]["id"], str(view["nearest"]["reason"]), view["left_by_person"]) == ("e1", "by you", True)
    assert memory_view(replace(ANSWERED, decisions=decisions))["nearest"]["id"] == "e2"


def test_an_entry_that_has_nothing_to_do_with_the_question_is_not_called_near() -> None:
    far = replace(decision(ENTRY, Action.LEAVE), probability=0.04)
    assert memory_view(replace(ANSWERED, decisions=(far,)))["nearest"] is None
