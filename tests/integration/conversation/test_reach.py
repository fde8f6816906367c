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
from assistant.types import Action, Reaction
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


def found(loop: Loop, question: str) -> list[tuple[Action, object]]:
    """Return the decision about each note found for a question."""
    return [(one.action, one.reason) for one in loop.assistant.preview(question, ME)]


def actions(loop: Loop, question: str) -> list[Action]:
    return [action for action, _ in found(loop, question)]


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
    (entry,), set_reach = store.memory.entries(ME), proposing.assistant.set_reach
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


def test_note_is_left_out_excepted_and_paused(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, BY_NOTE, *[RIGHT] * 20)
    loop.clarify(loop.ask(QUICK), "a synonym")
    (entry,) = store.memory.entries(ME)
    used = loop.ask("what is akin to big ?", "elsewhere")
    assert used.used == (entry.id,)
    left = last(loop.assistant.react(used.id, Reaction.EXCLUDE, ME, entry.id))
    assert [(one.action, one.reason) for one in left.decisions] == [(Action.SKIP, LEFT_OUT)]
    assert loop.spliced() == {}
    assert loop.ask("what is akin to small ?", "again").entries_to(Action.OFFER) == (entry.id,)

    last(loop.assistant.react(left.id, Reaction.EXCEPT, ME, entry.id))
    assert found(loop, "what is akin to small ?") == [(Action.SKIP, EXCEPTED)]
    assert actions(loop, "wat is akin to quik ?") == [Action.OFFER]
    silver = loop.assistant.remember("what is akin to quick silver ?", "a metal", ME)
    assert loop.ask("tell me what is akin to the word quick", "again").entries_to(Action.OFFER)[0] == entry.id
    loop.assistant.undo(silver.id, ME)
    last(loop.assistant.react(left.id, Reaction.RESUME, ME, entry.id))
    assert actions(loop, "what is akin to small ?") == [Action.OFFER]

    last(loop.assistant.react(left.id, Reaction.PAUSE, ME, entry.id))
    assert found(loop, "what is akin to small ?") == found(loop, QUICK) == [(Action.SKIP, RESTS)]
    loop.assistant.memory.resume(entry.id, ME)
    assert actions(loop, QUICK) == [Action.OFFER]


def test_left_out_entry_may_be_changed_since(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, BY_NOTE, *[RIGHT] * 5)
    loop.clarify(loop.ask(QUICK), "a synonym")
    used = loop.ask("what is akin to big ?", "elsewhere")
    changed = store.memory.edit(used.used[0], "a word with the same meaning", ME)
    left = last(loop.assistant.react(used.id, Reaction.EXCLUDE, ME, used.used[0]))
    assert [(one.entry.id, one.reason) for one in left.decisions] == [(changed.id, LEFT_OUT)]
    again = last(loop.assistant.react(left.id, Reaction.USE, ME, changed.id))
    assert again.chosen == changed.id


def test_entry_goes_with_its_conversation(tmp_path: Path) -> None:
    store = small_store(tmp_path)
    loop = Loop(store, WRONG, RIGHT, WRONG, RIGHT)
    last(loop.assistant.clarify(loop.ask(QUICK, "here").id, "a very unusual rhyme", ME, reach=Reach.CONVERSATION))
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
