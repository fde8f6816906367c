"""The drafts of an answer, as programs and scripts get them, and scores in words."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from assistant.selection.drafts import kept_drafts
from assistant.types import Turn
from ui.words.texts import ENGLISH


class Draft(TypedDict):
    """One way to answer a question."""

    number: Annotated[int, Field(description="By which it is taken.")]
    understanding: str
    answer: str
    scores: Annotated[dict[str, float], Field(description="What each scorer says of it, from 0 to 1.")]
    shown: Annotated[bool, Field(description="Whether it is the answer.")]


def said_scores(scores: Mapping[str, float], of: str, words: Mapping[str, str] = ENGLISH) -> str:
    """Scores in words; `of`: with which the names of the texts begin."""
    return ", ".join(f"{words[f'{of}_by_{name}'].lower()}: {score:.0%}" for name, score in scores.items())


def drafts_of(turn: Turn) -> list[Draft]:
    """The drafts of a turn, in the order in which they were drawn; none where it was answered in one way alone."""
    if (drafts := kept_drafts(turn)) is None:
        return []
    return [
        {
            "number": number,
            "understanding": draft.reply.understanding,
            "answer": draft.reply.answer,
            "scores": {name: round(score, 4) for name, score in draft.scores.items()},
            "shown": number == drafts.shown + 1,
        }
        for number, draft in enumerate(drafts.all, 1)
    ]
