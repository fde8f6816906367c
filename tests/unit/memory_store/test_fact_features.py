"""What is said of a fact and a question: numbers in [0, 1] of the two alone, whatever they are."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.kinds import FACT
from assistant.text.cleaning import storable
from assistant.types import Candidate, Entry, Key, Scope
from memory_store.index.key_matrix import KeyMatrix, Part
from memory_store.language.terms import share_in
from memory_store.language.word_translation import READINGS
from memory_store.ledger.indexed_keys import TextRole, indexed_keys
from memory_store.recall.facts import NEAREST, focus_of, fused, similar
from memory_store.recall.recall import candidates, nearest
from tests.support.memory.entries import made_entry
from tests.support.memory.store import LetterPairs, asked

ANN = Scope("ann")
EMBEDDER = LetterPairs()
TEXT = st.text(max_size=40) | st.lists(
    st.sampled_from(["Rex", "is", "a dog", "bark.", "kal", "पानी", "ਉਲਟਾ", "?", "12", "\n", "।"]), max_size=7
).map(" ".join)
SAID = TEXT.map(storable).filter(str.strip)


def a_fact(name: str, text: str, told_at: str = "") -> Entry:
    question = told_at or text
    return made_entry(question, text, id=name, kind=FACT, keys=(Key(question),))


def matrix(entries: Sequence[Entry], embedder: LetterPairs | None = EMBEDDER) -> KeyMatrix:
    rows = [row for entry in entries for row in indexed_keys(entry, READINGS)]
    return KeyMatrix(rows, embedder.encode([row.text for row in rows]) if embedder else None)


def found(question: str, entries: Sequence[Entry], embedder: LetterPairs | None = EMBEDDER) -> dict[str, Candidate]:
    hits = nearest([matrix(entries, embedder)], asked(question, READINGS, embedder))
    by_id = {entry.id: entry for entry in entries}
    assert not hits[Part.SAID] + hits[Part.UNSAID]
    joined = [(hit, by_id[hit.entry_id]) for hit in hits[Part.ASSERTED]]
    return {found.entry.id: found for found in candidates(joined, question, ANN)}


@given(SAID, SAID)
def test_a_fact_has_a_row_of_what_it_says_and_one_of_the_question_it_was_told_at(text: str, told_at: str) -> None:
    assert [row.role for row in indexed_keys(a_fact("one", text), READINGS)] == [TextRole.ASSERTED]
    roles = {row.role for row in indexed_keys(a_fact("one", text, told_at), READINGS)}
    assert roles == ({TextRole.ASSERTED, TextRole.QUESTION} if text != told_at else {TextRole.ASSERTED})


@given(TEXT, st.lists(st.tuples(SAID, TEXT), min_size=1, max_size=4), st.booleans())
def test_every_number_lies_between_0_and_1_and_is_that_of_the_two_alone(
    question: str, facts: list[tuple[str, str]], embedded: bool
) -> None:
    embedder = EMBEDDER if embedded else None
    entries = [a_fact(str(at), *told) for at, told in enumerate(facts)]
    among = found(question, entries, embedder)
    assert among.keys() == {entry.id for entry in entries}
    for entry in entries:
        scores = among[entry.id].scores
        assert {name: value for name, value in scores.items() if not 0.0 <= value <= 1.0} == {}
        assert ("meaning" in scores) is embedded
        alone = found(question, [entry], embedder)[entry.id].scores
        for name in alone.keys() - {"margin", "margin_behind", "relevance"}:  # these depend on the others
            assert scores[name] == pytest.approx(alone[name], abs=1e-5), name


@given(TEXT, SAID)
def test_without_a_vector_nothing_is_said_of_meaning(question: str, text: str) -> None:
    plain = similar(matrix([a_fact("one", text)], None).compare(asked(question, READINGS)), 0)
    whole = similar(matrix([a_fact("one", text)]).compare(asked(question, READINGS, EMBEDDER)), 0)
    assert whole.keys() - plain.keys() == {"meaning"}
    assert {name: whole[name] for name in plain} == pytest.approx(plain)


@given(SAID)
def test_the_same_words_are_nearest(text: str) -> None:
    others = [a_fact(name, f"{name} and something else of quite another kind") for name in ("one", "two")]
    ranked = found(text, [*others, a_fact("same", text)])
    assert max(ranked.values(), key=lambda each: each.scores["relevance"]).scores["relevance"] == pytest.approx(
        ranked["same"].scores["relevance"], abs=1e-5
    )


def test_what_else_speaks_for_a_fact_counts_for_less_where_many_are_about_as_near() -> None:
    ngrams = np.linspace(0, 1, 40, dtype=np.float32)
    for spread in (0.2, 0.02):
        meaning = np.linspace(0.5 + spread, 0.5, 40, dtype=np.float32)
        moved = fused({"meaning": meaning, "ngrams": ngrams}, {"ngrams": 0.1}) - meaning
        assert np.abs(moved).max() == pytest.approx(0.2 / 1.1 * meaning[:NEAREST].std() * np.sqrt(3), rel=0.1)
        assert not moved[NEAREST:].any()
        assert fused({"meaning": meaning, "focus": meaning}, {"focus": 0.25}) == pytest.approx(meaning, abs=1e-6)
    lone = {"meaning": np.array([0.7], np.float32), "ngrams": np.array([0.1], np.float32)}
    assert fused(lone, {"ngrams": 0.1}).tolist() == pytest.approx([0.7])


@given(TEXT)
def test_the_focus_of_a_question_is_some_of_it(question: str) -> None:
    assert focus_of(question) in question
    assert bool(focus_of(question).strip()) is bool(question.strip())


@pytest.mark.parametrize(
    ("question", "focus"),
    [
        ("We leave at nine. Will the shop be open?", "Will the shop be open?"),
        ("दुकान बंद है। क्या कल खुलेगी दुकान?", "क्या कल खुलेगी दुकान?"),
        ("what does Harman do", "what does Harman do"),
        ("Is the shop open? Thanks!", "Is the shop open? Thanks!"),
    ],
)
def test_the_last_sentence_says_what_is_wanted_where_it_is_long_enough(question: str, focus: str) -> None:
    assert focus_of(question) == focus


@given(TEXT, TEXT)
def test_a_share_of_words_is_all_of_them_for_the_same_text_and_none_for_no_text(one: str, other: str) -> None:
    assert 0.0 <= share_in(one, other) <= 1.0 + 1e-9
    assert share_in(one, one) == pytest.approx(share_in(one, f"{other} {one}"))
    assert share_in(one, "") == share_in("", one) == 0.0


def test_words_that_begin_alike_count_and_what_every_text_has_does_not() -> None:
    assert share_in("what is Aarav allergic to", "the allergy of Aarav") > 0.9
    assert share_in("what is Aarav allergic to", "what is it to you") < 0.1
