"""Several drafts of an answer on a real store, with a scripted model for each: the best is shown, the others kept."""

import threading
from collections.abc import Sequence
from contextlib import closing

import pytest

from assistant.errors import ModelUnavailable
from assistant.events import AnswerText, UnderstandingText
from assistant.model_usage import Usage
from assistant.types import Message, ReplyStatus, Turn, TurnState
from memory_store.store import Store
from tests.support.memory.allowance import FROM_AFAR, LimitedAllowance
from tests.support.memory.drafting import DraftingLoop, reply_to_round_trip
from tests.support.memory.loop import ME, RIGHT, WRONG, Loop, last, reply
from tests.support.servers.scripted import BrokenReply

pytestmark = pytest.mark.promise("best-draft-is-shown", "drafts-can-fail")

QUESTION = "What is akin to quick?"
LIKE = reply('You want a word like "quick".', "speedy")
# Round-trip questions in the order of the drafts; their scores are the words shared with the understandings.
BACK = ["You want a sound", "a word that means the same as quick", "nothing"]


@pytest.fixture
def loop(store: Store) -> DraftingLoop:
    drafting = DraftingLoop(store, WRONG, RIGHT, LIKE)
    drafting.model.reply = reply_to_round_trip(dict(zip(("kwik", "fast", "speedy"), BACK, strict=True)))
    return drafting


def answers(turn: Turn) -> list[tuple[str, str]]:
    drafts = [one["fields"] for one in turn.reply.fields["drafts"]["all"]]
    return [(one["understanding"], one["answer"]) for one in drafts]


def test_best_draft_is_shown_and_the_others_stay(loop: DraftingLoop, store: Store) -> None:
    loop.model.usage = loop.ways[0].usage = loop.ways[1].usage = Usage(10, 2, told=True)
    events = list(loop.assistant.with_parts(generator=loop.drafts).ask(QUESTION, ME, "c"))
    shown = "".join(event.text for event in events if isinstance(event, UnderstandingText | AnswerText))
    assert shown == "a word that sounds like quickkwik"  # the first draft streams
    turn = last(events)
    assert (turn.reply.answer, loop.calls, turn.usage) == ("fast", 6, Usage(60, 12, told=True))
    assert answers(turn) == [
        ("a word that sounds like quick", "kwik"),
        ("a word that means the same as quick", "fast"),
        ('You want a word like "quick".', "speedy"),
    ]
    drafts = store.turn_store.turn(turn.id, ME).reply.fields["drafts"]
    assert drafts == turn.reply.fields["drafts"]
    assert (drafts["best"], drafts["shown"]) == (1, 1)
    scores = [one["scores"] for one in drafts["all"]]
    # F1 by hand: of 4 and 6 words, one is shared ("a"; "sound" is not "sounds"); all 8; none
    assert scores == [{"round_trip": 2 * 1 / 10}, {"round_trip": 1.0}, {"round_trip": 0.0}]


def test_one_draft_makes_the_same_calls(store: Store) -> None:
    plain, drafting = Loop(store, WRONG, RIGHT), DraftingLoop(store, WRONG, back=[RIGHT])
    for loop, ask in ((plain, plain.ask), (drafting, drafting.draft)):
        ask(QUESTION, f"c{id(loop)}")
        turn = ask("What is akin to big?", f"c{id(loop)}")
        assert turn.reply.answer == "fast"
        assert "drafts" not in turn.reply.fields
    assert plain.model.asked == drafting.model.asked
    assert drafting.model.drafted == []


def test_failed_or_equal_draft_is_left_out(store: Store) -> None:
    loop = DraftingLoop(store, WRONG, ModelUnavailable(), BrokenReply("<understanding>", ModelUnavailable()), WRONG)
    assert answers(loop.draft()) == [("a word that sounds like quick", "kwik")]
    assert loop.calls == 4  # a single draft has nothing to compare with
    first = DraftingLoop(store, ModelUnavailable(), RIGHT)
    turn = first.draft(conversation="d")
    assert (turn.state, turn.reply.answer, turn.error) == (TurnState.ANSWERED, "fast", None)
    none = DraftingLoop(store, ModelUnavailable(), ModelUnavailable())
    assert none.draft(conversation="e").state is TurnState.FAILED


@pytest.mark.parametrize(("left", "drafts", "calls"), [(0, 1, 1), (1, 2, 2), (4, 3, 3), (5, 3, 6)])
def test_each_call_takes_of_the_allowance(loop: DraftingLoop, left: int, drafts: int, calls: int) -> None:
    loop.parts["allowance"] = allowance = LimitedAllowance(left)
    turn = last(loop.assistant.with_parts(generator=loop.drafts).ask(QUESTION, FROM_AFAR, "c"))
    assert (len(answers(turn)), loop.calls) == (drafts, calls)
    assert allowance.left == max(0, left - calls + 1)  # calls that are not made are not charged


def test_drafts_run_and_stop_together(loop: DraftingLoop) -> None:
    together = threading.Barrier(3)

    def written(_: Sequence[Message]) -> str:
        together.wait(5)  # until all have started
        return reply("the same", "x" * 100_000)

    for model in (loop.model, *loop.ways):
        model._queue.clear()
        model.reply, model.piece = written, 1
    with closing(loop.assistant.with_parts(generator=loop.drafts).ask(QUESTION, ME, "c")) as events:  # type: ignore[type-var]
        next(event for event in events if isinstance(event, AnswerText))
    assert [model.running for model in (loop.model, *loop.ways)] == [0, 0, 0]
    assert [model.closed_early for model in (loop.model, *loop.ways)] == [1, 1, 1]
    turn = loop.assistant.turns("c", ME)[-1]
    assert (turn.state, turn.reply.understanding) == (TurnState.STOPPED, "the same")
    assert turn.reply.status is ReplyStatus.TRUNCATED
