"""Facts that users tell: stored with undo, retrieved by their text, and notes that a model may decline."""

from collections.abc import Callable
from functools import partial

import pytest

from assistant.errors import InputError, ModelUnavailable
from assistant.feedback.learning import call_all
from assistant.gate.gate import FittedGate
from assistant.kinds import FACT
from assistant.papers.teachme.facts import TAUGHT, KeepFacts, fact, fact_hints, link_facts
from assistant.prompt.prompt import PromptBuilder
from assistant.reasoning.reasoner import Reasoner
from assistant.reports.listing import EntryFilter
from assistant.types import Action, Entry, Question, Scope, Turn, TurnState
from memory_store.language.languages import LANGUAGES
from memory_store.retrieval.retriever import MOST_SHARED, IndexRetriever
from memory_store.store import Store
from tests.support.memory.loop import ME, OTHER, PROMPTS, Loop, last, reply
from tests.support.memory.sharing import CURATOR, RULES

pytestmark = pytest.mark.promise(
    "told-facts-are-kept", "facts-can-conflict", "facts-answer-elsewhere", "own-facts-come-first"
)

NOTED = reply("You tell me that Rex is a dog.", "Noted.")
TAGGED = f"{NOTED}\n<fact>Rex is a dog</fact>"


@pytest.fixture
def loop(store: Store) -> Loop:
    loop = Loop(store)
    prompt_builder = PromptBuilder(
        PROMPTS, store.ledger.secret, "connected", TAUGHT, hints=[partial(fact_hints, LANGUAGES)]
    )
    learn = call_all(loop.assistant.runner.listener, KeepFacts(store.memory, store.turn_store, Reasoner(LANGUAGES)))
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


@pytest.mark.parametrize("text", ["what is love?", "I hope it rains", "rabb kare meh pave"])
def test_question_and_wish_are_refused_as_facts(store: Store, text: str) -> None:
    keep = KeepFacts(store.memory, store.turn_store, Reasoner(LANGUAGES)).keep
    with pytest.raises(InputError) as refused:
        keep(text, ME)
    assert refused.value.sentence.code == "fact.no_statement"
    assert facts(store) == []


def tell(store: Store, text: str, scope: Scope = ME, told_at: str = "") -> Entry:
    return store.memory.remember(fact(Turn("", "", scope.person, ""), text, told_at=told_at), scope)


@pytest.mark.promise("one-question-only")
@pytest.mark.parametrize("once", [False, True])
def test_answer_to_one_question_leads_to_no_other(store: Store, once: bool) -> None:
    told = fact(Turn("", "", ME.person, ""), "Dana lives in Delhi", told_at="where is she?", only_its_question=once)
    store.memory.remember(told, ME)
    tell(store, "my manager is Dana")
    found = link_facts(store.memory, Reasoner(LANGUAGES), Question("where does my manager live?"), ME, ())
    assert ("Dana lives in Delhi" in {each.entry.shown for each in found}) is not once


@pytest.mark.parametrize("from_ledger", [False, True])
def test_own_facts_come_before_shared_and_no_others(store: Store, from_ledger: bool) -> None:
    sharing = store.sharing(RULES)
    for text in ("Harman is a sailor", "Harman sails a large ship", "Harman sails to Goa", "Harman sails alone"):
        sharing.accept(sharing.offer(tell(store, text, OTHER).id, OTHER).id, sharing.curator(CURATOR))
    tell(store, "Harman is their neighbour", OTHER)
    own = [tell(store, "Harman is a sailor in the navy").shown, tell(store, "Harman is no sailor").shown]
    wait: Callable[[], bool] = (lambda: False) if from_ledger else store.indexer.wait_until_current
    recall = IndexRetriever(store.index, store.memory, None, wait)
    mine, theirs = (recall(Question("is Harman a sailor?"), scope) for scope in (ME, OTHER))
    assert {each.entry.shown for each in mine if not each.entry.shared} == set(own)
    assert sum(each.entry.shared for each in mine) == MOST_SHARED
    assert "Harman is their neighbour" in {each.entry.shown for each in theirs}
    offered = [one.entry.shown for one in FittedGate.from_file()(mine, ME) if one.action is Action.OFFER]
    assert set(offered[: len(own)]) == set(own)
