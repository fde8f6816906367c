"""The reach of a correction: one question, similar questions, one conversation, or paused."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.errors import NotFound
from assistant.feedback.learning import ProposedReach
from assistant.gate.gate import LEFT_OUT
from assistant.kinds import Reach
from assistant.sharing import EXCEPTED, OTHER_QUESTION, RESTS
from assistant.types import Action, Entry, Reaction, Turn
from memory_store.language.question_similarity import QuestionSimilarity
from memory_store.store import Store
from tests.support.damage.find_bytes import find_bytes
from tests.support.memory.loop import BY_NOTE, ME, OTHER, RIGHT, WRONG, Loop, last, read_active
from tests.support.memory.store import small_store

pytestmark = pytest.mark.promise("one-question-only", "one-conversation-only", "left-out-once", "paused-is-not-used")

LIGHT, QUICK = "what does light mean?", "what is akin to quick ?"


@pytest.fixture
def proposing(store: Store) -> Loop:
    """Return a loop that proposes the reach of corrections."""
    loop = Loop(store, *[WRONG, RIGHT] * 2)
    loop.assistant = replace(loop.assistant, propose_reach=ProposedReach(QuestionSimilarity()))
    return loop


class Taught(Loop):
    """A loop with a correction that was used for another question and then excluded there."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, WRONG, RIGHT, BY_NOTE, *[RIGHT] * 20)
        self.clarify(self.ask(QUICK), "a synonym")
        (self.entry,) = store.memory.entries(ME)
        used = self.ask("what is akin to big ?", "elsewhere")
        assert used.used == (self.entry.id,)
        self.left = last(self.assistant.react(used.id, Reaction.EXCLUDE, ME, self.entry.id))

    def say(self, reaction: Reaction) -> Turn:
        return last(self.assistant.react(self.left.id, reaction, ME, self.entry.id))


@pytest.fixture
def taught(store: Store) -> Taught:
    return Taught(store)


def found(loop: Loop, question: str) -> list[tuple[Action, object]]:
    """Return the decision about each note found for a question."""
    return [(one.action, one.reason) for one in loop.assistant.preview(question, ME)]


def actions(loop: Loop, question: str) -> list[Action]:
    return [action for action, _ in found(loop, question)]


def only_here(loop: Loop, turn: Turn, words: str) -> Turn:
    return last(loop.assistant.clarify(turn.id, words, ME, reach=Reach.CONVERSATION))


def the_entry(store: Store) -> Entry:
    (entry,) = store.memory.entries(ME)
    return entry


def test_common_way_of_asking_is_corrected_once(store: Store, proposing: Loop) -> None:
    proposing.clarify(proposing.ask(LIGHT), "I wanted the opposite of it")
    proposing.clarify(proposing.ask("what is akin to quick?", "d"), "a synonym")
    akin, light = store.memory.entries(ME)
    assert (light.reach, akin.reach) == (Reach.QUESTION, Reach.WAY)
    for question, entry in (("wat does light mean", light), ("what is akin to big?", akin)):
        decisions = proposing.assistant.preview(question, ME)
        assert next(one.entry for one in decisions if one.action is Action.OFFER) == entry
    assert (Action.SKIP, OTHER_QUESTION) in found(proposing, "what does gratitude mean?")


def test_changed_reach_stays(store: Store, proposing: Loop) -> None:
    proposing.clarify(proposing.ask(LIGHT, "here"), "I wanted the opposite of it")
    entry, set_reach = the_entry(store), proposing.assistant.set_reach
    wide = set_reach(entry.id, Reach.WAY, ME)
    assert (wide.id, wide.reach, wide.body.reach_chosen) == (entry.id, Reach.WAY, True)
    assert actions(proposing, "what does gratitude mean?") == [Action.OFFER]
    here = set_reach(entry.id, Reach.CONVERSATION, ME)
    assert (here.only_in, here.supersedes) == ("here", entry.id)
    assert actions(proposing, LIGHT) == []
    narrow = set_reach(here.id, Reach.QUESTION, ME)
    assert (narrow.reach, narrow.only_in) == (Reach.QUESTION, "")
    assert actions(proposing, LIGHT) == [Action.OFFER]
    with pytest.raises(NotFound):
        set_reach(narrow.id, Reach.WAY, OTHER)


def test_left_out_entry_is_offered_next_time(taught: Taught) -> None:
    assert [(one.action, one.reason) for one in taught.left.decisions] == [(Action.SKIP, LEFT_OUT)]
    assert taught.spliced() == {}
    assert taught.ask("what is akin to small ?", "again").entries_to(Action.OFFER) == (taught.entry.id,)
    assert taught.spliced() == {"offered": ["a synonym"]}


def test_left_out_entry_may_be_changed_since(taught: Taught, store: Store) -> None:
    used = taught.left.answers_again or ""
    changed = store.memory.edit(taught.entry.id, "a word with the same meaning", ME)
    left = last(taught.assistant.react(used, Reaction.EXCLUDE, ME, taught.entry.id))
    assert [(one.entry.id, one.reason) for one in left.decisions] == [(changed.id, LEFT_OUT)]
    again = last(taught.assistant.react(left.id, Reaction.USE, ME, changed.id))
    assert again.chosen == changed.id


def test_exception_bounds_a_way_of_asking(taught: Taught) -> None:
    taught.say(Reaction.EXCEPT)
    assert found(taught, "what is akin to small ?") == [(Action.SKIP, EXCEPTED)]
    assert actions(taught, "wat is akin to quik ?") == [Action.OFFER]
    taught.assistant.remember("what is akin to quick silver ?", "a metal", ME)
    asked = taught.ask("tell me what is akin to the word quick", "again")
    assert asked.entries_to(Action.OFFER)[0] == taught.entry.id
    taught.say(Reaction.RESUME)
    assert Action.OFFER in actions(taught, "what is akin to small ?")


def test_paused_entry_says_so_until_resumed(taught: Taught, store: Store) -> None:
    taught.say(Reaction.PAUSE)
    assert found(taught, "what is akin to small ?") == found(taught, QUICK) == [(Action.SKIP, RESTS)]
    assert the_entry(store).resting
    taught.assistant.memory.resume(taught.entry.id, ME)
    assert actions(taught, QUICK) == [Action.OFFER]


def test_entry_goes_with_its_conversation(tmp_path: Path) -> None:
    store = small_store(tmp_path)
    loop = Loop(store, WRONG, RIGHT, WRONG, RIGHT)
    only_here(loop, loop.ask(QUICK, "here"), "a very unusual rhyme")
    loop.clarify(loop.ask("what is a bank ?", "here"), "of a river")
    store.indexer.catch_up()
    assert find_bytes(tmp_path, ["a very unusual rhyme"]) != []
    assert store.conversations.erase("here", ME).is_complete
    assert read_active(store) == ["of a river"]
    assert find_bytes(tmp_path, ["a very unusual rhyme"]) == []


@given(said=st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), min_size=1, max_size=5))
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_entry_counts_in_another_conversation(
    said: list[tuple[str, bool]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    store = small_store(tmp_path_factory.mktemp("store"))
    loop = Loop(store, *([RIGHT] * (2 * len(said) + 3)))
    for number, (conversation, here) in enumerate(said):
        turn = loop.ask(f"{QUICK} {number}", conversation)
        last(loop.assistant.clarify(turn.id, f"{conversation} {number}", ME, Reach.CONVERSATION if here else None))
    for conversation in "abc":
        for decision in loop.ask(QUICK, conversation).decisions:
            assert decision.entry.only_in in {"", conversation}
