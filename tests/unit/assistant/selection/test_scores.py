"""The scores of samples, against tables by hand (Yuan et al., 2023, section 3)."""

from collections.abc import Mapping
from operator import attrgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.selection.ngram import SIZES, NGrams
from assistant.selection.round_trip import RoundTrip
from assistant.selection.scorer import Against
from memory_store.language.normalize import fold

STORY = Against("The cat sat on the mat. The cat slept.", "the mat")
CONTEXT, ANSWER = attrgetter("context"), attrgetter("answer")
TEXTS = st.text(alphabet="ab \n.?", max_size=30)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (1, [1.0, 3 / 4, 0.0, 0.0]),  # the, cat and sat of the, cat, sat and where
        (2, [1.0, 2 / 4, 0.0, 0.0]),  # "the cat" and "cat sat", of four
        (3, [1.0, 1 / 3, 0.0, 0.0]),
        (4, [1.0, 0.0, 0.0, 0.0]),
        (5, [1.0, 0.0, 0.0, 0.0]),
    ],
)
def test_the_share_of_unique_ngrams_that_the_text_has(size: int, expected: list[float]) -> None:
    samples = ["the cat sat on the mat", "The CAT sat? Where, WHERE!", "dogs bark loudly at night", ""]
    assert NGrams(size, fold, CONTEXT)(samples, STORY) == expected


def test_what_ngrams_are_computed_against_is_an_argument() -> None:
    assert NGrams(1, fold, ANSWER)(["the cat", "a mat", "ਮੈਟ"], STORY) == [1 / 2, 1 / 2, 0.0]


@given(st.lists(TEXTS, min_size=1, max_size=5), TEXTS, st.sampled_from(SIZES))
def test_a_score_is_a_share_of_the_sample_alone(samples: list[str], text: str, size: int) -> None:
    scorer, against = NGrams(size, fold, CONTEXT), Against(text)
    scores = scorer(samples, against)
    assert all(0 <= score <= 1 for score in scores)
    assert list(scorer(samples[::-1], against)) == list(scores)[::-1]
    doubled = [f"{sample} {sample}" for sample in samples]
    assert NGrams(1, fold, CONTEXT)(doubled, against) == NGrams(1, fold, CONTEXT)(samples, against)


def test_a_round_trip_answers_from_the_context_and_compares_with_the_answer() -> None:
    known: Mapping[tuple[str, str], str] = {
        ("where did it sit?", STORY.context): "on the mat",
        ("who slept?", STORY.context): "the cat",
    }

    def overlap(given: str, wanted: str) -> float:
        ours, theirs = set(given.split()), set(wanted.split())
        return len(ours & theirs) / len(ours | theirs)

    scorer = RoundTrip(lambda question, context: known.get((question, context), ""), overlap)
    assert scorer(["who slept?", "where did it sit?", ""], STORY) == [1 / 3, 2 / 3, 0.0]
