"""The gate: monotone in every feature for every calibration, indifferent to order and to other people, and its words.

The calibrations are those of `gate.json`, whatever they are: a new kind, embedder or feature is tested by being there.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.choose.calibration import Calibration, Evidence
from assistant.choose.gate import ANY_EMBEDDER, DATA, NO_EMBEDDER, Gate
from assistant.kinds import CLARIFICATION, EXAMPLE, KINDS, Kind
from assistant.types import Action, Candidate, Key, Scope
from memory_store.embedding.embedder import BUNDLED
from memory_store.recall.features import AGAINST
from tests.support.memory.entries import made_entry

ANN = Scope("ann")
UNIT = st.floats(0, 1)
FILE = json.loads(DATA.read_text(encoding="utf-8"))
CALIBRATIONS = [
    (KINDS[kind], embedder, Evidence(evidence))
    for kind, embedders in FILE["calibrations"].items()
    for embedder, calibrations in embedders.items()
    for evidence in calibrations
]
every_calibration = pytest.mark.parametrize(("kind", "embedder", "evidence"), CALIBRATIONS)
# Features by which a candidate is known to have been compared by meaning, with several questions, with further keys.
TELLING = {Evidence.QUESTION: (), Evidence.QUESTIONS: ("second_ngrams",), Evidence.FURTHER: ("further_ngrams",)}
CERTAIN = {"same": 1.0, "surface": 1.0, "frame": 1.0, "filler": 1.0, "ngrams": 0.7, "relevance": 0.9}
SAME_WAY = 0.97  # of the frame; of these the newest comes first
SAME_KIND = CERTAIN | {"same": 0.0, "surface": 0.6}
LIKELY = {"ngrams": 0.5, "surface": 0.6, "frame": 0.3}
FAR_BEHIND = dict.fromkeys(("ngrams", "surface", "frame"), 0.05) | {"margin_behind": 0.5}


def candidate(
    number: int, scores: Mapping[str, float], owner: str = "ann", *, shared: bool = False, kind: Kind | None = None
) -> Candidate:
    entry = made_entry(
        f"question {number}", f"I meant {number}", id=f"entry-{number:03}", kind=kind or CLARIFICATION,
        owner=owner, shared=shared, sequence=number,
    )  # fmt: skip
    return Candidate(entry, entry.keys[0], scores)


def features(embedder: str, evidence: Evidence) -> list[str]:
    """All features that any calibration weighs, as far as a candidate with this evidence may have them."""
    every = {
        name
        for embedders in FILE["calibrations"].values()
        for calibrations in embedders.values()
        for calibration in calibrations.values()
        for name in calibration["curves"]
    }
    every |= {*AGAINST, "relevance", "frame", "meaning", "second_ngrams", "further_ngrams"}
    missing = {"meaning", "with_feedback"} if embedder == NO_EMBEDDER else set()
    if evidence is not Evidence.FURTHER:
        missing |= {name for name in every if name.startswith("further_")} | {"copied"}
    if evidence is Evidence.QUESTION:
        missing |= {name for name in every if name.startswith("second_")}
    return sorted(name for name in every - missing if embedder != NO_EMBEDDER or "meaning" not in name)


def scores(embedder: str, evidence: Evidence) -> st.SearchStrategy[dict[str, float]]:
    told = dict.fromkeys((*TELLING[evidence], *(() if embedder == NO_EMBEDDER else ("meaning",))), 0.0)
    some = st.dictionaries(st.sampled_from(features(embedder, evidence)), UNIT, max_size=8)
    return some.map(lambda drawn: told | drawn)


ANY_SCORES = st.sampled_from(CALIBRATIONS).flatmap(lambda one: scores(one[1], one[2]))
GATES = [Gate.from_file(name) for name in sorted({embedder for _, embedder, _ in CALIBRATIONS})]
gates = st.sampled_from(GATES)


@every_calibration
@given(data=st.data())
def test_raising_one_feature_never_speaks_the_other_way(
    kind: Kind, embedder: str, evidence: Evidence, data: st.DataObject
) -> None:
    drawn = data.draw(scores(embedder, evidence))
    name = data.draw(st.sampled_from(features(embedder, evidence)))
    low, high = sorted((data.draw(UNIT), data.draw(UNIT)))
    (less,) = Gate.from_file(embedder)([candidate(1, drawn | {name: low}, kind=kind)], ANN)
    (more,) = Gate.from_file(embedder)([candidate(1, drawn | {name: high}, kind=kind)], ANN)
    if name in AGAINST:
        less, more = more, less
    order = [Action.LEAVE, Action.OFFER, Action.USE]
    assert less.probability <= more.probability
    assert order.index(less.action) <= order.index(more.action)


@given(gates, st.lists(ANY_SCORES, max_size=14))
def test_no_more_are_used_than_there_is_room_for_and_each_says_why(gate: Gate, rows: list[dict[str, float]]) -> None:
    certain = [candidate(100 + number, CERTAIN | {"frame": 0.0}) for number in range(9)]
    actions = [decision.action for decision in gate(certain, ANN)]
    uses, offers = gate.most_uses, gate.most_offers
    assert actions == [Action.USE] * uses + [Action.OFFER] * offers + [Action.LEAVE] * (9 - uses - offers)
    decisions = gate([candidate(number, values) for number, values in enumerate(rows)], ANN)
    assert sorted(decision.entry.sequence for decision in decisions) == list(range(len(rows)))
    assert sum(decision.action is Action.USE for decision in decisions) <= uses
    assert sum(decision.action is Action.OFFER for decision in decisions) <= offers <= 5
    for decision in decisions:
        said = "Left out: " if decision.action is Action.LEAVE else f'"{decision.candidate.key.text}"'
        assert said in str(decision.reason)
    assert all(0.0 <= decision.probability <= 1.0 for decision in decisions)
    others = [one for one in decisions if one.candidate.scores.get("frame", 0.0) < SAME_WAY]
    order = [(bool(decision.candidate.scores.get("its_question")), decision.probability) for decision in others]
    assert order == sorted(order, reverse=True)  # what was said of this very question first, then the likeliest


def test_a_model_that_goes_by_one_note_is_given_one_and_nothing_else_is_shown_as_used() -> None:
    way, alike = candidate(1, CERTAIN), candidate(2, CERTAIN | {"frame": 0.05, "filler": 0.0, "surface": 0.7})
    assert [decision.action for decision in Gate.from_file()([way, alike], ANN)] == [Action.USE, Action.USE]
    used, left = Gate.from_file().only_certain()([way, alike], ANN)
    assert (used.entry.id, used.action, left.action) == (way.entry.id, Action.USE, Action.LEAVE)
    assert "this model goes by one" in str(left.reason)


@given(gates, st.lists(ANY_SCORES, max_size=6), st.lists(ANY_SCORES, max_size=4), st.data())
def test_neither_the_order_nor_another_persons_private_entries_change_anything(
    gate: Gate, mine: list[dict[str, float]], theirs: list[dict[str, float]], data: st.DataObject
) -> None:
    own = [candidate(number, values) for number, values in enumerate(mine)]
    others = [candidate(100 + number, values, owner="bob") for number, values in enumerate(theirs)]
    assert gate(data.draw(st.permutations([*own, *others])), ANN) == gate(own, ANN)


@given(gates, ANY_SCORES)
def test_an_example_gets_no_decision_and_changes_none(gate: Gate, values: dict[str, float]) -> None:
    example, note = candidate(2, values, kind=EXAMPLE), candidate(1, SAME_KIND)
    assert gate([example], ANN) == []
    assert gate([example, note], ANN) == gate([note], ANN)


@pytest.mark.parametrize(
    ("names", "evidence"),
    [
        ((), Evidence.QUESTION),
        (("words", "ngrams", "frame"), Evidence.QUESTION),
        (("words", "second_ngrams"), Evidence.QUESTIONS),
        (("words", "further_ngrams"), Evidence.FURTHER),
        (("words", "second_ngrams", "further_ngrams"), Evidence.FURTHER),
    ],
)
@pytest.mark.parametrize("meaning", [True, False])
def test_the_calibration_follows_from_the_features_that_there_are(
    names: Sequence[str], evidence: Evidence, meaning: bool
) -> None:
    def calibrations(first: float) -> dict[str, dict[Evidence, Calibration]]:
        found = {one: Calibration(first + place, {}, 0.8, 0.1) for place, one in enumerate(Evidence)}
        return {CLARIFICATION.name: found}

    gate = Gate(calibrations(1.0), without_meaning=calibrations(-3.0))
    # What counts is that a feature is there, not what it says.
    values = dict.fromkeys(names, 0.0) | ({"meaning": 0.0} if meaning else {})
    (decision,) = gate([candidate(1, values)], ANN)
    assert Evidence.of(values) is evidence
    expected = (gate.calibrations if meaning else gate.without_meaning)[CLARIFICATION.name][evidence]
    assert decision.probability == expected.probability({})


def test_an_odd_key_of_a_model_does_not_hide_the_same_way_of_asking() -> None:
    likeness = {"meaning": 0.45, "with_feedback": 0.4, "ngrams": 0.5, "surface": 0.67, "frame": 1.0, "filler": 1.0}
    odd = likeness | {"second_ngrams": 0.0, "further_ngrams": 0.0, "further_meaning": 0.2, "copied": 0.5}
    (alone,), (beside,) = (Gate.from_file(BUNDLED)([candidate(1, values)], ANN) for values in (likeness, odd))
    assert alone.action is beside.action is Action.USE
    assert beside.probability >= alone.probability


def test_an_embedder_that_was_never_calibrated_is_judged_as_any_and_without_meaning_by_spelling() -> None:
    unknown, plain = Gate.from_file("somebody/unknown"), Gate.from_file(NO_EMBEDDER)
    assert unknown == Gate.from_file(ANY_EMBEDDER) != plain
    without_meaning = candidate(1, SAME_KIND)
    for gate in (unknown, Gate.from_file(BUNDLED)):
        assert gate([without_meaning], ANN) == plain([without_meaning], ANN)


def test_what_was_fitted_for_an_embedder_goes_before_the_file() -> None:
    other = FILE["calibrations"]["clarification"][BUNDLED]
    fitted = Gate.from_file("somebody/unknown", fitted={"clarification": other})
    assert fitted.calibrations["clarification"] == Gate.from_file(BUNDLED).calibrations["clarification"]
    assert fitted.calibrations["fact"] == Gate.from_file(ANY_EMBEDDER).calibrations["fact"]
    assert fitted.without_meaning == Gate.from_file(NO_EMBEDDER).without_meaning


def test_of_two_notes_for_the_same_way_of_asking_the_newer_is_used_however_near_the_older_is() -> None:
    newer, older, nearer = (candidate(2, CERTAIN), candidate(1, CERTAIN), candidate(1, CERTAIN | {"relevance": 0.95}))
    for notes in ([older, newer], [newer, nearer]):
        decisions = Gate.from_file()(notes, ANN)
        assert [decision.entry.sequence for decision in decisions] == [2, 1]
        assert [decision.action for decision in decisions] == [Action.USE, Action.LEAVE]
    of_this_question = candidate(1, CERTAIN | {"its_question": 1.0})
    assert [decision.entry.sequence for decision in Gate.from_file()([newer, of_this_question], ANN)] == [1, 2]


def test_of_two_notes_for_other_ways_of_asking_the_nearer_is_used() -> None:
    newer, nearer = (candidate(2, CERTAIN | {"frame": 0.9}), candidate(1, CERTAIN | {"frame": 0.9, "relevance": 0.95}))
    assert [decision.entry.sequence for decision in Gate.from_file()([newer, nearer], ANN)] == [1, 2]


def test_to_a_model_that_chooses_the_nearer_is_shown_first() -> None:
    newer, nearer = (candidate(2, CERTAIN), candidate(1, CERTAIN | {"relevance": 0.95}))
    decisions = Gate.from_file().only_offering()([newer, nearer], ANN)
    assert [decision.entry.sequence for decision in decisions] == [1, 2]


@every_calibration
def test_what_was_left_out_before_counts_as_before_and_people_are_reminded(
    kind: Kind, embedder: str, evidence: Evidence
) -> None:
    values = dict.fromkeys(features(embedder, evidence), 0.0) | SAME_KIND | {"margin": 0.2}
    values |= {"with_misreading": 0.3, "with_misreading_ngrams": 0.3} | {
        name: 0.6 for name in values if name.startswith(("second_", "further_")) or name in {"meaning", "with_feedback"}
    }
    (before,) = Gate.from_file(embedder)([candidate(1, values, kind=kind)], ANN)
    (after,) = Gate.from_file(embedder)([candidate(1, values | {"hurt": 0.5, "hurt_like": 0.5}, kind=kind)], ANN)
    decided = Action.OFFER if kind.asserts else Action.USE
    assert (before.action, after.action, after.probability) == (decided, decided, before.probability)
    assert "You left it out before." in str(after.reason)


@given(gates, ANY_SCORES)
def test_what_is_out_of_bounds_is_left_however_probable_it_is(gate: Gate, values: dict[str, float]) -> None:
    found = candidate(1, values)
    paused = replace(found, entry=replace(found.entry, resting=True))
    excepted = candidate(1, values | {"excepted": 1.0})
    elsewhere = candidate(1, values | {"other_question": 1.0})
    assert {one.action for bounded in (paused, excepted, elsewhere) for one in gate([bounded], ANN)} <= {Action.LEAVE}
    within = candidate(1, values | {"excepted": 0.0, "other_question": 0.0})
    assert [one.action for one in gate([within], ANN)] == [one.action for one in gate([found], ANN)]


@pytest.mark.parametrize(
    ("values", "action", "reason"),
    [
        (CERTAIN, Action.USE, 'The same question as "akin to … ?".'),
        (SAME_KIND, Action.USE, 'Same wording as "akin to … ?", only the word asked about differs.'),
        (SAME_KIND | {"frame": 0.9}, Action.USE, 'Nearly the same wording as "akin to … ?".'),
        (LIKELY, Action.OFFER, '"akin to … ?"'),
        (FAR_BEHIND, Action.LEAVE, "Left out: it is not close enough"),
    ],
)
def test_the_reason_names_what_matched(values: dict[str, float], action: Action, reason: str) -> None:
    found = replace(candidate(1, values), key=Key("akin to ▢ ?"))
    (decision,) = Gate.from_file()([found], ANN)
    assert decision.action is action
    assert reason in str(decision.reason)
