"""The scores of samples, against tables by hand (Yuan et al., 2023, section 3)."""

from collections.abc import Sequence
from functools import partial
from unittest.mock import Mock

import pytest

from assistant.errors import ModelUnavailable
from assistant.papers.calls import Calls
from assistant.papers.selection.scoring import (
    Sample,
    Scorer,
    combine_scores,
    ngram_similarity,
    round_trip,
    scale_scores,
    select,
)
from assistant.types import Message, MessageRole
from memory_store.language.normalize import fold
from tests.support.servers.scripted import ScriptedModel

pytestmark = pytest.mark.promise("best-draft-is-shown")

STORY, ANSWER = "The cat sat on the mat. The cat slept.", "the mat"


def of(samples: Sequence[str], context: str = STORY) -> list[Sample]:
    return [Sample(sample, context, ANSWER) for sample in samples]


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (1, [1.0, 3 / 4, 0.0, 0.0]),  # the, cat and sat of: the, cat, sat, where
        (2, [1.0, 2 / 4, 0.0, 0.0]),  # "the cat" and "cat sat" of four
        (5, [1.0, 0.0, 0.0, 0.0]),
    ],
)
def test_score_is_the_share_of_ngrams(size: int, expected: list[float]) -> None:
    samples = ["the cat sat on the mat", "The CAT sat? Where, WHERE!", "dogs bark loudly at night", ""]
    assert ngram_similarity(of(samples), size, fold) == expected


def test_round_trip_compares_with_the_answer() -> None:
    replies = {"where did it sit?": "<answer>on the mat</answer>", "who slept?": "the cat", "": "nothing"}
    model = ScriptedModel(reply=lambda messages: replies[messages[0].content.removeprefix(STORY)])

    calls = Calls(model, lambda _: None)
    samples = of(["who slept?", "where did it sit?", ""])
    prompts = [[Message(MessageRole.USER, one.context + one.text)] for one in samples]
    assert round_trip(samples, prompts, calls, fold) == [1 / 2, 4 / 5, 0.0]


def test_failing_scorer_ends_the_scoring() -> None:
    grams = partial(ngram_similarity, size=1, fold=fold)
    scorers: dict[str, Scorer] = {"grams": grams, "gone": Mock(side_effect=ModelUnavailable), "later": grams}
    assert select(of(["dog", "cat"]), scorers) == (1, [{"grams": 0.0}, {"grams": 1.0}])
    assert select(of(["cat"]), {"grams": grams}) == (0, [{}])
    assert select(of(["cat", "dog"]), {}) == (0, [{}, {}])


FIRST, SECOND, SAME = [1.0, 3.0, 5.0], [30.0, 10.0, 20.0], [7.0, 7.0, 7.0]


def test_scores_are_scaled_and_averaged() -> None:
    assert [scale_scores(one) for one in (FIRST, SECOND, SAME)] == [[0.0, 0.5, 1.0], [1.0, 0.0, 0.5], [0.0, 0.0, 0.0]]
    assert combine_scores([FIRST, SECOND]) == [0.5, 0.25, 0.75]
    assert combine_scores([FIRST, SECOND], [1.0, 3.0]) == [0.75, 0.125, 0.625]
    assert combine_scores([FIRST, SAME]) == [0.0, 0.25, 0.5]
    assert combine_scores([SAME, SAME]) == combine_scores([FIRST], [0.0]) == [0.0, 0.0, 0.0]
