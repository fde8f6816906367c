"""What is learnt from reactions, on a real store: confirmed answers become examples, and everything can be undone."""

import pytest

from assistant.gate.gate import LEFT_OUT
from assistant.kinds import EXAMPLE, Example
from assistant.types import Entry, Reaction, Role, Turn
from memory_store.store import Store
from tests.support.memory.loop import ME, OTHER, RIGHT, WRONG, Loop, last, reply


def examples(store: Store) -> list[Entry]:
    return [entry for entry in store.memory.entries(ME) if entry.kind is EXAMPLE]


def confirm(loop: Loop, turn: Turn) -> Turn:
    return last(loop.assistant.react(turn.id, Reaction.CONFIRM, ME))


def asked(loop: Loop) -> list[str]:
    return [message.content for message in loop.model.asked[-1] if message.role is Role.USER]


def test_the_right_answer_after_a_clarification_is_kept_and_the_wrong_one_never(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, reply("a word that means the same as big", "large", notes="1"), RIGHT)
    wrong = loop.ask("what is akin to quick ?")
    right = loop.clarify(wrong, "a synonym")
    confirm(loop, right)
    confirm(loop, wrong)  # a page that was not up to date
    (kept,) = examples(store)
    assert isinstance(kept.body, Example)
    assert (kept.turn, kept.body.answer) == (right.id, "fast")
    turn = loop.ask("what is akin to big ?", "another conversation")
    assert set(turn.used) == {kept.id, right.used[0]}
    assert "kwik" not in str(loop.model.asked[-1])
    assert store.memory.entry(kept.id, ME).used == 1
    assert loop.ask("what is akin to quick ?", scope=OTHER).used == ()
    assert "Question: what is akin to quick ?" not in asked(loop)


@pytest.mark.parametrize("cut", ["<understanding>a synonym</understanding>\n<answer>fas", "just words"])
def test_a_reply_that_is_not_whole_is_no_example(store: Store, cut: str) -> None:
    loop = Loop(store, cut, "")
    confirm(loop, loop.ask("what is akin to quick ?"))
    assert examples(store) == []


def test_clarifying_a_confirmed_question_takes_its_example_out_and_undo_brings_it_back(store: Store) -> None:
    loop = Loop(store, RIGHT, RIGHT)
    turn = confirm(loop, loop.ask("what is akin to quick ?"))
    loop.clarify(turn, "an antonym")
    assert examples(store) == []
    (given,) = store.memory.entries(ME)
    loop.assistant.undo(given.id, ME)
    assert [entry.turn for entry in examples(store)] == [turn.id]
    assert loop.assistant.turn(turn.id, ME).confirmed


def test_an_example_is_left_out_and_used_again_like_any_entry_and_rests_when_it_is_paused(store: Store) -> None:
    loop = Loop(store, RIGHT, *[RIGHT] * 7)
    confirm(loop, loop.ask("what is akin to quick ?"))
    (kept,) = examples(store)
    for number in range(2):
        turn = loop.ask("what is akin to big ?", f"another {number}")
        assert turn.used == (kept.id,)
        again = last(loop.assistant.react(turn.id, Reaction.EXCLUDE, ME, kept.id))
        assert (again.used, again.decisions[-1].reason) == ((), LEFT_OUT)
        assert "Question: what is akin to quick ?" not in asked(loop)
    back = last(loop.assistant.react(again.id, Reaction.USE, ME, kept.id))
    assert (back.used, back.left_out, back.chosen) == ((kept.id,), (), None)
    last(loop.assistant.react(back.id, Reaction.PAUSE, ME, kept.id))
    assert loop.ask("what is akin to big ?", "the last").used == ()
    assert examples(store)[0].resting
