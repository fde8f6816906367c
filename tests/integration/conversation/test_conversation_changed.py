"""The loop where a person changes what an answer rests on: its question, or the note that it uses."""

from __future__ import annotations

import pytest

from assistant.choose.by_person import CHOSEN
from assistant.errors import InputError, NotFound
from assistant.types import Action, Reaction, Turn
from memory_store.store import Store
from tests.support.memory.loop import ME, OTHER, RIGHT, WRONG, Loop, active, last, reply


def use(loop: Loop, turn: Turn, entry_id: str) -> Turn:
    return last(loop.assistant.react(turn.id, Reaction.USE, ME, entry_id))


def passed_over(loop: Loop) -> tuple[Turn, str]:
    """A turn for which a note was found and not used, and the note."""
    loop.clarify(loop.ask("what is akin to quick ?"), "a synonym")
    turn = loop.ask("words akin to brave", "d")
    (decision,) = turn.decisions
    assert (turn.used, decision.action) == ((), Action.LEAVE)
    return turn, decision.entry.id


def test_an_edited_question_is_answered_in_the_place_of_the_old_one(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, RIGHT)
    loop.ask("the one before")
    old = loop.ask("what is akin to quik ?")
    edited = last(loop.assistant.edit(old.id, " what is akin to quick ? ", ME))
    assert (edited.question, edited.answers_again) == ("what is akin to quick ?", old.id)
    asked = [message.content for message in loop.model.asked[-1]]
    assert any("the one before" in content for content in asked)
    assert not any("quik" in content for content in asked)
    assert [turn.question for turn in loop.assistant.turns("c", ME)][1:] == [old.question, edited.question]


def test_what_stands_in_the_place_of_another_is_what_the_next_question_sees(store: Store) -> None:
    loop = Loop(store, reply("u", "an answer to forget"), reply("u", "the answer that counts"), RIGHT)
    old = loop.ask("the old question")
    last(loop.assistant.edit(old.id, "the new question", ME))
    loop.ask("one more")
    asked = " ".join(message.content for message in loop.model.asked[-1])
    assert "the answer that counts" in asked
    assert "an answer to forget" not in asked
    assert "the old question" not in asked


def test_what_cannot_be_edited_is_refused(store: Store) -> None:
    loop = Loop(store, WRONG, "<correction>x</correction>", RIGHT)
    first = loop.ask("what is akin to quick ?")
    loop.ask("no, I meant a synonym")
    message = loop.assistant.turns("c", ME)[1]
    for refused, turn, text, scope in (
        (InputError, message, "another", ME),
        (InputError, first, " ", ME),
        (NotFound, first, "another", OTHER),
    ):
        with pytest.raises(refused):
            list(loop.assistant.edit(turn.id, text, scope))
    assert active(store) == ["no, I meant a synonym"]


def test_a_note_that_was_not_used_is_used_when_the_person_says_so_and_it_counts_for_it(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, WRONG, RIGHT, RIGHT, chooses_notes=False)
    turn, entry_id = passed_over(loop)
    again = use(loop, turn, entry_id)
    assert loop.spliced()["clarification"] == ["a synonym"]
    assert (again.used, again.chosen, again.answers_again) == ((entry_id,), entry_id, turn.id)
    assert (again.decisions[0].reason, again.decisions[0].probability) == (CHOSEN, 1.0)
    entry = store.memory.entry(entry_id, ME)
    assert (entry.helped, entry.reactions[0].question) == (1, turn.question)
    assert last(loop.assistant.retry(again.id, ME)).used == (entry_id,)
    with pytest.raises(NotFound):
        use(loop, again, entry_id)


def test_a_chosen_note_can_be_left_out_again_and_chosen_again(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, WRONG, RIGHT, WRONG, RIGHT, chooses_notes=False)
    turn, entry_id = passed_over(loop)
    without = last(loop.assistant.react(use(loop, turn, entry_id).id, Reaction.LEAVE_OUT, ME, entry_id))
    assert (without.used, without.chosen, without.left_out) == ((), None, (entry_id,))
    assert use(loop, without, entry_id).left_out == ()


def test_a_note_that_was_taken_back_is_not_used_any_more(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, WRONG, RIGHT, chooses_notes=False)
    turn, entry_id = passed_over(loop)
    store.memory.retract(entry_id, ME)
    assert use(loop, turn, entry_id).used == ()


def test_correcting_an_answer_with_a_chosen_note_leaves_that_note(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, WRONG, RIGHT, RIGHT, chooses_notes=False)
    turn, entry_id = passed_over(loop)
    corrected = loop.clarify(use(loop, turn, entry_id), "a thing that looks like it")
    assert corrected.chosen is None
    assert active(store) == ["a synonym", "a thing that looks like it"]


def test_only_a_note_that_was_found_for_the_turn_can_be_chosen(store: Store) -> None:
    loop = Loop(store, WRONG, WRONG, RIGHT, WRONG, chooses_notes=False)
    other = loop.ask("asked before there was any note", "e")
    turn, entry_id = passed_over(loop)
    for refused, asked in ((other, entry_id), (turn, "no such entry")):
        with pytest.raises(NotFound):
            use(loop, refused, asked)
    assert store.memory.entry(entry_id, ME).helped == 0
