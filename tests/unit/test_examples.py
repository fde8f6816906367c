from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from assistant.examples import LONGEST_EXAMPLE, NearestExamples, nearness
from assistant.only_kinds import OnlyKinds
from assistant.types import Action, Candidate, Entry, Key, Kind, Scope, Status

ANN = Scope("ann")
SCORES = st.dictionaries(
    st.sampled_from(["meaning", "words", "ngrams", "frame", "filler", "one_gap", "phrase"]), st.floats(0, 1)
)


def found(name: str, near: float = 0.9, kind: Kind = Kind.EXAMPLE, owner: str = "ann", answer: str = "a") -> Candidate:
    entry = Entry(
        id=name, kind=kind, owner=owner, shared=owner != "ann", status=Status.ACTIVE, question=name, text="",
        sequence=1, created=datetime(2026, 1, 1, tzinfo=UTC), keys=(Key(name),), understanding="u", answer=answer,
    )  # fmt: skip
    return Candidate(entry, entry.keys[0], {"words": near, "ngrams": near})


def chosen(*candidates: Candidate, left_out: tuple[str, ...] = ()) -> list[str]:
    return [decision.entry.id for decision in NearestExamples(most=3, least=0.5)(candidates, left_out, ANN)]


def test_the_nearest_are_shown_nearest_last() -> None:
    assert chosen(found("far", 0.6), found("near", 0.9), found("nearest", 0.95), found("farther", 0.55)) == [
        "far", "near", "nearest",
    ]  # fmt: skip


def test_what_is_not_near_enough_or_left_out_or_too_long_or_no_example_is_not_shown() -> None:
    assert chosen(found("far", 0.4)) == []
    assert chosen(found("x"), left_out=("x",)) == []
    assert chosen(found("long", answer="a" * LONGEST_EXAMPLE)) == []
    assert chosen(found("said", kind=Kind.CLARIFICATION)) == []


def test_ones_own_take_the_places_before_shared_ones() -> None:
    shared = [found(f"shared {number}", 0.99, owner="bob") for number in range(3)]
    assert chosen(*shared, found("mine", 0.6), found("mine too", 0.7)) == ["mine", "mine too", "shared 0"]


def test_another_persons_private_example_is_never_shown() -> None:
    theirs = found("theirs", owner="bob")
    assert chosen(replace(theirs, entry=replace(theirs.entry, shared=False))) == []


def test_each_says_why_it_was_shown() -> None:
    mine, shared = NearestExamples()([found("mine"), found("shared", 0.95, owner="bob")], (), ANN)
    assert (mine.action, shared.action) == (Action.SHOW, Action.SHOW)
    assert mine.reason.startswith("You confirmed")
    assert shared.reason.startswith("Someone confirmed")


@given(SCORES, SCORES)
def test_nearness_is_a_number_from_0_to_1_that_no_similarity_lowers(
    scores: dict[str, float], more: dict[str, float]
) -> None:
    candidate = found("x")
    near = nearness(replace(candidate, scores=scores))
    raised = {name: max(score, more.get(name, 0.0)) for name, score in scores.items()}
    assert 0 <= near <= 1
    assert nearness(replace(candidate, scores=raised)) >= near - 1e-9


def test_a_recall_of_some_kinds_lets_only_those_through() -> None:
    everything = [found("example"), found("said", kind=Kind.CLARIFICATION)]
    searched = []

    def recall(question: str, scope: Scope) -> list[Candidate]:
        searched.append(question)
        return everything

    assert [each.entry.id for each in OnlyKinds(recall, {Kind.EXAMPLE})("q", ANN)] == ["example"]
    assert list(OnlyKinds(recall, ())("r", ANN)) == []
    assert searched == ["q"]
