"""*Leave it out* counts in one turn. What shall not count for such questions, or not at all, a person says then."""

import pytest

from assistant.gate.gate import LEFT_OUT
from assistant.sharing import EXCEPTED, RESTS
from assistant.types import Action, Reaction, Turn
from memory_store.store import Store
from tests.support.memory.loop import BY_NOTE, ME, RIGHT, WRONG, Loop, last

pytestmark = pytest.mark.promise("left-out-once", "paused-is-not-used")

CORRECTED = "what is akin to quick ?"


class Taught(Loop):
    """A loop in which one question was put right, and what was noted of it was used once and then left out."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, WRONG, RIGHT, BY_NOTE, *[RIGHT] * 20)
        self.clarify(self.ask(CORRECTED), "a synonym")
        (self.entry,) = store.memory.entries(ME)
        used = self.ask("what is akin to big ?", "elsewhere")
        assert used.used == (self.entry.id,)
        self.left = last(self.assistant.react(used.id, Reaction.LEAVE_OUT, ME, self.entry.id))

    def say(self, reaction: Reaction) -> Turn:
        return last(self.assistant.react(self.left.id, reaction, ME, self.entry.id))

    def found(self, question: str) -> tuple[Action, object]:
        (decision,) = self.assistant.preview(question, ME)
        return decision.action, decision.reason


@pytest.fixture
def loop(store: Store) -> Taught:
    return Taught(store)


def test_left_out_entry_is_offered_for_the_next_question(loop: Taught) -> None:
    assert [(one.action, one.reason) for one in loop.left.decisions] == [(Action.SKIP, LEFT_OUT)]
    assert loop.spliced() == {}
    asked = loop.ask("what is akin to small ?", "again")
    assert asked.entries_to(Action.OFFER) == (loop.entry.id,)
    assert loop.spliced() == {"offered": ["a synonym"]}


def test_exception_bounds_a_way_of_asking(loop: Taught) -> None:
    loop.say(Reaction.EXCEPT)
    assert loop.found("what is akin to small ?") == (Action.SKIP, EXCEPTED)
    assert loop.found("wat is akin to quik ?")[0] is Action.OFFER
    loop.say(Reaction.RESUME)
    assert loop.found("what is akin to small ?")[0] is Action.OFFER


def test_paused_entry_says_so_until_resumed(loop: Taught, store: Store) -> None:
    loop.say(Reaction.PAUSE)
    assert loop.found("what is akin to small ?") == loop.found(CORRECTED) == (Action.SKIP, RESTS)
    (listed,) = store.memory.entries(ME)
    assert listed.resting
    assert loop.ask("how do I boil an egg ?", "elsewhere").used == ()
    loop.assistant.memory.resume(loop.entry.id, ME)
    assert loop.found(CORRECTED)[0] is Action.OFFER


def test_corrected_question_has_its_correction_first(loop: Taught) -> None:
    loop.say(Reaction.EXCEPT)
    loop.assistant.remember("what is akin to quick silver ?", "a metal", ME)
    asked = loop.ask("tell me what is akin to the word quick", "again")
    assert asked.entries_to(Action.OFFER)[0] == loop.entry.id
