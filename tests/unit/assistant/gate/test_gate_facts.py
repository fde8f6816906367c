"""The gate on facts: offered and never spliced, beside the notes, one's own before shared ones, for every model."""

from collections.abc import Sequence

import pytest

from assistant.gate.gate import FittedGate
from assistant.kinds import CLARIFICATION, FACT, Kind
from assistant.ports import Gate
from assistant.types import Action, Candidate, Scope
from tests.support.memory.entries import made_entry

ANN = Scope("ann")
GATE = FittedGate.from_file()
NEAR = {"meaning": 0.8, "letters": 0.6, "near": 0.8, "relevance": 0.8}
FAR = {"meaning": 0.1, "letters": 0.0, "near": 0.1, "relevance": 0.1}
SURE = {"meaning": 0.95, "letters": 1.0, "near": 0.98, "way": 1.0, "relevance": 0.9}
every_gate = pytest.mark.parametrize("gate", [GATE, GATE.only_offering(), GATE.only_certain()])


def candidate(
    name: str, scores: dict[str, float], kind: Kind = FACT, *, shared: bool = False, text: str = ""
) -> Candidate:
    owner = "" if shared else "ann"
    entry = made_entry("is Rex a dog?", text or name, id=name, kind=kind, owner=owner, shared=shared)
    return Candidate(entry, entry.keys[0], scores)


def actions(gate: Gate, candidates: Sequence[Candidate]) -> dict[str, Action]:
    return {decision.entry.id: decision.action for decision in gate(candidates, ANN)}


@every_gate
def test_near_fact_is_offered_and_a_far_one_skipped(gate: Gate) -> None:
    asked_again = {**SURE, "its_question": 1.0}
    found = [candidate("near", NEAR), candidate("sure", asked_again), candidate("far", FAR)]
    assert actions(gate, found) == {"near": Action.OFFER, "sure": Action.OFFER, "far": Action.SKIP}


def test_facts_and_notes_take_no_room_from_each_other() -> None:
    gate = GATE.only_offering()
    notes = [candidate(f"note {at}", SURE, CLARIFICATION) for at in range(gate.most_offers + 2)]
    told = [candidate(f"fact {at}", NEAR) for at in range(gate.most_facts + 2)]
    alone = {**actions(gate, notes), **actions(gate, told)}
    assert actions(gate, [*notes, *told]) == alone
    offered = [name for name, action in alone.items() if action is Action.OFFER]
    assert len(offered) == gate.most_offers + gate.most_facts == 10


@every_gate
def test_own_fact_goes_before_the_same_shared(gate: Gate) -> None:
    own, same, other = (candidate(*each) for each in (("own", NEAR), ("same", NEAR), ("other", NEAR)))
    same, other = (candidate(name, NEAR, shared=True, text=text) for name, text in (("same", "own"), ("other", "x")))
    assert actions(gate, [same, other, own]) == {"own": Action.OFFER, "same": Action.SKIP, "other": Action.OFFER}
