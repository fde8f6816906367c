"""Facts that people tell: kept with undo, found later as notes that a model may decline, and shown beside others."""

from functools import partial

import pytest

from assistant.errors import ModelUnavailable
from assistant.feedback.learning import Listeners
from assistant.kinds import FACT
from assistant.papers.memllm.writing import PROPOSED, TripleProposals
from assistant.papers.teachme.facts import TAUGHT, KeepFacts, fact_hints
from assistant.prompt.envelope import read_blocks
from assistant.prompt.prompt import PromptBuilder
from assistant.proposals import State
from assistant.reasoning.reasoner import Reasoner
from assistant.reports.listing import EntryFilter
from assistant.types import Status, TurnState
from memory_store.language.languages import LANGUAGES
from memory_store.store import Store
from tests.support.memory.loop import ME, PROMPTS, Loop, last, reply

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


def test_retry_tells_a_fact_once_and_not_after_undo(store: Store, loop: Loop) -> None:
    loop.model.enqueue(ModelUnavailable(), NOTED, NOTED, NOTED)
    first = loop.ask("remember that Rex is a dog.")
    second = last(loop.assistant.retry(first.id, ME))
    (told,) = store.memory.entries(ME)
    third = last(loop.assistant.retry(second.id, ME))
    assert store.memory.entries(ME) == [told]
    loop.assistant.undo(told.id, ME)
    list(loop.assistant.retry(third.id, ME))
    assert facts(store) == []


def test_reported_fact_needs_the_users_words(store: Store, loop: Loop) -> None:
    loop.model.enqueue(TAGGED + "<fact>Cats are evil and must be shot</fact>")
    turn = loop.ask("Rex is a dog.")
    assert (turn.reply.answer, facts(store)) == ("Noted.", ["Rex is a dog"])
    loop.model.enqueue(reply("what Rex is", "A dog.") + "<fact>Rex is a dog</fact>")
    loop.ask("Rex, hm")
    assert facts(store) == ["Rex is a dog"]


def test_fact_is_a_note_in_another_conversation(store: Store, loop: Loop) -> None:
    loop.model.enqueue(TAGGED, reply("whether Rex is a dog", "Yes.", notes="1"))
    loop.ask("Rex is a dog.")
    turn = loop.ask("is Rex a dog?", conversation="another")
    blocks, rest = read_blocks(loop.model.asked[-1][-1].content)
    assert [block.rows for block in blocks] == [({"note": 1, "true": "Rex is a dog"},)]
    assert "the person says that it is so" in rest
    assert turn.used == (store.memory.entries(ME)[0].id,)


def test_fact_is_stored_once_and_again_after_undo(store: Store, loop: Loop) -> None:
    loop.model.enqueue(TAGGED, TAGGED, TAGGED)
    loop.ask("Rex is a dog.")
    (kept,) = store.memory.entries(ME)
    loop.assistant.undo(kept.id, ME)
    assert facts(store) == []
    for _ in range(2):
        loop.ask("Rex is a dog.")
        assert facts(store) == ["Rex is a dog"]
    assert store.memory.entry(kept.id, ME).status is Status.RETRACTED


def test_contradiction_stands_beside(store: Store, loop: Loop) -> None:
    loop.model.enqueue(TAGGED, NOTED, NOTED)
    loop.ask("Rex is a dog.")
    loop.ask("remember that dogs can bark")
    loop.ask("remember that Rex is not a dog")
    newest, other, oldest = store.memory.entries(ME)
    assert loop.assistant.others(newest, ME) == [oldest]
    assert not loop.assistant.others(other, ME)


@pytest.mark.parametrize("told", ["Rex looks so: ![him](http://a.test/x.png)", "Rex " * 600])
def test_refused_fact_leaves_the_answer_and_says_so(store: Store, loop: Loop, told: str) -> None:
    loop.model.enqueue(NOTED)
    turn = loop.ask(f"remember that {told}")
    assert (turn.state, turn.reply.answer, bool(turn.error)) == (TurnState.ANSWERED, "Noted.", True)
    assert facts(store) == []


@pytest.mark.parametrize(
    ("said", "stored"),
    [
        ("Dana works in Pune.", ["Dana works in Pune"]),
        ("meri behen ka naam Asha hai", ["meri behen ka naam Asha hai"]),
        ("Does Dana work in Pune", []),
        ("you are right", []),
    ],
)
def test_simple_fact_is_stored_whichever_model_answers(store: Store, loop: Loop, said: str, stored: list[str]) -> None:
    loop.model.enqueue(reply("You want to know where Dana works.", "No, Dana works in Bangalore."))
    loop.ask(said)
    assert facts(store) == stored


def test_stored_fact_is_not_proposed_again(store: Store, loop: Loop) -> None:
    proposals = TripleProposals(store.memory, store.turn_store, Reasoner(LANGUAGES)).proposals
    prompt_builder = PromptBuilder(PROMPTS, store.ledger.secret(), "connected", PROPOSED)
    loop.assistant = loop.assistant.with_parts(prompt_builder=prompt_builder)
    loop.model.enqueue(f"{NOTED}<keep>Dana | is employed in | Pune</keep>", f"{TAGGED}<keep>Rex | is | a dog</keep>")
    turn = loop.ask("Dana works in Pune")
    assert facts(store) == ["Dana works in Pune"]
    assert proposals(turn, ME) == ()
    assert [one.state for one in proposals(loop.ask("Rex is a dog"), ME)] == [State.PROPOSED]
