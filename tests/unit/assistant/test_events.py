"""What the events of a run come to, and what an answer made of an entry."""

from dataclasses import replace

import pytest

from assistant.events import (
    AnswerText,
    Finished,
    Phase,
    Retrieved,
    RunSoFar,
    Saved,
    Started,
    UnderstandingText,
    Waiting,
)
from assistant.types import Action, Reply, Turn, TurnState, Use, use_of
from tests.support.memory.entries import an_entry

ASKED = Turn("t1", "c", "ann", "What is akin to quick?")
AGAIN = replace(ASKED, id="t2", answers_again="t1")
SAID = an_entry(id="e1", text="a synonym")
ANSWERED = replace(AGAIN, state=TurnState.ANSWERED, reply=Reply.of("", "a synonym", "fast"))


def test_events_add_up_to_turns_and_saved_entries() -> None:
    noted = RunSoFar().after([Saved(SAID, replace(ASKED, corrected_by="e1"))])
    assert (noted.answering, noted.phase, dict(noted.noted)) == ("", None, {"e1": SAID})
    looking = noted.after([Started(AGAIN)])
    assert (looking.turn, looking.phase) == (AGAIN, Phase.LOOKING)
    coming = looking.after([Retrieved(AGAIN), Waiting("t2"), UnderstandingText("t2", "a "), AnswerText("t2", "fa")])
    assert (coming.turn.reply, coming.phase) == (Reply.of("", "a ", "fa"), Phase.THINKING)
    over = coming.after([Finished(ANSWERED)])
    assert (over.turn, over.phase, list(over.turns)) == (ANSWERED, None, ["t1", "t2"])
    assert looking.turn is AGAIN  # nothing changes what was shown before


RUNNING, FAILED, STOPPED, UNDONE = TurnState.RUNNING, TurnState.FAILED, TurnState.STOPPED, TurnState.UNDONE


@pytest.mark.parametrize(("action", "state", "used", "chosen", "use"), [
    (Action.SKIP, TurnState.ANSWERED, "", None, None),
    (Action.USE, RUNNING, "", None, Use.SPLICED), (Action.USE, FAILED, "e", "e", Use.CHOSEN),
    (Action.USE, FAILED, "", None, None),  # there was no room for the question itself
    (Action.SHOW, RUNNING, "", None, Use.SHOWN), (Action.OFFER, STOPPED, "", None, Use.OFFERED),
    (Action.OFFER, TurnState.ANSWERED, "e", None, Use.FOLLOWED), (Action.OFFER, UNDONE, "", None, Use.DECLINED),
])  # fmt: skip
def test_use_of_an_entry_follows_its_turn(
    action: Action, state: TurnState, used: str, chosen: str | None, use: Use | None
) -> None:
    assert use_of(action, "e", state, used, chosen) is use
