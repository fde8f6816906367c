"""The scores of samples, against tables by hand (Yuan et al., 2023, section 3)."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import ModelUnavailable, NotedError, TooOften
from assistant.papers.selection.ngram import SIZES, NGrams
from assistant.papers.selection.round_trip import RoundTrip
from assistant.papers.selection.scorer import Sample, Scorer, all_scores
from memory_store.language.normalize import fold

pytestmark = pytest.mark.promise("best-draft-is-shown")

STORY, ANSWER = "The cat sat on the mat. The cat slept.", "the mat"
TEXTS = st.text(alphabet="ab \n.?", max_size=30)


def of(samples: Sequence[str], context: str = STORY) -> list[Sample]:
    return [Sample(sample, context, ANSWER) for sample in samples]


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
    assert NGrams(size, fold)(of(samples)) == expected


def test_what_ngrams_are_computed_against_is_an_argument() -> None:
    samples = [Sample("the cat", "the mat"), Sample("a mat", "the mat"), Sample("a mat", "a mat"), Sample("ਮੈਟ", "mat")]
    assert NGrams(1, fold)(samples) == [1 / 2, 1 / 2, 1.0, 0.0]


@given(st.lists(TEXTS, min_size=1, max_size=5), TEXTS, st.sampled_from(SIZES))
def test_a_score_is_a_share_of_the_sample_alone(samples: list[str], text: str, size: int) -> None:
    scorer = NGrams(size, fold)
    scores = scorer(of(samples, text))
    assert all(0 <= score <= 1 for score in scores)
    assert list(scorer(of(samples[::-1], text))) == list(scores)[::-1]
    doubled = [f"{sample} {sample}" for sample in samples]
    assert NGrams(1, fold)(of(doubled, text)) == NGrams(1, fold)(of(samples, text))


def test_a_round_trip_answers_from_the_context_and_compares_with_the_answer() -> None:
    known: Mapping[tuple[str, str], str] = {
        ("where did it sit?", STORY): "on the mat",
        ("who slept?", STORY): "the cat",
    }

    def overlap(given: str, wanted: str) -> float:
        ours, theirs = set(given.split()), set(wanted.split())
        return len(ours & theirs) / len(ours | theirs)

    scorer = RoundTrip(lambda samples: [known.get((one.text, one.context), "") for one in samples], overlap)
    assert scorer(of(["who slept?", "where did it sit?", ""])) == [1 / 3, 2 / 3, 0.0]


def test_of_several_scorers_those_are_left_out_that_say_nothing_or_fail() -> None:
    def failing(error: NotedError) -> Scorer:
        def score(samples: Sequence[Sample]) -> Sequence[float]:
            raise error

        return score

    grams = NGrams(1, fold)
    scorers: dict[str, Scorer] = {
        "silent": lambda samples: [],
        "often": failing(TooOften(3)),
        "grams": grams,
        "gone": failing(ModelUnavailable()),
    }
    assert all_scores(of(["cat", "dog"]), {**scorers, "later": grams}) == {"grams": [1.0, 0.0]}
    assert all_scores(of(["cat"]), {"grams": grams}) == {}
