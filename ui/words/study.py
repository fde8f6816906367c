"""Study questions as plain data."""

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from assistant.papers.selection.study import StudyQuestion


class WrittenQuestion(TypedDict):
    """A study question."""

    question: str
    answer: str
    scores: Annotated[dict[str, float], Field(description="What each scorer says of it, from 0 to 1.")]


class MadeQuestion(TypedDict):
    """The best study question for a passage, and the others."""

    sentence: Annotated[str, Field(description="The sentence of the text that it is about.")]
    question: Annotated[str, Field(description="The best; empty where nothing could be asked.")]
    answer: str
    scores: Annotated[dict[str, float], Field(description="What each scorer says of it, from 0 to 1.")]
    others: list[WrittenQuestion]


class MadeQuestions(TypedDict):
    """Study questions of a text so far."""

    questions: list[MadeQuestion]
    places: Annotated[int, Field(description="In the text, that are asked about.")]
    error: Annotated[str, Field(description="Why no more came; mostly empty.")]


def made_question(made: StudyQuestion) -> MadeQuestion:
    """Return a study question as plain data."""
    written: list[WrittenQuestion] = [
        {
            "question": one.question,
            "answer": one.answer,
            "scores": {name: round(score, 4) for name, score in one.scores.items()},
        }
        for one in made.all
    ]
    best: WrittenQuestion = written[made.best] if written else {"question": "", "answer": "", "scores": {}}
    others = [one for place, one in enumerate(written) if place != made.best]
    return {"sentence": made.passage.sentence, **best, "others": others}
