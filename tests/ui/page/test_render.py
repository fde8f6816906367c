from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from assistant.kinds import CLARIFICATION, Clarification
from assistant.models.embedded.reader import NOT_UNDERSTOOD
from assistant.sentences import plain
from assistant.types import Action, Candidate, Decision, Entry, Key, Reply, ReplyStatus, Status, Turn, TurnState
from ui.page.views import memory_view, turn_view

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
def test_partial_reply_says_so_and_can_be_retried(status: ReplyStatus, notice: str) -> None:
    view = turn_view(replace(ANSWERED, reply=replace(ANSWERED.reply, status=status)))
    assert view["notice"] == notice
    assert view["can"]["retry"] == bool(notice)
    assert view["can"]["confirm"] == (not notice)


def test_refusal_has_examples_in_place_of_confirming() -> None:
    declined = replace(ANSWERED, reply=ANSWERED.reply.with_fields(understanding=NOT_UNDERSTOOD))
    view = turn_view(replace(declined, decisions=(decision(ENTRY, Action.OFFER),)))
    assert (view["can"]["confirm"], view["can"]["examples"], view["memory"]) == (False, True, None)
    left = turn_view(replace(declined, decisions=(decision(ENTRY, Action.SKIP),), left_out=("e1",)))["memory"]
    assert ([kept["id"] for kept in left["kept_back"]], left["looked"]) == (["e1"], [])
    assert turn_view(ANSWERED)["can"]["examples"] is False


def test_what_was_near_and_not_used_says_why() -> None:
    (offered,) = memory(replace(ANSWERED, decisions=(decision(ENTRY, Action.OFFER),)))["looked"]
    assert offered["use"] == "declined"
    skipped = decision(ENTRY, Action.SKIP, "other task")
    (left,) = memory(replace(ANSWERED, decisions=(skipped,)))["looked"]
    assert (left["use"], str(left["reason"])) == ("", "other task")
    assert memory_view(replace(ANSWERED, decisions=(replace(skipped, probability=0.04),))) is None  # it was not near
    by_person = replace(decision(replace(ENTRY, id="e2"), Action.SKIP, "by you"), probability=0.0)
    view = memory(replace(ANSWERED, decisions=(skipped, by_person), left_out=("e2",)))
    assert [[each["id"] for each in view[name]] for name in ("looked", "kept_back")] == [["e1"], ["e2"]]


def test_used_entry_is_shown_with_its_question() -> None:
    body = Clarification(text="no, I meant a synonym", wrong_understanding='You want to know what "quick" means.')
    entry = replace(ENTRY, body=body)
    used = replace(ANSWERED, decisions=(decision(entry, Action.USE),), used=("e1",))
    view = memory(replace(used, question="what’s akin to brave?"))
    (rests,) = view["used"]
    assert (rests["question"], rests["meaning"], rests["without"]) == ("What is akin to quick?", "a synonym", "")
    assert rests["text"] == "no, I meant a synonym"
    assert memory(replace(used, question="what is akin to quick?"))["used"][0]["without"].endswith('"quick" means.')
    assert memory_view(replace(used, clarified_with="e1")) is None  # it is the turn's own clarification


def memory(turn: Turn) -> Mapping[str, Any]:
    view = memory_view(turn)
    assert view
    return view
