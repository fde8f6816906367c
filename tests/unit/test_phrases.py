"""The words that were cleared up: which they are, and whether a new question has them again."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.types import Entry, Key, KeyOrigin, Kind, Status
from memory_store.features import worded
from memory_store.phrases import cleared_up_words, share_again

CIDER = "which cider is good for my kids' school party"
TEXT = st.text(st.sampled_from("cider ?kऐਕ▢"), max_size=20)


def an_entry(question: str, said: str, *keys: str) -> Entry:
    return Entry(
        id="one", kind=Kind.CLARIFICATION, owner="ann", shared=False, status=Status.ACTIVE, question=question,
        text=said, sequence=1, created=datetime(2026, 1, 1, tzinfo=UTC),
        keys=(Key(question), *(Key(key, KeyOrigin.MODEL) for key in keys)),
        wrong_understanding='You want an alcoholic "cider".',
    )  # fmt: skip


@pytest.mark.parametrize(
    ("said", "keys", "words"),
    [
        ("it's just pressed apples", ("cider", "pressed apple juice"), {"cider"}),  # quoted by a model
        ("it's just pressed apples", ("pressed apple juice", "my kids' cider"), {"kids", "cider"}),
        ("I mean cider without alcohol", ("apple juice",), {"cider"}),  # repeated by the person
        ("it's just pressed apples", ("apple juice",), set()),
    ],
)
def test_what_was_cleared_up_is_quoted_by_a_model_or_repeated_by_the_person(
    said: str, keys: tuple[str, ...], words: set[str]
) -> None:
    assert cleared_up_words(an_entry(CIDER, said, *keys)) == words


@pytest.mark.parametrize(
    ("question", "share"),
    [
        ("which apples are good for my kids' school party", 0.0),
        ("does cider keep", 1.0),
        ("does cidr keep", 1.0),  # a slip
        ("are ciders sweet", 1.0),  # another form
    ],
)
def test_the_word_is_there_again_or_it_is_not(question: str, share: float) -> None:
    assert share_again(frozenset({"cider"}), question, CIDER) == share


def test_the_old_question_with_another_word_in_place_of_what_was_cleared_up_is_no_way_of_asking_it() -> None:
    entry = an_entry(CIDER, "pressed apples, no booze in it whatsoever", "cider")
    unknown = an_entry(CIDER, "pressed apples, no booze in it whatsoever", "apple juice")
    question = "which apples are good for my kids' school party"
    assert worded(question, CIDER, unknown)["filler"] > 0.9
    assert worded(question, CIDER, entry)["filler"] == 0.0


@given(st.frozensets(TEXT, max_size=3), TEXT, TEXT)
def test_any_texts_can_be_compared(words: frozenset[str], question: str, known: str) -> None:
    assert 0.0 <= share_again(words, question, known) <= 1.0
