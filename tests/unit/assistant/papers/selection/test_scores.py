"""The scores of samples, against tables by hand (Yuan et al., 2023, section 3)."""

from collections.abc import Sequence
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import ModelUnavailable, NotedError, TooOften
from assistant.papers.calls import Calls
from assistant.papers.selection.scores import Sample, Scorer, ngram_similarity, round_trip, select
from assistant.types import Message, Role
from memory_store.language.normalize import fold
from tests.support.servers.scripted import ScriptedModel

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
        (5, [1.0, 0.0, 0.0, 0.0]),
    ],
)
def test_score_is_the_share_of_ngrams(size: int, expected: list[float]) -> None:
    samples = ["the cat sat on the mat", "The CAT sat? Where, WHERE!", "dogs bark loudly at night", ""]
    assert ngram_similarity(of(samples), size, fold) == expected


@given(st.lists(TEXTS, min_size=1, max_size=5), TEXTS, st.integers(1, 5))
def test_score_is_of_the_sample_alone(samples: list[str], text: str, size: int) -> None:
    scorer = partial(ngram_similarity, size=size, fold=fold)
    scores = scorer(of(samples, text))
    assert all(0 <= score <= 1 for score in scores)
    assert list(scorer(of(samples[::-1], text))) == list(scores)[::-1]
    doubled = [f"{sample} {sample}" for sample in samples]
    assert ngram_similarity(of(doubled, text), 1, fold) == ngram_similarity(of(samples, text), 1, fold)


def test_round_trip_compares_with_the_answer() -> None:
    replies = {"where did it sit?": "It: on the mat", "who slept?": "It: the cat", "": "It: nothing"}
    model = ScriptedModel(reply=lambda messages: replies[messages[0].content.removeprefix(STORY)])
    allowed: list[int] = []

    def prompt(sample: Sample) -> Sequence[Message]:
        return [Message(Role.USER, sample.context + sample.text)]

    def read(reply: str) -> str:
        return reply.removeprefix("It: ")

    calls = Calls(model, lambda _: None)
    samples = of(["who slept?", "where did it sit?", ""])
    assert round_trip(samples, prompt, calls, fold, allowed.append, read) == [1 / 2, 4 / 5, 0.0]
    assert allowed == [3]


def test_failing_scorers_are_left_out() -> None:
    def failing(error: NotedError) -> Scorer:
        def score(samples: Sequence[Sample]) -> Sequence[float]:
            raise error

        return score

    grams = partial(ngram_similarity, size=1, fold=fold)
    scorers: dict[str, Scorer] = {
        "often": failing(TooOften(3)),
        "grams": grams,
        "gone": failing(ModelUnavailable()),
    }
    assert select(of(["dog", "cat"]), {**scorers, "later": grams}) == (1, [{"grams": 0.0}, {"grams": 1.0}])
    assert select(of(["cat"]), {"grams": grams}) == (0, [{}])
    assert select(of(["cat", "dog"]), {}) == (0, [{}, {}])


def test_weights_choose_among_scorers() -> None:
    scorers: dict[str, Scorer] = {"first": lambda _: [1.0, 0.0], "second": lambda _: [0.0, 1.0]}
    samples = of(["cat", "dog"])
    assert [select(samples, scorers, weights)[0] for weights in ({}, {"first": 0.5}, {"second": 0.5})] == [0, 1, 0]
