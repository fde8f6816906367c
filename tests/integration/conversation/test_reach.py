"""For which questions a correction counts: as is proposed, as a person chooses, and as a bound on what uses it."""

from dataclasses import replace

import pytest

from assistant.errors import InputError, NotFound
from assistant.feedback.reach import ProposedReach
from assistant.kinds import Reach
from assistant.sharing import OTHER_QUESTION
from assistant.types import Action
from memory_store.language.questions import WordedWays
from memory_store.store import Store
from tests.support.memory.loop import ME, OTHER, RIGHT, WRONG, Loop

pytestmark = pytest.mark.promise("one-question-only")

LIGHT = "what does light mean?"


def proposing(store: Store, *replies: str) -> Loop:
    loop = Loop(store, *replies)
    loop.assistant = replace(loop.assistant, propose_reach=ProposedReach(WordedWays()))
    return loop


def found(loop: Loop, question: str) -> list[Action]:
    return [decision.action for decision in loop.assistant.preview(question, ME)]


def test_common_way_of_asking_is_corrected_once(store: Store) -> None:
    loop = proposing(store, WRONG, RIGHT, WRONG, RIGHT)
    loop.clarify(loop.ask(LIGHT), "I wanted the opposite of it")
    loop.clarify(loop.ask("what is akin to quick?", "d"), "a synonym")
    akin, light = store.memory.entries(ME)
    assert (light.reach, akin.reach) == (Reach.QUESTION, Reach.WAY)
    for question, entry in (("wat does light mean", light), ("what is akin to big?", akin)):
        assert next(one.entry for one in loop.assistant.preview(question, ME) if one.action is Action.OFFER) == entry
    decisions = {one.entry.id: one for one in loop.assistant.preview("what does gratitude mean?", ME)}
    assert (decisions[light.id].action, decisions[light.id].reason) == (Action.SKIP, OTHER_QUESTION)


def test_reach_is_proposed_without_a_turn(store: Store) -> None:
    loop = proposing(store)
    assert loop.assistant.remember(LIGHT, "the opposite of it", ME).reach is Reach.QUESTION
    assert loop.assistant.remember("give me a buddy of angry", "a synonym", ME).reach is Reach.WAY
    assert loop.assistant.remember("what does dark mean?", "the opposite of it", ME, Reach.WAY).reach is Reach.WAY
    with pytest.raises(InputError):
        loop.assistant.remember(LIGHT, "the opposite", ME, Reach.CONVERSATION)


def test_changed_reach_stays(store: Store) -> None:
    loop = proposing(store, WRONG, RIGHT)
    loop.clarify(loop.ask(LIGHT, "here"), "I wanted the opposite of it")
    (entry,) = store.memory.entries(ME)
    wide = loop.assistant.set_reach(entry.id, Reach.WAY, ME)
    assert (wide.id, wide.reach, wide.body.reach_chosen) == (entry.id, Reach.WAY, True)
    assert found(loop, "what does gratitude mean?") == [Action.OFFER]
    here = loop.assistant.set_reach(entry.id, Reach.CONVERSATION, ME)
    assert (here.only_in, here.supersedes) == ("here", entry.id)
    assert found(loop, LIGHT) == []
    narrow = loop.assistant.set_reach(here.id, Reach.QUESTION, ME)
    assert (narrow.reach, narrow.only_in) == (Reach.QUESTION, "")
    assert found(loop, LIGHT) == [Action.OFFER]
    with pytest.raises(NotFound):
        loop.assistant.set_reach(narrow.id, Reach.WAY, OTHER)


def test_explained_word_is_offered_anywhere(store: Store) -> None:
    loop = proposing(store)
    loop.assistant.remember("how long to charge the brick?", "the brick is my old phone, I call it that", ME)
    assert found(loop, "how do I put photos from the brick onto the laptop") == [Action.OFFER]
    assert Action.OFFER not in found(loop, "which train goes to Leeds")
