"""Which turn the next message may put right."""

import pytest

from assistant.feedback.corrections import turn_to_correct
from assistant.types import Reply, Turn, TurnState

ANSWERED, FAILED, STOPPED = TurnState.ANSWERED, TurnState.FAILED, TurnState.STOPPED
ASKED, MEANT = "what is akin to quick ?", "no, I meant a synonym"


def turn(number: int, question: str, state: TurnState, corrected_by: str | None = None) -> Turn:
    reply = Reply.of("", "You want a word.", "kwik") if state is ANSWERED else Reply("")
    return Turn(str(number), "c", "me", question, state=state, reply=reply, corrected_by=corrected_by)


@pytest.mark.parametrize(
    ("message", "turns", "place"),
    [
        (MEANT, [(ASKED, ANSWERED)], 0),
        (MEANT, [(ASKED, FAILED)], 0),
        (MEANT, [(ASKED, ANSWERED), (MEANT, STOPPED)], 0),  # said again
        (MEANT, [(ASKED, ANSWERED), (MEANT, TurnState.CORRECTION)], 0),
        ("what is akin to big ?", [(ASKED, FAILED)], None),
        ("no, that's all, thanks", [(ASKED, ANSWERED)], None),
        (MEANT, [(ASKED, ANSWERED), (ASKED, TurnState.RUNNING)], None),
        (MEANT, [(ASKED, TurnState.DELETED)], None),
    ],
)
def test_turn_to_correct_is_the_last_standing(
    message: str, turns: list[tuple[str, TurnState]], place: int | None
) -> None:
    earlier = [turn(number, question, state) for number, (question, state) in enumerate(turns)]
    assert turn_to_correct(message, earlier) == (None if place is None else earlier[place])


def test_corrected_turn_is_not_corrected_again() -> None:
    assert turn_to_correct(MEANT, [turn(0, ASKED, ANSWERED, corrected_by="e")]) is None
