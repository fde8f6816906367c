"""What a model says of samples in two steps, with a scripted one: its calls, its choices, and those that are none."""

import threading
from collections.abc import Sequence

import pytest

from assistant.errors import ContentRefused, ModelUnavailable, PromptError, TooOften
from assistant.model_usage import Usage
from assistant.papers.calls import Calls
from assistant.papers.selection.scores import (
    APS,
    OVERALL,
    Allow,
    Dimension,
    Sample,
    Scorer,
    choice,
    prompt_scorers,
    read_dimensions,
)
from assistant.prompt.prompt import PromptBuilder
from assistant.types import Message, Role
from tests.support.memory.loop import PROMPTS
from tests.support.memory.teaching import rows
from tests.support.servers.scripted import ScriptedModel

GOOD, POOR = "Who found the ring?", "ring the found?"
TEXT = "Dana found the ring."
ABOUT = [Sample(question, TEXT, "Dana") for question in (GOOD, POOR)]
GRAMMAR, CLEAR = (
    Dimension(name=name, asked=f"Is it {name}?", options=(f"not {name}", f"somewhat {name}", f"very {name}"))
    for name in ("right", "clear")
)


class Judge:
    """Chooses so: by dimension and sample."""

    def __init__(self, **choices: tuple[str, str]) -> None:
        self.choices = choices
        self.model = ScriptedModel(reply=self.reply, usage=Usage(10, 1, told=True))
        self.together = threading.Barrier(1)

    def reply(self, messages: Sequence[Message]) -> str:
        self.together.wait(5)
        first = messages[:2]
        asked = str(rows(first, "asked")[0]["asked"]).removeprefix("Is it ").rstrip("?")
        place = (GOOD, POOR).index(str(rows(first, "sample")[0]["sample"]))
        if len(messages) == 2:
            return f"I think of {place}."
        assert messages[2] == Message(Role.ASSISTANT, f"I think of {place}.")
        return self.choices[asked][place]

    def scores(self, *dimensions: Dimension) -> Sequence[float]:
        return self.scorer(dimensions)(ABOUT)

    def scorer(self, dimensions: Sequence[Dimension], allow: Allow = lambda _: None) -> Scorer:
        calls, prompt_builder = Calls(self.model, lambda _: None), PromptBuilder(PROMPTS, b"secret", "connected")
        return prompt_scorers(dimensions, prompt_builder, calls, allow)[APS]


def test_judge_thinks_openly_then_chooses() -> None:
    judge = Judge(right=("3", "1"), clear=("2", "2"))
    judge.together = threading.Barrier(4)  # calls run side by side: each waits for three others
    assert judge.scores(GRAMMAR, CLEAR) == [0.75, 0.25]
    openly, choosing = (sorted(judge.model.asked, key=len)[place] for place in (0, -1))
    assert [message.role for message in openly] == [Role.SYSTEM, Role.USER]
    assert rows(openly, "context") == [{"context": TEXT}]
    assert rows(openly, "sample")[0]["answer"] == "Dana"
    assert "option" not in openly[1].content
    assert [row["option"] for row in rows(choosing, "options")] == [1, 2, 3]


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        *(("1", 0.0), ("3) It is clear", 1.0), ("Option 3", 1.0), ("  (2)\nbecause", 0.5)),
        *(("", None), ("4", None), ("33", None), ("1 or 2", None), ("I choose 2", None)),
    ],
)
def test_choice_is_one_number(reply: str, score: float | None) -> None:
    assert choice(reply) == score


def test_dimension_needs_a_choice_for_each_sample() -> None:
    assert Judge(right=("3", "1"), clear=("perhaps", "3")).scores(GRAMMAR, CLEAR) == [1.0, 0.0]
    assert Judge(right=("3", ""), clear=("perhaps", "3")).scores(GRAMMAR, CLEAR) == [0.0, 0.0]


def test_refused_reply_is_no_choice() -> None:
    judge = Judge(right=("3", "1"), clear=("2", "1"))
    judge.model.enqueue(ContentRefused())
    assert judge.scores(GRAMMAR, CLEAR) in ([1.0, 0.0], [0.5, 0.0])
    judge.model.enqueue(ModelUnavailable())
    with pytest.raises(ModelUnavailable):
        judge.scores(GRAMMAR, CLEAR)
    assert judge.model.running == 0


def test_scorer_needs_the_allowance_for_all() -> None:
    judge, left = Judge(right=("3", "1"), clear=("2", "2")), [3]

    def allow(questions: int) -> None:
        if questions > left[0]:
            raise TooOften(3)
        left[0] -= questions

    scores = judge.scorer([GRAMMAR, CLEAR], allow)
    with pytest.raises(TooOften):
        scores(ABOUT)
    assert (judge.model.asked, left) == ([], [3])
    left[0] = 5
    assert scores(ABOUT) == [0.75, 0.25]
    assert left == [1]


@pytest.mark.parametrize("name", ["questions", "answers"])
def test_dimensions_of_the_paper(name: str) -> None:
    dimensions = read_dimensions(PROMPTS / "selection" / f"{name}.jsonl")
    told = ["grammar", "offence", "clarity", "relevance", "importance", "specificity", "answerability", OVERALL]
    assert [each.name for each in dimensions] == told
    with pytest.raises(PromptError):
        read_dimensions(PROMPTS / "selection" / "none.jsonl")
