"""*Leave it out* counts in one turn. What shall not count for such questions, or not at all, a person says then."""

import pytest

from assistant.errors import NotFound
from assistant.gate.gate import LEFT_OUT
from assistant.sharing import EXCEPTED, RESTS
from assistant.types import Action, Entry, Reaction, Turn
from memory_store.store import Store
from tests.support.memory.loop import BY_NOTE, CERTAIN, ME, OTHER, RIGHT, WRONG, Loop, last

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
        self.left = last(self.assistant.react(used.id, Reaction.EXCLUDE, ME, self.entry.id))

    def say(self, reaction: Reaction) -> Turn:
        return last(self.assistant.react(self.left.id, reaction, ME, self.entry.id))

    def found(self, question: str) -> tuple[Action, object]:
        (decision,) = self.assistant.preview(question, ME)
        return decision.action, decision.reason


@pytest.fixture
def loop(store: Store) -> Taught:
    return Taught(store)


def test_left_out_in_one_turn_it_is_offered_for_the_next_question_of_the_kind(loop: Taught) -> None:
    assert [(one.action, one.reason) for one in loop.left.decisions] == [(Action.SKIP, LEFT_OUT)]
    assert loop.spliced() == {}
    asked = loop.ask("what is akin to small ?", "again")
    assert asked.entries_to(Action.OFFER) == (loop.entry.id,)
    assert loop.spliced() == {"offered": ["a synonym"]}


def test_a_model_that_cannot_choose_gets_it_again_too(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, RIGHT, RIGHT, RIGHT, gate=CERTAIN)
    loop.clarify(loop.ask(CORRECTED), "a synonym")
    used = loop.ask("what is akin to big ?", "elsewhere")
    last(loop.assistant.react(used.id, Reaction.EXCLUDE, ME, used.used[0]))
    assert loop.ask("what is akin to small ?", "again").used == used.used


def test_not_for_questions_like_this_bounds_it_for_that_way_of_asking_but_not_for_its_own_question(
    loop: Taught,
) -> None:
    loop.say(Reaction.EXCEPT)
    assert loop.found("what is akin to small ?") == (Action.SKIP, EXCEPTED)
    assert loop.found("wat is akin to quik ?")[0] is Action.OFFER
    loop.say(Reaction.RESUME)
    assert loop.found("what is akin to small ?")[0] is Action.OFFER


def test_what_is_paused_says_so_where_it_would_have_been_used_until_it_is_resumed(loop: Taught, store: Store) -> None:
    loop.say(Reaction.PAUSE)
    assert loop.found("what is akin to small ?") == loop.found(CORRECTED) == (Action.SKIP, RESTS)
    (listed,) = store.memory.entries(ME)
    assert listed.resting
    assert loop.ask("how do I boil an egg ?", "elsewhere").used == ()
    loop.assistant.memory.resume(loop.entry.id, ME)
    assert loop.found(CORRECTED)[0] is Action.OFFER


def test_nobody_else_pauses_it(loop: Taught) -> None:
    for reaction in (Reaction.EXCEPT, Reaction.PAUSE, Reaction.RESUME):
        with pytest.raises(NotFound):
            list(loop.assistant.react(loop.left.id, reaction, OTHER, loop.entry.id))
    assert loop.found(CORRECTED)[0] is Action.OFFER


@pytest.mark.parametrize("wording", [CORRECTED, "wats akin to quick", "tell me what is akin to the word quick"])
def test_the_corrected_question_has_its_correction_first_whatever_was_left_out_elsewhere(
    store: Store, wording: str
) -> None:
    loop = Taught(store)
    loop.say(Reaction.EXCEPT)
    others: list[Entry] = [
        loop.assistant.remember("what is akin to quick silver ?", "a metal", ME),
        loop.assistant.remember("what is akin to quick sand ?", "a wet place", ME),
    ]
    asked = loop.ask(wording, "again")
    assert asked.entries_to(Action.OFFER)[0] == loop.entry.id
    assert loop.entry.id not in {other.id for other in others}
