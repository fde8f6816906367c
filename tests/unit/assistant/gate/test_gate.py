"""The gate: limits for notes and facts, order, rules and reasons, with the weights of `gate.json`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.gate.gate import FittedGate
from assistant.kinds import CLARIFICATION, Kind
from assistant.ports import Gate
from assistant.sentences import plain
from assistant.sharing import ANOTHER_SHARED, limit_shared
from assistant.types import Action, Candidate, Decision, Scope
from tests.support.memory.entries import build_owned_entry

ANN = Scope("ann")
UNIT = st.floats(0, 1)
GATE = FittedGate.from_file()
FEATURES = ("near", "way", "copied", "own", "helped", "relevance", "letters")
ANY_SCORES = st.dictionaries(st.sampled_from([*FEATURES, "meaning", "middle"]), UNIT, max_size=8)
CERTAIN = {"meaning": 0.9, "letters": 0.7, "near": 0.95, "way": 1.0, "relevance": 0.9}


def candidate(
    number: int,
    scores: Mapping[str, float],
    owner: str = "ann",
    *,
    shared: bool = False,
    kind: Kind = CLARIFICATION,
    text: str = "",
) -> Candidate:
    fields = {"id": f"entry-{number:03}", "kind": kind, "owner": owner, "shared": shared, "sequence": number}
    entry = build_owned_entry(f"question {number}", text or f"I meant {number}", **fields)
    return Candidate(entry, entry.keys[0], scores)


def actions(gate: Gate, candidates: Sequence[Candidate]) -> dict[int, Action]:
    return {decision.entry.sequence: decision.action for decision in gate(candidates, ANN)}


@given(st.lists(ANY_SCORES, max_size=14))
def test_room_is_kept_and_each_decision_says_why(rows: list[dict[str, float]]) -> None:
    certain = [candidate(100 + number, CERTAIN | {"way": 0.0, "same": 1.0}) for number in range(9)]
    uses, offers = GATE.most_uses, GATE.most_offers
    decided = [Action.USE] * uses + [Action.OFFER] * offers + [Action.SKIP] * (9 - uses - offers)
    assert [*actions(GATE, certain).values()] == decided
    decisions = GATE([candidate(number, values) for number, values in enumerate(rows)], ANN)
    assert sorted(decision.entry.sequence for decision in decisions) == list(range(len(rows)))
    assert sum(decision.action is Action.USE for decision in decisions) <= uses
    assert sum(decision.action is Action.OFFER for decision in decisions) <= offers <= 5
    for decision in decisions:
        said = "Not used: " if decision.action is Action.SKIP else f"“{decision.candidate.key.text}”"
        assert said in str(decision.reason)
    assert all(0.0 <= decision.probability <= 1.0 for decision in decisions)


@given(st.lists(ANY_SCORES, max_size=6), st.lists(ANY_SCORES, max_size=4), st.data())
def test_order_and_other_people_change_nothing(
    mine: list[dict[str, float]], theirs: list[dict[str, float]], data: st.DataObject
) -> None:
    own = [candidate(number, values) for number, values in enumerate(mine)]
    others = [candidate(100 + number, values, owner="bob") for number, values in enumerate(theirs)]
    assert GATE(data.draw(st.permutations([*own, *others])), ANN) == GATE(own, ANN)


def test_newer_note_for_same_way_is_used() -> None:
    newer, older, nearer = (candidate(2, CERTAIN), candidate(1, CERTAIN), candidate(1, CERTAIN | {"relevance": 0.95}))
    for notes in ([older, newer], [newer, nearer]):
        assert [*actions(GATE, notes).items()] == [(2, Action.USE), (1, Action.SKIP)]
    of_this_question = candidate(1, CERTAIN | {"its_question": 1.0})
    assert [*actions(GATE, [newer, of_this_question])] == [1, 2]


@given(ANY_SCORES)
def test_out_of_bounds_is_left_however_probable(values: dict[str, float]) -> None:
    found = candidate(1, values)
    paused = replace(found, entry=replace(found.entry, resting=True))
    excepted = candidate(1, values | {"excepted": 1.0})
    elsewhere = candidate(1, values | {"other_question": 1.0})
    assert all(actions(GATE, [bounded]) == {1: Action.SKIP} for bounded in (paused, excepted, elsewhere))
    within = candidate(1, values | {"excepted": 0.0, "other_question": 0.0})
    assert actions(GATE, [within]) == actions(GATE, [found])


@pytest.mark.promise("one-shared-entry")
@settings(max_examples=40)
@given(st.lists(st.tuples(st.booleans(), st.sampled_from(Action)), max_size=12))
def test_prompt_gets_one_shared_entry_at_most(kinds: list[tuple[bool, Action]]) -> None:
    before = [
        Decision(candidate(number, {}, "" if shared else "ann", shared=shared), action, 0.9, plain("because"))
        for number, (shared, action) in enumerate(kinds)
    ]
    after = limit_shared(before)
    assert [decision.entry for decision in after] == [decision.entry for decision in before]
    shared = [decision for decision in after if decision.entry.shared and decision.action is not Action.SKIP]
    wanted = [action for is_shared, action in kinds if is_shared and action is not Action.SKIP]
    best = min(wanted, key=[Action.USE, Action.OFFER, Action.SHOW].index, default=None)
    assert [decision.action for decision in shared] == ([] if best is None else [best])
    for old, new in zip(before, after, strict=True):
        if not old.entry.shared or old.action is Action.SKIP or new in shared:
            assert new == old
        else:
            assert (new.action, new.reason) == (Action.SKIP, ANOTHER_SHARED)


@pytest.mark.promise("one-shared-entry")
@pytest.mark.parametrize("meaning", [0.45, 0.9])
def test_own_entry_goes_before_a_nearer_shared_one(meaning: float) -> None:
    scores = {"meaning": meaning, "letters": meaning, "near": meaning, "relevance": 0.1, "same": 1.0}
    own, shared = candidate(1, scores), candidate(2, CERTAIN, "", shared=True)
    assert [*actions(GATE, [shared, own])] == [1, 2]
    same_question = replace(shared, entry=replace(shared.entry, question=own.entry.question))
    for repetition in (same_question, candidate(2, CERTAIN, "", shared=True, text="I meant 1")):
        decided = actions(GATE, [repetition, own])
        assert ([*decided], decided[2]) == ([1, 2], Action.SKIP)
        assert decided[1] is not Action.SKIP
