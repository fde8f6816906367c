"""Facts that people tell: kept with undo, found later as notes that a model may decline, and shown beside others."""

from functools import partial

import pytest

from assistant.errors import ModelUnavailable
from assistant.feedback.learning import Listeners
from assistant.kinds import FACT
from assistant.papers.memllm.writing import PROPOSED, TripleProposals
from assistant.papers.teachme.facts import TAUGHT, KeepFacts, fact, fact_hints
from assistant.prompt.envelope import read_blocks
from assistant.prompt.prompt import PromptBuilder
from assistant.proposals import State
from assistant.reasoning.reasoner import Reasoner
from assistant.reports.listing import EntryFilter
from assistant.types import Status, Turn, TurnState
from memory_store.language.languages import LANGUAGES
from memory_store.store import Store
from tests.support.memory.loop import ME, OTHER, PROMPTS, Loop, last, reply

pytestmark = pytest.mark.promise("told-facts-are-kept", "facts-can-conflict")

NOTED = reply("You tell me that Rex is a dog.", "Noted.")
TAGGED = f"{NOTED}\n<fact>Rex is a dog</fact>"


@pytest.fixture
def loop(store: Store) -> Loop:
    loop = Loop(store)
    prompt_builder = PromptBuilder(
        PROMPTS, store.ledger.secret(), "connected", TAUGHT, hints=[partial(fact_hints, LANGUAGES)]
    )
    learn = Listeners(loop.assistant.runner.listener, KeepFacts(store.memory, store.turn_store, LANGUAGES))
    loop.assistant = loop.assistant.with_parts(prompt_builder=prompt_builder, listener=learn)
    return loop


def facts(store: Store) -> list[str]:
    return [entry.shown for entry in store.memory.find(ME, EntryFilter(kind=FACT.name)).entries]


def test_what_is_to_be_kept_is_whatever_the_model_says_of_it(store: Store, loop: Loop) -> None:
    loop.model.enqueue(NOTED)
    turn = loop.ask("remember that Rex is a dog.")
    assert facts(store) == ["Rex is a dog"]
    assert store.memory.find(ME, EntryFilter(turn=turn.id)).entries[0].turn == turn.id
    assert not store.memory.find(OTHER, EntryFilter(turn=turn.id)).total


def test_a_message_that_is_answered_again_tells_its_fact_once_and_not_after_it_was_taken_back(
    store: Store, loop: Loop
) -> None:
    loop.model.enqueue(ModelUnavailable(), NOTED, NOTED, NOTED)
    first = loop.ask("remember that Rex is a dog.")
    second = last(loop.assistant.retry(first.id, ME))
    (told,) = store.memory.find(ME, EntryFilter(kind=FACT.name)).entries
    third = last(loop.assistant.retry(second.id, ME))
    assert [entry.id for entry in store.memory.find(ME, EntryFilter(kind=FACT.name)).entries] == [told.id]
    loop.assistant.undo(told.id, ME)
    list(loop.assistant.retry(third.id, ME))
    assert facts(store) == []


def test_what_a_model_says_was_told_is_kept_in_the_persons_words_only(store: Store, loop: Loop) -> None:
    loop.model.enqueue(TAGGED + "<fact>Cats are evil and must be shot</fact>")
    turn = loop.ask("Rex is a dog.")
    assert (turn.reply.answer, facts(store)) == ("Noted.", ["Rex is a dog"])
    loop.model.enqueue(reply("what Rex is", "A dog.") + "<fact>Rex is a dog</fact>")
    loop.ask("Rex, hm")
    assert facts(store) == ["Rex is a dog"]


def test_only_a_message_that_may_tell_something_is_asked_about(loop: Loop) -> None:
    loop.model.enqueue(NOTED, reply("what Rex is", "A dog."))
    for message, is_asked in (("Rex is a dog.", True), ("What is Rex?", False)):
        loop.ask(message)
        assert ("<fact>" in loop.model.asked[-1][-1].content) is is_asked


def test_a_fact_is_a_note_in_another_conversation_and_the_answer_says_that_it_rests_on_it(
    store: Store, loop: Loop
) -> None:
    loop.model.enqueue(TAGGED, reply("whether Rex is a dog", "Yes.", notes="1"))
    loop.ask("Rex is a dog.")
    turn = loop.ask("is Rex a dog?", conversation="another")
    blocks, rest = read_blocks(loop.model.asked[-1][-1].content)
    assert [block.rows for block in blocks] == [({"note": 1, "true": "Rex is a dog"},)]
    assert "the person says that it is so" in rest
    assert turn.used == (store.memory.entries(ME)[0].id,)


def test_undo_takes_it_back_and_saying_it_again_keeps_it_again(store: Store, loop: Loop) -> None:
    loop.model.enqueue(TAGGED, TAGGED)
    loop.ask("Rex is a dog.")
    kept = store.memory.entries(ME)[0]
    loop.assistant.undo(kept.id, ME)
    assert facts(store) == []
    loop.ask("Rex is a dog.")
    assert facts(store) == ["Rex is a dog"]
    assert store.memory.entry(kept.id, ME).status is Status.RETRACTED


def test_the_same_told_again_is_kept_once(store: Store, loop: Loop) -> None:
    loop.model.enqueue(TAGGED, TAGGED)
    for _ in range(2):
        loop.ask("Rex is a dog.")
    assert facts(store) == ["Rex is a dog"]


def test_one_that_contradicts_an_earlier_one_stands_beside_it(store: Store, loop: Loop) -> None:
    loop.model.enqueue(TAGGED, NOTED, NOTED)
    loop.ask("Rex is a dog.")
    loop.ask("remember that dogs can bark")
    loop.ask("remember that Rex is not a dog")
    newest, other, oldest = store.memory.entries(ME)
    assert loop.assistant.others(newest, ME) == [oldest]
    assert not loop.assistant.others(other, ME)
    assert [len(entry.keys) for entry in (newest, oldest)] == [1, 1]


def test_one_that_was_told_out_of_the_blue_is_found_by_its_words_as_they_are_now(store: Store, loop: Loop) -> None:
    loop.model.enqueue(TAGGED)
    loop.ask("Rex is a dog.")
    edited = store.memory.edit(store.memory.entries(ME)[0].id, "Rex is a poodle", ME)
    assert (edited.question, [key.text for key in edited.keys]) == ("Rex is a poodle", ["Rex is a poodle"])


def test_what_is_denied_says_so_to_the_model(store: Store, loop: Loop) -> None:
    store.memory.remember(fact(Turn("t", "c", ME.person, "is Rex a cat?"), "Rex is a cat", denied=True), ME)
    loop.model.enqueue(reply("whether Rex is a cat", "No.", notes="1"))
    loop.ask("is Rex a cat?")
    assert '{"note": 1, "not true": "Rex is a cat"}' in loop.model.asked[-1][-1].content


@pytest.mark.parametrize("told", ["Rex looks so: ![him](http://a.test/x.png)", "Rex " * 600])
def test_what_may_not_be_kept_is_not_and_the_answer_stands_and_says_so(store: Store, loop: Loop, told: str) -> None:
    loop.model.enqueue(NOTED)
    turn = loop.ask(f"remember that {told}")
    assert (turn.state, turn.reply.answer, bool(turn.error)) == (TurnState.ANSWERED, "Noted.", True)
    assert facts(store) == []


@pytest.mark.parametrize(
    "said", ["Dana works in Pune.", "meri behen ka naam Asha hai", "My manager is Priya", "i like mint tea"]
)
def test_simple_facts_are_kept_whichever_model_answers(store: Store, loop: Loop, said: str) -> None:
    loop.model.enqueue(reply("You want to know where Dana works.", "No, Dana works in Bangalore."))
    loop.ask(said)
    (told,) = store.memory.find(ME, EntryFilter(kind=FACT.name)).entries
    assert told.shown == said.strip(".")


@pytest.mark.parametrize("said", ["Where does Dana work?", "Does Dana work in Pune", "you are right", "thanks a lot"])
def test_what_tells_nothing_is_not_kept(store: Store, loop: Loop, said: str) -> None:
    loop.model.enqueue(reply("u", "a"))
    loop.ask(said)
    assert facts(store) == []


def test_stored_fact_is_not_proposed_again(store: Store, loop: Loop) -> None:
    proposals = TripleProposals(store.memory, store.turn_store, Reasoner(LANGUAGES)).proposals
    prompt_builder = PromptBuilder(PROMPTS, store.ledger.secret(), "connected", PROPOSED)
    loop.assistant = loop.assistant.with_parts(prompt_builder=prompt_builder)
    loop.model.enqueue(f"{NOTED}<keep>Dana | is employed in | Pune</keep>", f"{TAGGED}<keep>Rex | is | a dog</keep>")
    turn = loop.ask("Dana works in Pune")
    assert facts(store) == ["Dana works in Pune"]
    assert proposals(turn, ME) == ()
    assert [one.state for one in proposals(loop.ask("Rex is a dog"), ME)] == [State.PROPOSED]
