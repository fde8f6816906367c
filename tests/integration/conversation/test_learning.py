"""What is learnt from reactions, on a real store: confirmed answers become examples, and everything can be undone."""

import pytest

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


def test_right_answer_is_kept_and_wrong_one_never(store: Store) -> None:
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
def test_cut_reply_is_no_example(store: Store, cut: str) -> None:
    loop = Loop(store, cut, "")
    confirm(loop, loop.ask("what is akin to quick ?"))
    assert examples(store) == []


def test_correction_takes_its_example_out_until_undone(store: Store) -> None:
    loop = Loop(store, RIGHT, RIGHT)
    turn = confirm(loop, loop.ask("what is akin to quick ?"))
    loop.clarify(turn, "an antonym")
    assert examples(store) == []
    (given,) = store.memory.entries(ME)
    loop.assistant.undo(given.id, ME)
    assert [entry.turn for entry in examples(store)] == [turn.id]
    assert loop.assistant.turn(turn.id, ME).confirmed
