"""The gate: monotone, indifferent to order and to other people, and its words. Weights are those of `gate.json`."""

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.gate.gate import DATA, Evidence, FittedGate
from assistant.kinds import CLARIFICATION, EXAMPLE, KINDS, Kind
from assistant.types import Action, Candidate, Key, Scope
from tests.support.memory.entries import made_entry

ANN = Scope("ann")
UNIT = st.floats(0, 1)
GATE = FittedGate.from_file()
FILE = json.loads(DATA.read_text(encoding="utf-8"))
REGRESSIONS = [(KINDS[kind], Evidence(name)) for kind, found in FILE["regressions"].items() for name in found]
every_regression = pytest.mark.parametrize(("kind", "evidence"), REGRESSIONS)
TELLING = {Evidence.LETTERS: (), Evidence.ASKED: ("meaning",), Evidence.WRITTEN: ("meaning", "middle")}
FEATURES = ("near", "way", "copied", "own", "helped", "helped_like", "relevance", "letters")
ANY_SCORES = st.dictionaries(st.sampled_from([*FEATURES, "meaning", "middle"]), UNIT, max_size=8)
CERTAIN = {"meaning": 0.9, "letters": 0.7, "near": 0.95, "way": 1.0, "relevance": 0.9}
LIKELY = {"meaning": 0.5, "letters": 0.5, "near": 0.5}
FAR = {"meaning": 0.05, "letters": 0.05, "near": 0.05}


def candidate(
    number: int, scores: Mapping[str, float], owner: str = "ann", *, shared: bool = False, kind: Kind | None = None
) -> Candidate:
    entry = made_entry(
        f"question {number}", f"I meant {number}", id=f"entry-{number:03}", kind=kind or CLARIFICATION,
        owner=owner, shared=shared, sequence=number,
    )  # fmt: skip
    return Candidate(entry, entry.keys[0], scores)


@every_regression
@given(data=st.data())
def test_curve_says_which_way_a_feature_speaks(kind: Kind, evidence: Evidence, data: st.DataObject) -> None:
    curves = FILE["regressions"][kind.calibration][evidence]["curves"]
    drawn = dict.fromkeys(TELLING[evidence], 0.0) | data.draw(st.dictionaries(st.sampled_from(FEATURES), UNIT))
    name = data.draw(st.sampled_from(sorted(curves)))
    low, high = sorted((data.draw(UNIT), data.draw(UNIT)))
    (less,) = GATE([candidate(1, drawn | {name: low}, kind=kind)], ANN)
    (more,) = GATE([candidate(1, drawn | {name: high}, kind=kind)], ANN)
    if curves[name][-1] < 0:
        less, more = more, less
    order = [Action.SKIP, Action.OFFER, Action.USE]
    assert less.probability <= more.probability
    assert order.index(less.action) <= order.index(more.action)


@given(st.lists(ANY_SCORES, max_size=14))
def test_room_is_kept_and_each_decision_says_why(rows: list[dict[str, float]]) -> None:
    certain = [candidate(100 + number, CERTAIN | {"way": 0.0, "same": 1.0}) for number in range(9)]
    actions = [decision.action for decision in GATE(certain, ANN)]
    uses, offers = GATE.most_uses, GATE.most_offers
    assert actions == [Action.USE] * uses + [Action.OFFER] * offers + [Action.SKIP] * (9 - uses - offers)
    decisions = GATE([candidate(number, values) for number, values in enumerate(rows)], ANN)
    assert sorted(decision.entry.sequence for decision in decisions) == list(range(len(rows)))
    assert sum(decision.action is Action.USE for decision in decisions) <= uses
    assert sum(decision.action is Action.OFFER for decision in decisions) <= offers <= 5
    for decision in decisions:
        said = "Left out: " if decision.action is Action.SKIP else f'"{decision.candidate.key.text}"'
        assert said in str(decision.reason)
    assert all(0.0 <= decision.probability <= 1.0 for decision in decisions)


def test_model_that_goes_by_one_note_gets_one() -> None:
    way, alike = candidate(1, CERTAIN), candidate(2, CERTAIN | {"way": 0.0, "same": 1.0})
    assert [decision.action for decision in GATE([way, alike], ANN)] == [Action.USE, Action.USE]
    used, left = GATE.only_certain()([way, alike], ANN)
    assert (used.entry.id, used.action, left.action) == (way.entry.id, Action.USE, Action.SKIP)
    assert "this model goes by one" in str(left.reason)


@given(st.lists(ANY_SCORES, max_size=6), st.lists(ANY_SCORES, max_size=4), st.data())
def test_order_and_other_people_change_nothing(
    mine: list[dict[str, float]], theirs: list[dict[str, float]], data: st.DataObject
) -> None:
    own = [candidate(number, values) for number, values in enumerate(mine)]
    others = [candidate(100 + number, values, owner="bob") for number, values in enumerate(theirs)]
    assert GATE(data.draw(st.permutations([*own, *others])), ANN) == GATE(own, ANN)


@given(ANY_SCORES)
def test_example_gets_no_decision(values: dict[str, float]) -> None:
    example, note = candidate(2, values, kind=EXAMPLE), candidate(1, CERTAIN)
    assert GATE([example], ANN) == []
    assert GATE([example, note], ANN) == GATE([note], ANN)


def test_newer_note_for_same_way_is_used() -> None:
    newer, older, nearer = (candidate(2, CERTAIN), candidate(1, CERTAIN), candidate(1, CERTAIN | {"relevance": 0.95}))
    for notes in ([older, newer], [newer, nearer]):
        decisions = GATE(notes, ANN)
        assert [decision.entry.sequence for decision in decisions] == [2, 1]
        assert [decision.action for decision in decisions] == [Action.USE, Action.SKIP]
    of_this_question = candidate(1, CERTAIN | {"its_question": 1.0})
    assert [decision.entry.sequence for decision in GATE([newer, of_this_question], ANN)] == [1, 2]


def test_nearer_note_comes_first_elsewhere() -> None:
    newer, nearer = (candidate(2, CERTAIN | {"way": 0.5}), candidate(1, CERTAIN | {"way": 0.5, "relevance": 0.95}))
    assert [decision.entry.sequence for decision in GATE([newer, nearer], ANN)] == [1, 2]
    newer, nearer = candidate(2, CERTAIN), candidate(1, CERTAIN | {"relevance": 0.95})
    assert [decision.entry.sequence for decision in GATE.only_offering()([newer, nearer], ANN)] == [1, 2]


@given(ANY_SCORES)
def test_out_of_bounds_is_left_however_probable(values: dict[str, float]) -> None:
    found = candidate(1, values)
    paused = replace(found, entry=replace(found.entry, resting=True))
    excepted = candidate(1, values | {"excepted": 1.0})
    elsewhere = candidate(1, values | {"other_question": 1.0})
    assert {one.action for bounded in (paused, excepted, elsewhere) for one in GATE([bounded], ANN)} <= {Action.SKIP}
    within = candidate(1, values | {"excepted": 0.0, "other_question": 0.0})
    assert [one.action for one in GATE([within], ANN)] == [one.action for one in GATE([found], ANN)]


@pytest.mark.parametrize(
    ("values", "action", "reason"),
    [
        (CERTAIN | {"its_question": 1.0}, Action.USE, 'The same question as "akin to quick?".'),
        (CERTAIN, Action.USE, 'Same wording as "akin to quick?", only the word asked about differs.'),
        (LIKELY, Action.OFFER, '"akin to quick?"'),
        (FAR, Action.SKIP, "Left out: it is not close enough"),
    ],
)
def test_reason_names_what_matched(values: dict[str, float], action: Action, reason: str) -> None:
    found = replace(candidate(1, values), key=Key("akin to quick?"))
    (decision,) = GATE([found], ANN)
    assert decision.action is action
    assert reason in str(decision.reason)
