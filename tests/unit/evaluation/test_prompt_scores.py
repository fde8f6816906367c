"""Prompt scores: the model judges in words, then chooses one option."""

import threading
from collections.abc import Sequence

import pytest

from assistant.model_usage import Usage
from assistant.papers.calls import Calls
from assistant.papers.selection.scoring import Sample
from assistant.prompt.prompt import PromptBuilder
from assistant.types import Message, MessageRole
from evaluation.selection.prompt_scores import APS, Dimension, prompt_scores
from tests.support.memory.loop import PROMPTS
from tests.support.memory.teaching import read_block
from tests.support.servers.scripted import ScriptedModel

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
        return prompt_scores(ABOUT, dimensions, prompt_builder, calls)[APS]


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
