"""What the events of a run come to, and what an answer made of an entry."""

import pytest

from assistant.types import Action, TurnState, Use, use_of

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
