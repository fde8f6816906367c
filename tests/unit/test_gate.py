from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.gate import DATA, NO_EMBEDDER, Gate
from assistant.types import Action, Candidate, Entry, Key, Kind, Scope, Status

SIMILARITIES = ("frame", "same_frame", "filler", "surface", "wording", "ngrams", "phrase", "meaning")
ANN = Scope("ann")
CERTAIN = dict.fromkeys(SIMILARITIES, 1.0)
LIKELY = {"frame": 0.3, "ngrams": 0.7, "wording": 0.5, "surface": 0.6, "phrase": 1.0}
UNLIKELY = dict.fromkeys(SIMILARITIES, 0.05)

scores = st.fixed_dictionaries({name: st.floats(0, 1) for name in SIMILARITIES})
gates = st.sampled_from([Gate.from_file(name) for name in (NO_EMBEDDER, "all-MiniLM-L6-v2")])


def candidate(number: int, values: Mapping[str, float], owner: str = "ann", *, shared: bool = False) -> Candidate:
    entry = Entry(
        id=f"entry-{number:03}",
        kind=Kind.CLARIFICATION,
        owner=owner,
        shared=shared,
        status=Status.ACTIVE,
        question=f"question {number}",
        text=f"I meant {number}",
        sequence=number,
        created=datetime(2026, 1, 1, tzinfo=UTC),
        keys=(Key(f"question {number}"),),
    )
    return Candidate(entry, entry.keys[0], values)


@given(gates, scores, st.sampled_from(SIMILARITIES), st.floats(0, 1))
def test_more_of_any_likeness_never_makes_an_entry_less_probable(
    gate: Gate, values: dict[str, float], name: str, other: float
) -> None:
    lower, higher = sorted((values[name], other))
    less = gate([candidate(1, values | {name: lower})], ANN)[0]
    more = gate([candidate(1, values | {name: higher})], ANN)[0]
    assert less.probability <= more.probability


@given(gates, st.lists(scores, max_size=30))
def test_at_most_two_are_used_and_five_offered_most_probable_first(gate: Gate, rows: list[dict[str, float]]) -> None:
    decisions = gate([candidate(number, values) for number, values in enumerate(rows)], ANN)
    assert len(decisions) == len(rows)
    assert sum(decision.action is Action.USE for decision in decisions) <= 2
    assert sum(decision.action is Action.OFFER for decision in decisions) <= 5
    probabilities = [decision.probability for decision in decisions]
    assert probabilities == sorted(probabilities, reverse=True)
    assert all(0.0 <= probability <= 1.0 for probability in probabilities)
    assert all(decision.reason.endswith(".") for decision in decisions)


@given(st.lists(scores, max_size=10), st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_does_not_matter(rows: list[dict[str, float]], random: object) -> None:
    gate = Gate.from_file()
    candidates = [candidate(number, values) for number, values in enumerate(rows)]
    expected = gate(candidates, ANN)
    random.shuffle(candidates)  # type: ignore[attr-defined]
    assert gate(candidates, ANN) == expected


@given(st.lists(scores, min_size=1, max_size=8), scores)
def test_another_persons_private_entry_changes_nothing(rows: list[dict[str, float]], theirs: dict[str, float]) -> None:
    gate = Gate.from_file()
    own = [candidate(number, values) for number, values in enumerate(rows)]
    assert gate([*own, candidate(99, theirs, owner="bob")], ANN) == gate(own, ANN)


def test_a_shared_entry_counts() -> None:
    decisions = Gate.from_file()([candidate(1, CERTAIN, owner="bob", shared=True)], ANN)
    assert [decision.action for decision in decisions] == [Action.USE]


def test_of_two_notes_for_the_same_kind_of_question_the_newer_is_used() -> None:
    decisions = Gate.from_file()([candidate(1, CERTAIN), candidate(2, CERTAIN)], ANN)
    assert [(decision.entry.sequence, decision.action) for decision in decisions] == [
        (2, Action.USE),
        (1, Action.LEAVE),
    ]


def test_ones_own_entry_comes_before_a_shared_one() -> None:
    own, shared = candidate(1, CERTAIN | {"own": 1.0}), candidate(2, CERTAIN | {"own": 0.0}, owner="bob", shared=True)
    assert Gate.from_file()([shared, own], ANN)[0].entry.owner == "ann"


def test_an_entry_that_hurt_more_than_it_helped_is_no_longer_used() -> None:
    gate = Gate.from_file()
    for values in (CERTAIN, {name: value for name, value in CERTAIN.items() if name != "meaning"}):
        helped = gate([candidate(1, values | {"helped": 0.75, "hurt": 0.0})], ANN)[0]
        hurt = gate([candidate(1, values | {"helped": 0.0, "hurt": 0.75})], ANN)[0]
        assert helped.action is Action.USE
        assert hurt.action is not Action.USE
        assert hurt.probability < helped.probability


@pytest.mark.parametrize(
    ("values", "action", "reason"),
    [
        (CERTAIN, Action.USE, 'The same question as "question 1".'),
        (CERTAIN | {"surface": 0.6}, Action.USE, 'Same wording as "question 1", only the word asked about differs.'),
        (CERTAIN | {"surface": 0.6, "frame": 0.9}, Action.USE, 'Nearly the same wording as "question 1".'),
        (LIKELY, Action.OFFER, '"question 1"'),
        (UNLIKELY, Action.LEAVE, "Left out: it does not seem to apply"),
    ],
)
def test_the_reason_names_what_matched(values: dict[str, float], action: Action, reason: str) -> None:
    decision = Gate.from_file()([candidate(1, values)], ANN)[0]
    assert decision.action is action
    assert reason in decision.reason


def test_a_reason_shows_the_slot_as_an_ellipsis() -> None:
    found = candidate(1, CERTAIN | {"surface": 0.6})
    (decision,) = Gate.from_file()([replace(found, key=Key("what is akin to ▢ ?"))], ANN)
    assert decision.reason == 'Same wording as "what is akin to … ?", only the word asked about differs.'


def test_of_two_notes_that_are_wanted_alike_the_one_with_the_nearer_frame_goes_first() -> None:
    near, same = candidate(2, CERTAIN | {"frame": 0.9}), candidate(1, CERTAIN)
    assert [decision.entry.sequence for decision in Gate.from_file()([near, same], ANN)] == [1, 2]


def test_a_candidate_without_meaning_is_judged_by_its_spelling() -> None:
    spelled = {name: value for name, value in CERTAIN.items() if name != "meaning"}
    with_embedder = Gate.from_file("all-MiniLM-L6-v2")([candidate(1, spelled)], ANN)
    without = Gate.from_file(NO_EMBEDDER)([candidate(1, spelled)], ANN)
    assert with_embedder == without
    assert without[0].action is Action.USE


def test_an_embedder_that_was_never_calibrated_is_judged_by_spelling() -> None:
    assert Gate.from_file("somebody/unknown").calibration == Gate.from_file(NO_EMBEDDER).calibration


def test_the_data_file_holds_no_weight_against_a_likeness() -> None:
    for calibration in json.loads(Path(DATA).read_text(encoding="utf-8"))["calibrations"].values():
        assert all(calibration["weights"][name] >= 0 for name in SIMILARITIES if name in calibration["weights"])
        assert 0 < calibration["offer"] < calibration["use"] < 1
