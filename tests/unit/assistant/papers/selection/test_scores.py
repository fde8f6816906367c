"""The scores of samples, against tables by hand (Yuan et al., 2023, section 3)."""

import threading
from collections.abc import Sequence
from functools import partial
from unittest.mock import Mock

import pytest

from assistant.errors import ModelUnavailable
from assistant.model_usage import Usage
from assistant.papers.calls import Calls
from assistant.papers.selection.scores import (
    APS,
    Dimension,
    Sample,
    Scorer,
    combine_scores,
    ngram_similarity,
    prompt_scorers,
    round_trip,
    scale_scores,
    select,
)
from assistant.prompt.prompt import PromptBuilder
from assistant.types import Message, MessageRole
from memory_store.language.normalize import fold
from tests.support.memory.loop import PROMPTS
from tests.support.memory.teaching import read_block
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

    def prompt(sample: Sample) -> Sequence[Message]:
        return [Message(MessageRole.USER, sample.context + sample.text)]

    calls = Calls(model, lambda _: None)
    samples = of(["who slept?", "where did it sit?", ""])
    assert round_trip(samples, prompt, calls, fold) == [1 / 2, 4 / 5, 0.0]


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


GOOD, POOR = "Who found the ring?", "ring the found?"
TEXT = "Dana found the ring."
ABOUT = [Sample(question, TEXT, "Dana") for question in (GOOD, POOR)]
GRAMMAR, CLEAR = (
    Dimension(name=name, asked=f"Is it {name}?", options=(f"not {name}", f"somewhat {name}", f"very {name}"))
    for name in ("right", "clear")
)


class Judge:
    """A judge with scripted choices, by dimension and sample."""

    def __init__(self, **choices: tuple[str, str]) -> None:
        self.choices = choices
        self.model = ScriptedModel(reply=self.reply, usage=Usage(10, 1, told=True))
        self.together = threading.Barrier(1)

    def reply(self, messages: Sequence[Message]) -> str:
        self.together.wait(5)
        first = messages[:2]
        asked = str(read_block(first, "asked")[0]["asked"]).removeprefix("Is it ").rstrip("?")
        place = (GOOD, POOR).index(str(read_block(first, "sample")[0]["sample"]))
        if len(messages) == 2:
            return f"I think of {place}."
        assert messages[2] == Message(MessageRole.ASSISTANT, f"I think of {place}.")
        return self.choices[asked][place]

    def scores(self, *dimensions: Dimension) -> Sequence[float]:
        calls, prompt_builder = Calls(self.model, lambda _: None), PromptBuilder(PROMPTS, b"secret", "connected")
        return prompt_scorers(dimensions, prompt_builder, calls)[APS](ABOUT)


def test_judge_thinks_openly_then_chooses() -> None:
    judge = Judge(right=("3", "1"), clear=("2", "2"))
    judge.together = threading.Barrier(4)  # calls run concurrently: each waits for three others
    assert judge.scores(GRAMMAR, CLEAR) == [0.75, 0.25]
    openly, choosing = (sorted(judge.model.asked, key=len)[place] for place in (0, -1))
    assert [message.role for message in openly] == [MessageRole.SYSTEM, MessageRole.USER]
    assert read_block(openly, "context") == [{"context": TEXT}]
    assert read_block(openly, "sample")[0]["answer"] == "Dana"
    assert "option" not in openly[1].content
    assert [row["option"] for row in read_block(choosing, "options")] == [1, 2, 3]


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        *(("1", 0.0), ("3) It is clear", 1.0), ("Option 3", 1.0), ("  (2)\nbecause", 0.5)),
        *(("", None), ("4", None), ("33", None), ("1 or 2", None), ("I choose 2", None)),
    ],
)
def test_choice_is_one_number(reply: str, score: float | None) -> None:
    assert Judge(right=(reply, "3")).scores(GRAMMAR) == ([0.0, 0.0] if score is None else [score, 1.0])
