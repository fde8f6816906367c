"""The loop, further: retries, chains of corrections, undo, what happens meanwhile, and what does not fit."""

from __future__ import annotations

import pytest

from assistant.errors import InputError, ModelUnavailable, NotFound
from assistant.events import AnswerText, Finished, Noted, Recalled, Started
from assistant.turn import NO_ROOM
from assistant.types import KeyOrigin, Reaction, TurnState
from memory_store.store import Store
from tests.support.memory.loop import ME, RIGHT, WRONG, Loop, active, last, reply, states


def test_a_correction_that_failed_is_one_again_when_it_is_retried(store: Store) -> None:
    loop = Loop(store, WRONG, ModelUnavailable(), "<correction>the river kind</correction>", RIGHT)
    loop.ask("what is akin to quick ?")
    failed = loop.ask("actually the river kind please")
    assert failed.state is TurnState.FAILED
    assert last(loop.assistant.retry(failed.id, ME)).reply.answer == "fast"
    assert active(store) == ["actually the river kind please"]


def test_a_correction_that_is_noted_is_not_retried(store: Store) -> None:
    loop = Loop(store, WRONG, "<correction>x</correction>", RIGHT)
    loop.ask("what is akin to quick ?")
    loop.ask("no, I meant a synonym")
    with pytest.raises(InputError):
        list(loop.assistant.retry(loop.assistant.turns("c", ME)[1].id, ME))


def test_undo_takes_back_an_answer_that_came_from_a_retry(store: Store) -> None:
    loop = Loop(store, WRONG, ModelUnavailable(), RIGHT)
    failed = loop.clarify(loop.ask("what is akin to quick ?"), "a synonym")
    last(loop.assistant.retry(failed.id, ME))
    loop.assistant.undo(store.memory.entries(ME)[0].id, ME)
    assert states(loop) == [("answered", False), ("undone", False), ("undone", False)]


def test_undo_takes_back_what_a_clarification_was_edited_to(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT)
    loop.clarify(loop.ask("what is akin to quick ?"), "a synonym")
    first = store.memory.entries(ME)[0]
    store.memory.edit(first.id, "a word of the same meaning", ME)
    loop.assistant.undo(first.id, ME)
    assert active(store) == []
    assert states(loop) == [("answered", False), ("undone", False)]


def test_undoing_the_first_of_two_corrections_takes_both_back(store: Store) -> None:
    loop = Loop(store, WRONG, WRONG, RIGHT)
    second = loop.clarify(loop.ask("what is akin to quick ?"), "a similar word")
    first_entry = store.memory.entries(ME)[0]
    loop.clarify(second, "a synonym")
    loop.assistant.undo(first_entry.id, ME)
    assert active(store) == []
    assert states(loop) == [("answered", False), ("undone", False), ("undone", False)]


def test_a_clarification_given_while_the_answer_still_comes_is_kept(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT)
    events = loop.assistant.ask("what is akin to quick ?", ME, "c")
    started = next(events)
    assert isinstance(started, Started)
    entry = next(e for e in loop.assistant.clarify(started.turn.id, "a synonym", ME) if isinstance(e, Noted)).entry
    last(events)
    assert loop.assistant.turn(started.turn.id, ME).corrected_by == entry.id


def test_forgetting_an_entry_while_it_is_used_lets_the_answer_come_and_keeps_nothing_of_it(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, RIGHT, RIGHT)
    again = loop.clarify(loop.ask("what is akin to quick ?"), "a synonym")
    entry_id = store.memory.entries(ME)[0].id
    events = loop.assistant.ask("what is akin to big ?", ME, "d")
    for event in events:
        if isinstance(event, Recalled):
            assert event.turn.used == (entry_id,)
            store.memory.forget(entry_id, ME)
    assert isinstance(event, Finished)
    assert event.turn.state is TurnState.ANSWERED
    for conversation in (again.conversation, "d"):
        assert loop.assistant.turns(conversation, ME) == []
    with pytest.raises(NotFound):
        last(loop.assistant.react(again.id, Reaction.CONFIRM, ME))


def test_a_retry_leaves_out_what_was_left_out(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, RIGHT, ModelUnavailable(), WRONG)
    loop.clarify(loop.ask("what is akin to quick ?"), "a synonym")
    used = loop.ask("what is akin to big ?", "other")
    failed = last(loop.assistant.react(used.id, Reaction.LEAVE_OUT, ME, used.used[0]))
    assert failed.state is TurnState.FAILED
    again = last(loop.assistant.retry(failed.id, ME))
    assert (again.used, again.left_out) == ((), used.used)
    assert loop.spliced() == {}


def test_an_entry_can_be_left_out_of_an_answer_that_was_stopped(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, reply("x", "word " * 50), WRONG)
    loop.clarify(loop.ask("what is akin to quick ?"), "a synonym")
    events = loop.assistant.ask("what is akin to big ?", ME, "d")
    next(event for event in events if isinstance(event, AnswerText))
    events.close()  # type: ignore[attr-defined]
    stopped = loop.assistant.turns("d", ME)[0]
    assert last(loop.assistant.react(stopped.id, Reaction.LEAVE_OUT, ME, stopped.used[0])).used == ()


@pytest.mark.parametrize(
    "answer",
    [
        "<correction>No correction needed.</correction>" + reply("the capital", "Paris"),
        reply("the capital", "Paris") + "<correction>not a correction</correction>",
    ],
)
def test_a_model_that_fills_in_every_tag_corrects_nothing(store: Store, answer: str) -> None:
    loop = Loop(store, WRONG, answer)
    loop.ask("what is akin to quick ?")
    assert loop.ask("What is the capital of France?").reply.answer == "Paris"
    assert active(store) == []


def test_a_correction_of_nothing_is_no_blank_card(store: Store) -> None:
    assert Loop(store, "<correction>x</correction>").ask("q").state is TurnState.FAILED


def test_a_long_clarification_in_the_chat_is_refused_and_can_be_shortened(store: Store) -> None:
    loop = Loop(store, WRONG, "<correction>x</correction>")
    loop.ask("what is akin to quick ?")
    failed = loop.ask("no, I meant " + "a synonym " * 300)
    assert failed.state is TurnState.FAILED
    assert "please shorten it to 2,000" in str(failed.error)
    assert active(store) == []


def test_something_long_in_memory_does_not_make_a_question_unanswerable(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, RIGHT)
    loop.clarify(loop.ask("what is akin to quick ?"), "समानार्थी शब्द " * 130)
    loop.model.window = 2500
    turn = loop.ask("what is akin to big ?", "other")
    assert turn.state is TurnState.ANSWERED
    assert (turn.used, turn.decisions[0].reason) == ((), NO_ROOM)


def test_a_long_question_before_does_not_make_the_next_unanswerable(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT)
    for question in ("शब्द " * 800, "अर्थ " * 800):
        assert loop.ask(question).state is TurnState.ANSWERED


def test_what_broke_unforeseen_does_not_leave_a_turn_running(store: Store) -> None:
    loop = Loop(store, ValueError("unforeseen"))
    with pytest.raises(ValueError, match="unforeseen"):
        loop.ask("q")
    assert states(loop) == [("failed", False)]


def test_the_right_understanding_gives_a_key_where_the_wrong_one_names_nothing(store: Store) -> None:
    loop = Loop(store, reply("I cannot tell", "?"), reply('a word like "happy"', "glad"), reply("x", "y"))
    loop.clarify(loop.ask("happy da jodidar ki hai?"), "same meaning wala shabad")
    assert [key.origin for key in store.memory.entries(ME)[0].keys] == [KeyOrigin.QUESTION, KeyOrigin.RULE]
    assert loop.ask("huge da jodidar ki hai?", "other").used


def test_a_correction_is_of_the_turn_that_the_person_sees(store: Store) -> None:
    loop = Loop(store, WRONG, WRONG, "<correction>a synonym</correction>", RIGHT)
    seen = loop.ask("what is akin to quick ?")
    loop.ask("what is akin to sad ?")
    events = list(loop.assistant.ask("no, I meant a synonym", ME, "c", seen.id))
    assert next(event for event in events if isinstance(event, Noted)).corrected.id == seen.id
