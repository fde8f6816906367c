from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.types import Message, Role
from tests.support.servers.scripted import NothingQueued, ScriptedModel

MESSAGES = (Message(Role.SYSTEM, "Be brief."), Message(Role.USER, "Why?"))


@given(st.lists(st.text(min_size=1), max_size=5), st.integers(1, 9))
def test_replies_come_in_order_and_whole_in_pieces_of_the_given_size(replies: list[str], piece: int) -> None:
    model = ScriptedModel(replies, piece=piece)
    for reply in replies:
        pieces = list(model.stream(MESSAGES))
        assert "".join(pieces) == reply
        assert all(len(part) == piece for part in pieces[:-1])


def test_queued_replies_come_before_written_ones_and_an_empty_queue_says_which_call_had_none() -> None:
    model = ScriptedModel(reply=lambda messages: messages[-1].content.upper())
    model.enqueue("first")
    assert ["".join(model.stream(MESSAGES)) for _ in range(2)] == ["first", "WHY?"]
    model = ScriptedModel(["one"], name="script")
    list(model.stream(MESSAGES))
    with pytest.raises(NothingQueued, match="call 2 to the model 'script'"):
        list(model.stream(MESSAGES))
