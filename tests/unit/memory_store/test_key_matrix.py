"""Texts compared with a question all at once: order, company and missing vectors."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_store.index.key_matrix import KeyMatrix, Query
from memory_store.language.readings import READINGS
from memory_store.ledger.indexed_keys import IndexedKey, Role
from memory_store.recall.features import relevance, similar
from memory_store.recall.recall import Hit, nearest
from tests.support.store import LetterPairs, asked

EMBEDDER = LetterPairs()
CLOSE = 1e-5
TEXT = st.lists(
    st.sampled_from(["what", "is", "akin", "to", "quick", "kal", "पानी", "▢", "", "word", "unlike"]), max_size=6
).map(" ".join)
ROW = st.tuples(st.integers(0, 3), st.sampled_from(list(Role)), TEXT)
ROWS = st.lists(ROW, min_size=1, max_size=12)
OF_MEANING = {"meaning", "support", "with_feedback", "with_misreading", "further_meaning", "further_meaning_mean"}


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    said_of(matrix_of([row(0, Role.QUESTION, "quick")]), question_of("quick"))


def row(entry: int, role: Role, text: str, place: int = 0, prefix: str = "entry") -> IndexedKey:
    name = f"{prefix} {entry}"
    return IndexedKey(f"{name}/{place}", name, "ann", text, READINGS.fold(text), READINGS.english(text), role)


def made(drawn: Sequence[tuple[int, Role, str]], prefix: str = "entry") -> list[IndexedKey]:
    """Rows of entries, each with a question of its own beside what was drawn for it."""
    entries = sorted({entry for entry, _, _ in drawn})
    asked_first = [(entry, Role.QUESTION, f"what is number {entry}") for entry in entries]
    return [row(entry, role, text, place, prefix) for place, (entry, role, text) in enumerate([*drawn, *asked_first])]


def matrix_of(rows: Sequence[IndexedKey]) -> KeyMatrix:
    return KeyMatrix(rows, EMBEDDER.encode([row.text for row in rows]))


def question_of(text: str) -> Query:
    return asked(text, READINGS, EMBEDDER)


def said_of(matrix: KeyMatrix, question: Query) -> dict[str, dict[str, float]]:
    """Everything that a matrix says of each entry for a question."""
    found = matrix.compare(question)
    near = relevance(found)
    return {
        name: {**similar(found, place), "relevance": float(near[place])} for place, name in enumerate(matrix.entry_ids)
    }


def all_nearest(matrices: Sequence[KeyMatrix], question: Query) -> list[Hit]:
    """With something that a person said, and without."""
    said, unsaid = nearest(matrices, question)
    assert all(near.scores.matrix.said[near.place] for near in said)
    assert not any(near.scores.matrix.said[near.place] for near in unsaid)
    return [*said, *unsaid]


def assert_same(first: dict[str, dict[str, float]], second: dict[str, dict[str, float]]) -> None:
    assert first.keys() == second.keys()
    for name, scores in first.items():
        assert scores == pytest.approx(second[name], abs=CLOSE)


@given(ROWS, TEXT, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_nothing(
    drawn: list[tuple[int, Role, str]], question: str, chance: random.Random
) -> None:
    rows = made(drawn)
    shuffled = chance.sample(rows, len(rows))
    assert_same(said_of(matrix_of(rows), question_of(question)), said_of(matrix_of(shuffled), question_of(question)))
    assert {row.key_id for row in matrix_of(shuffled).rows} == {row.key_id for row in rows}


@given(ROWS, TEXT)
def test_an_entry_is_compared_as_if_it_were_alone(drawn: list[tuple[int, Role, str]], question: str) -> None:
    rows = made(drawn)
    alone = {}
    for name in {row.entry_id for row in rows}:
        alone |= said_of(matrix_of([row for row in rows if row.entry_id == name]), question_of(question))
    assert_same(said_of(matrix_of(rows), question_of(question)), alone)


@given(ROWS, ROWS, TEXT)
def test_the_rows_of_another_matrix_never_matter(
    mine: list[tuple[int, Role, str]], shared: list[tuple[int, Role, str]], question: str
) -> None:
    def found(*matrices: KeyMatrix) -> dict[str, float]:
        return {near.entry_id: near.relevance for near in all_nearest(matrices, question_of(question))}

    def scores(near: Hit) -> dict[str, float]:
        return similar(near.scores, near.place)

    first, second = matrix_of(made(mine)), matrix_of(made(shared, "shared"))
    both = all_nearest([first, second], question_of(question))
    assert {near.entry_id: near.relevance for near in both} == found(first) | found(second)
    for near in all_nearest([first], question_of(question)):
        (same,) = (other for other in both if other.entry_id == near.entry_id)
        assert scores(same) == scores(near)


@given(ROWS, TEXT)
def test_rows_are_found_by_entry_and_role(drawn: list[tuple[int, Role, str]], question: str) -> None:
    matrix = matrix_of(made(drawn))
    values = matrix.compare(question_of(question)).ngrams
    for role in Role:
        largest = matrix.per_entry(values, role).tolist()
        for place, name in enumerate(matrix.entry_ids):
            rows = [matrix.rows_of(place).start + at for at in matrix.places(place, role)]
            assert [matrix.rows[at].role for at in rows] == [role] * len(rows)
            assert {matrix.rows[at].entry_id for at in rows} <= {name}
            assert largest[place] == pytest.approx(max((float(values[at]) for at in rows), default=0.0))
    assert sum(len(matrix.places(place, *Role)) for place in range(len(matrix))) == len(matrix.rows)


@given(ROWS, TEXT)
def test_without_an_embedder_nothing_is_said_of_meaning(drawn: list[tuple[int, Role, str]], question: str) -> None:
    rows = made(drawn)
    for matrix, about in ((KeyMatrix(rows), question_of(question)), (matrix_of(rows), asked(question, READINGS))):
        assert numpy.isnan(matrix.compare(about).meaning).all()
        for scores in said_of(matrix, about).values():
            assert not OF_MEANING & scores.keys()
            assert all(0.0 <= value <= 1.0 for value in scores.values())


def test_an_entry_whose_vectors_are_missing_has_no_meaning_and_the_others_have() -> None:
    rows = [
        row(0, Role.QUESTION, "what is akin to quick", 0),
        row(1, Role.QUESTION, "what is akin to quick", 1),
        row(1, Role.FURTHER, "a word like quick", 2),
        row(1, Role.WITH_FEEDBACK, "what is akin to quick. a synonym", 3),
    ]
    vectors = EMBEDDER.encode([row.text for row in rows])
    for missing in (1, 2):
        some = vectors.copy()
        some[missing] = numpy.nan
        scores = said_of(KeyMatrix(rows, some), question_of("what is akin to quick"))
        assert scores["entry 0"]["meaning"] == pytest.approx(1.0)
        assert not OF_MEANING & scores["entry 1"].keys()
        assert scores["entry 1"]["ngrams"] == pytest.approx(1.0)


def test_a_matrix_may_be_empty() -> None:
    matrix = KeyMatrix([])
    assert len(matrix) == 0
    assert matrix.compare(question_of("quick")).ngrams.shape == (0,)
    assert nearest([matrix], question_of("quick")) == ([], [])
