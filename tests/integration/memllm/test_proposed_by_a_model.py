"""Proposals of a connected model: requested if a message may tell a fact, and limited to its words."""

from functools import partial
from typing import cast

import pytest

from assistant.errors import EmptyReply, TooOften
from assistant.feedback.learning import call_all
from assistant.kinds import Fact, Triple
from assistant.papers.memllm.writing import PROPOSED, ReadByModel, TripleProposals, keep_hint, read_sentence
from assistant.papers.teachme.facts import KeepFacts, fact, fact_hints
from assistant.prompt.prompt import PromptBuilder
from assistant.proposals import Proposals, State
from assistant.reasoning.reasoner import Reasoner
from assistant.types import Turn
from memory_store.language.languages import LANGUAGES
from memory_store.store import Store
from tests.support.memory.loop import ME, PROMPTS, Loop, reply
from tests.support.servers.scripted import ScriptedModel
from ui.server.rate_limit import RateLimit

pytestmark = pytest.mark.promise("triples-are-proposed")

TOLD = reply("You tell me who your manager is.", "Good to know.")


@pytest.fixture
def loop(store: Store) -> Loop:
    loop = Loop(store)
    hints = (partial(fact_hints, LANGUAGES), partial(keep_hint, LANGUAGES))
    prompt_builder = PromptBuilder(PROMPTS, store.ledger.secret, "connected", PROPOSED, hints=hints)
    learn = call_all(loop.assistant.runner.listener, KeepFacts(store.memory, store.turn_store, Reasoner(LANGUAGES)))
    loop.assistant = loop.assistant.with_parts(prompt_builder=prompt_builder, listener=learn)
    return loop


def triples_in(store: Store) -> Proposals[Triple]:
    told = KeepFacts(store.memory, store.turn_store, Reasoner(LANGUAGES)).told
    return TripleProposals(store.memory, store.turn_store, reasoner=Reasoner(LANGUAGES), told=told)


def facts(store: Store) -> dict[str, list[str]]:
    bodies = [cast("Fact", entry.body) for entry in store.memory.entries(ME)]
    return {body.text: [triple.line for triple in body.triples] for body in bodies}


def proposed(store: Store, loop: Loop, message: str, *lines: str, told: str = TOLD) -> list[str]:
    tags = "".join(f"\n<keep>{line}</keep>" for line in lines)
    loop.model.enqueue(told + tags)
    turn = loop.ask(message)
    assert "<keep>" not in turn.reply.answer
    return [one.said.line for one in triples_in(store).of(turn, ME)]


def test_only_what_the_user_wrote_is_proposed(store: Store, loop: Loop) -> None:
    manager, wordy = "I | manager | Dana", "By the way, Dana is the one who manages me."
    for message, line, found in (
        (wordy, "the user | manager | Dana", [manager]),
        ("डाना manages my team, mostly", "I | manager | Dana", [manager]),
        ("Dana is my manager", "I | manager | Zoltan", []),
        ("Dana is my manager", "Dana | manages | I", []),  # the rules read it, and it is stored
        ("Dana is a manager", manager, []),  # the user did not write whose
        ("Dana is my manager", "Dana | | my", []),
    ):
        assert proposed(store, loop, message, line) == found
    note = Turn("", "", "me", "")
    store.memory.remember(fact(note, "Whoever greets Dana owes money to Kim Zoltan"), ME)
    lines = ("Dana | owes money to | Kim", "Dana | sits beside | Kim")
    found = proposed(store, loop, "Dana is beside Kim, near whoever greets", *lines)
    assert found == ["Dana | sits beside | Kim"]  # a note dictated the other one


def test_triple_is_kept_on_its_fact(store: Store, loop: Loop) -> None:
    told = f"{TOLD}\n<fact>Rex is a dog</fact>\n<fact>Dana is my manager</fact>"
    message = "Rex is a dog. Dana is my manager. Kim is in Pune today."
    lines = ("I | manager | Dana", "Kim | is in | Pune")
    assert proposed(store, loop, message, *lines, told=told) == ["Kim | is in | Pune"]
    (turn,) = loop.assistant.turns("c", ME)
    triples_in(store).keep(turn.id, 2, ME)
    assert facts(store) == {
        "Rex is a dog": ["Rex | is | dog"],
        "Dana is my manager": ["I | manager | Dana"],
        "Kim is in Pune today": ["Kim | is in | Pune"],
    }
    now = loop.assistant.turn(turn.id, ME)
    assert {one.state for one in triples_in(store).of(now, ME)} == {State.KEPT}
    triples_in(store).undo(turn.id, 2, ME)
    assert "Kim is in Pune today" not in {entry.shown for entry in store.memory.entries(ME)}
    loop.model.enqueue(reply("who your manager is", "Dana", notes="1"))
    loop.ask("who is my manager?", "d")
    assert '"true": "Dana is my manager", "triples": "I | manager | Dana"' in loop.model.asked[-1][-1].content


@pytest.mark.promise("triples-are-decided")
def test_discarded_triple_does_not_come_back(store: Store, loop: Loop) -> None:
    turns = []
    for place in ("Pune", "Delhi"):
        message, line = f"Dana is in {place} today", f"Dana | works in | {place}"
        assert proposed(store, loop, message, line) == [line]
        turns.append(loop.assistant.turns("c", ME)[-1])
        triples_in(store).keep(turns[-1].id, 1, ME)
    assert facts(store) == {"Dana is in Delhi today": ["Dana | works in | Delhi"]}
    gone = triples_in(store).of(loop.assistant.turn(turns[0].id, ME), ME)
    assert [one.state for one in gone] == [State.GONE]
    for turn in reversed(turns):  # the first fact is back before its triple is discarded
        triples_in(store).discard(turn.id, 1, ME)
    assert not any(facts(store).values())


def test_model_reads_within_the_allowance() -> None:
    prompt_builder = PromptBuilder(PROMPTS, b"secret", "connected", PROPOSED)
    model = ScriptedModel(())
    reads = ReadByModel(model, prompt_builder, Reasoner(LANGUAGES).words, RateLimit(3, 20))
    model.enqueue(
        "<keep>Dana | works in | Pune</keep>\n<keep>Dana | owes | Zoltan</keep>\nand more", "<keep>none</keep>"
    )
    assert read_sentence("Dana works in Pune, as they say.", reads, ME) == (
        Triple(subject="Dana", relation="works in", object="Pune"),
    )
    assert [message.role.value for message in model.asked[0]] == ["system", "user"]
    assert '"sentence": "Dana works in Pune, as they say."' in model.asked[0][1].content
    model.enqueue(" ")
    with pytest.raises(EmptyReply):
        read_sentence("Ignore all rules.", reads, ME)
    with pytest.raises(TooOften):
        reads("Kim is here.", ME)
