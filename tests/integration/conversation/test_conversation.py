"""The loop on a real store, with a scripted model: ask, clarify, react, undo, and everything that can go wrong."""

from __future__ import annotations

import pytest
from sqlalchemy.event import listen

from assistant.choose.by_person import JUST_TOLD, LEFT_OUT
from assistant.errors import ModelUnavailable, NotFound, StreamCut
from assistant.events import AnswerText, Finished, Noted, Recalled, Started, UnderstandingText
from assistant.turn import NOT_CERTAIN
from assistant.types import Action, Reaction, ReplyStatus, Status, TurnState
from memory_store.store import Store
from tests.support.memory.loop import ME, OTHER, RIGHT, WRONG, Loop, last, reply
from tests.support.servers.scripted import Broken, ScriptedReply


def test_a_turn_shows_the_understanding_first_and_is_kept(store: Store) -> None:
    loop = Loop(store, RIGHT)
    events = list(loop.assistant.ask("what is akin to quick ?", ME, "c"))
    kinds = [type(event) for event in events]
    assert kinds[:2] == [Started, Recalled]
    assert kinds[-1] is Finished
    assert kinds.index(UnderstandingText) < kinds.index(AnswerText)
    turn = last(events)
    assert (turn.reply.understanding, turn.reply.answer) == ("a word that means the same as quick", "fast")
    assert "".join(event.text for event in events if isinstance(event, AnswerText)) == "fast"
    assert loop.assistant.turns("c", ME)[0].reply == turn.reply
    assert {"recall", "gate", "prompt", "first_token", "model", "total"} <= turn.ms.keys()


def test_saved_waits_for_one_commit(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT)
    turn = loop.ask("what is akin to quick ?")
    written = store.ledger.stamp()
    commits: list[object] = []
    listen(store.ledger._engine, "commit", commits.append)
    for event in loop.assistant.clarify(turn.id, "I want a word with the same meaning", ME):
        if isinstance(event, Noted):
            break
    assert len(commits) == 1
    assert store.ledger.stamp() != written
    assert loop.assistant.turn(turn.id, ME).corrected_by == event.entry.id


def test_a_clarification_is_used_at_once_and_for_the_next_question_that_needs_it(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, reply("a synonym of big", "large"))
    first = loop.ask("what is akin to quick ?")
    events = list(loop.assistant.clarify(first.id, "I want a word with the same meaning", ME))
    noted = next(event for event in events if isinstance(event, Noted))
    again = last(events)
    assert again.answers_again == first.id
    assert again.used == (noted.entry.id,)
    assert again.decisions[0].reason == JUST_TOLD
    assert loop.spliced() == {"clarification": ["I want a word with the same meaning"]}
    other = loop.ask("what is akin to big ?", "another conversation")
    assert other.used == (noted.entry.id,)
    assert "what is akin to" in str(other.decisions[0].reason)
    assert loop.spliced() == {"clarification": ["I want a word with the same meaning"]}


@pytest.mark.parametrize(
    "message", ["no, I meant a synonym", "nahi, mera matlab same meaning", "ਨਹੀਂ, ਮੇਰਾ ਮਤਲਬ ਸਮਾਨ ਸ਼ਬਦ"]
)
def test_a_message_that_corrects_is_noted_and_the_question_answered_again(store: Store, message: str) -> None:
    loop = Loop(store, WRONG, "<correction>a synonym</correction>", RIGHT)
    first = loop.ask("what is akin to quick ?")
    events = list(loop.assistant.ask(message, ME, "c"))
    turns = [event.turn for event in events if isinstance(event, Finished)]
    noted = next(event for event in events if isinstance(event, Noted))
    assert [turn.state for turn in turns] == [TurnState.CORRECTION, TurnState.ANSWERED]
    assert noted.entry.text == message
    assert noted.entry.question == "what is akin to quick ?"
    assert noted.corrected.corrected_by == noted.entry.id
    assert (turns[1].question, turns[1].answers_again) == ("what is akin to quick ?", first.id)


def test_a_plain_correction_is_caught_where_the_model_overlooks_it(store: Store) -> None:
    loop = Loop(store, WRONG, reply("You say something", "Sure, a synonym is nice"), RIGHT)
    loop.ask("what is akin to quick ?")
    events = list(loop.assistant.ask("no, I meant a synonym", ME, "c"))
    assert not any(isinstance(event, AnswerText) and "Sure" in event.text for event in events)
    assert last(events).reply.answer == "fast"
    assert loop.model.closed_early == 1


def test_a_plain_correction_is_kept_where_the_model_is_down(store: Store) -> None:
    loop = Loop(store, WRONG, ModelUnavailable(), ModelUnavailable(), RIGHT)
    loop.ask("what is akin to quick ?")
    failed = last(loop.assistant.ask("no, I meant a synonym", ME, "c"))
    assert failed.state is TurnState.FAILED
    assert [entry.text for entry in store.memory.entries(ME)] == ["no, I meant a synonym"]
    again = last(loop.assistant.retry(failed.id, ME))
    assert again.state is TurnState.ANSWERED
    assert loop.spliced() == {"clarification": ["no, I meant a synonym"]}


def test_what_only_looks_like_a_correction_is_not_stored(store: Store) -> None:
    loop = Loop(store, WRONG, reply("You are done", "You are welcome."))
    loop.ask("what is akin to quick ?")
    turn = loop.ask("no, that's all, thanks")
    assert turn.state is TurnState.ANSWERED
    assert "previous" not in loop.spliced()
    assert store.memory.entries(ME) == []


def test_a_new_question_is_told_the_turn_before_and_answered(store: Store) -> None:
    loop = Loop(store, WRONG, reply("the capital", "Paris"))
    loop.ask("what is akin to quick ?")
    assert loop.ask("What is the capital of France?").reply.answer == "Paris"
    assert loop.spliced()["previous"] == ["what is akin to quick ?"]


def test_undo_takes_the_entry_and_the_answer_made_with_it_back(store: Store) -> None:
    loop = Loop(store, WRONG, "<correction>a synonym</correction>", RIGHT, WRONG)
    loop.ask("what is akin to quick ?")
    loop.ask("no, I meant a synonym")
    entry = store.memory.entries(ME)[0]
    changed = loop.assistant.undo(entry.id, ME)
    assert [turn.state for turn in changed] == [TurnState.ANSWERED, TurnState.UNDONE, TurnState.UNDONE]
    assert changed[0].corrected_by is None
    assert store.memory.entries(ME) == []
    assert loop.ask("what is akin to big ?", "other").used == ()
    assert loop.assistant.undo(entry.id, ME) == ()
    with pytest.raises(NotFound):
        loop.assistant.undo(entry.id, OTHER)


def test_the_same_words_can_be_said_again_after_an_undo(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, RIGHT)
    first = loop.ask("what is akin to quick ?")
    loop.clarify(first, "a synonym")
    loop.assistant.undo(store.memory.entries(ME)[0].id, ME)
    loop.clarify(first, "a synonym")
    assert [entry.status for entry in store.memory.entries(ME)] == [Status.ACTIVE]


def test_a_second_correction_replaces_the_first_and_undo_brings_it_back(store: Store) -> None:
    loop = Loop(store, WRONG, WRONG, RIGHT)
    first = loop.ask("what is akin to quick ?")
    second = loop.clarify(first, "a similar word")
    loop.clarify(second, "a word with the same meaning")
    assert [entry.text for entry in store.memory.entries(ME)] == ["a word with the same meaning"]
    loop.assistant.undo(store.memory.entries(ME)[0].id, ME)
    assert [entry.text for entry in store.memory.entries(ME)] == ["a similar word"]


def test_leave_it_out_answers_without_it_and_counts_against_it(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, RIGHT, WRONG)
    loop.clarify(loop.ask("what is akin to quick ?"), "a synonym")
    used = loop.ask("what is akin to big ?", "other")
    entry_id = used.used[0]
    without = last(loop.assistant.react(used.id, Reaction.LEAVE_OUT, ME, entry_id))
    assert without.used == ()
    assert [(decision.action, decision.reason) for decision in without.decisions] == [(Action.LEAVE, LEFT_OUT)]
    assert loop.spliced() == {}
    assert store.memory.entry(entry_id, ME).hurt == 1
    with pytest.raises(NotFound):
        list(loop.assistant.react(used.id, Reaction.LEAVE_OUT, ME, "no such entry"))


def test_yes_thats_it_counts_for_it_once(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT)
    again = loop.clarify(loop.ask("what is akin to quick ?"), "a synonym")
    for _ in range(2):
        assert last(loop.assistant.react(again.id, Reaction.CONFIRM, ME)).confirmed
    entry = store.memory.entry(again.used[0], ME)
    assert (entry.used, entry.helped, entry.hurt) == (1, 1, 0)


def test_the_model_never_sees_its_wrong_output_again(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, reply("x", "y"), reply("cut", "half")[:-12], reply("z", "zz"))
    loop.clarify(loop.ask("what is akin to quick ?"), "a synonym")
    loop.ask("first")
    assert loop.ask("second").reply.status is ReplyStatus.TRUNCATED
    loop.ask("third")
    seen = "\n".join(message.content for message in loop.model.asked[-1])
    assert "<answer>fast</answer>" in seen
    assert "kwik" not in seen
    assert "half" not in seen


def test_what_the_model_names_of_the_offered_notes_is_what_is_used(store: Store) -> None:
    loop = Loop(store, *[WRONG, RIGHT] * 2, reply("by the river", "yes", "2, 2, 9"))
    for question, words in (
        ("can I sit at the bank", "the river bank"),
        ("bank", "a river bank, not money"),
    ):
        loop.clarify(loop.ask(question, question), words)
    turn = loop.ask("when is the bank open", "c")
    offered = [decision.entry.id for decision in turn.decisions if decision.action is Action.OFFER]
    spliced = [decision.entry.id for decision in turn.decisions if decision.action is Action.USE]
    if len(offered) < 2:
        pytest.fail(f"the gate offered {len(offered)} notes; this test needs two")
    assert turn.used == (*spliced, offered[1])
    assert len(loop.spliced()["offered"]) == len(offered)


def test_a_model_that_cannot_choose_is_offered_nothing(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, WRONG, chooses_notes=False)
    loop.clarify(loop.ask("where is the bank around here", "b"), "the river bank")
    loop.ask("is there any bank here", "c")
    assert "offered" not in loop.spliced()
    assert {(d.action, d.reason) for d in loop.assistant.turns("c", ME)[-1].decisions} == {(Action.LEAVE, NOT_CERTAIN)}


@pytest.mark.parametrize("failure", [ModelUnavailable(), Broken("<understanding>Half of this", StreamCut())])
def test_a_failed_turn_says_so_in_one_sentence_can_be_tried_again_and_is_not_remembered(
    store: Store, failure: ScriptedReply
) -> None:
    loop = Loop(store, failure, RIGHT)
    turn = loop.ask("what is akin to quick ?")
    assert turn.state is TurnState.FAILED
    assert str(turn.error).endswith("try again.")
    again = last(loop.assistant.retry(turn.id, ME))
    assert (again.state, again.answers_again) == (TurnState.ANSWERED, turn.id)
    assert "Half of this" not in "\n".join(message.content for message in loop.model.asked[-1])
    assert store.memory.entries(ME) == []


def test_an_empty_reply_is_a_failure(store: Store) -> None:
    assert Loop(store, "").ask("q").state is TurnState.FAILED


def test_a_missing_understanding_is_asked_for_once(store: Store) -> None:
    loop = Loop(store, "fast", "You want a synonym of quick.")
    turn = loop.ask("what is akin to quick ?")
    assert (turn.reply.answer, turn.reply.understanding) == ("fast", "You want a synonym of quick.")
    assert turn.reply.status is ReplyStatus.UNSTRUCTURED
    assert Loop(store, "fast", ModelUnavailable()).ask("q").reply.understanding == ""


def test_closing_the_events_stops_the_model_and_records_what_had_come(store: Store) -> None:
    loop = Loop(store, reply("You want something long", "word " * 100))
    events = loop.assistant.ask("q", ME, "c")
    for event in events:
        if isinstance(event, AnswerText):
            break
    events.close()  # type: ignore[attr-defined]
    turn = loop.assistant.turns("c", ME)[0]
    assert turn.state is TurnState.STOPPED
    assert turn.reply.understanding == "You want something long"
    assert loop.model.closed_early == 1
