"""Study questions as programs, scripts and files get them."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from assistant.papers.selection.study import StudyQuestion
from ui.words.answers import said_scores


class WrittenQuestion(TypedDict):
    """A question that was written about a place in a text."""

    question: str
    answer: str
    scores: Annotated[dict[str, float], Field(description="What each scorer says of it, from 0 to 1.")]


class MadeQuestion(TypedDict):
    """The best of those that were written about a place in a text, and the others."""

    sentence: Annotated[str, Field(description="The sentence of the text that it is about.")]
    question: Annotated[str, Field(description="The best; empty where nothing could be asked.")]
    answer: str
    scores: Annotated[dict[str, float], Field(description="What each scorer says of it, from 0 to 1.")]
    others: list[WrittenQuestion]


class MadeQuestions(TypedDict):
    """Study questions of a text, as far as they have come."""

    questions: list[MadeQuestion]
    places: Annotated[int, Field(description="In the text, that are asked about.")]
    error: Annotated[str, Field(description="Why no more came; mostly empty.")]


def made_question(made: StudyQuestion) -> MadeQuestion:
    """One as plain data."""
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


def _as_text(made: Sequence[StudyQuestion]) -> str:
    return "".join(f"{kept.question}\n  {kept.answer}\n" for one in made if (kept := one.kept))


def _as_csv(made: Sequence[StudyQuestion]) -> str:
    """Lines that can be practised."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(["question", "answer"])
    writer.writerows((kept.question, kept.answer) for one in made if (kept := one.kept))
    return lines.getvalue()


def _as_json(made: Sequence[StudyQuestion]) -> str:
    return json.dumps([made_question(one) for one in made], ensure_ascii=False, indent=1) + "\n"


FORMATS: Mapping[str, Callable[[Sequence[StudyQuestion]], str]] = {".csv": _as_csv, ".json": _as_json, ".txt": _as_text}
"""How they are written into a file, by how its name ends."""


def lines_of(made: StudyQuestion, *, with_others: bool) -> list[str]:
    """One as it is read: the question, its answer, and what else was written."""
    if (kept := made.kept) is None:
        return []
    lines = [kept.question, f"  {kept.answer}"]
    for place, one in enumerate(made.all) if with_others else ():
        scores = said_scores(one.scores, "study")
        lines.append(f"  {'*' if place == made.best else '-'} {one.question}" + (f"  ({scores})" if scores else ""))
    return lines
