"""Factual questions with the right answer as feedback (MemPrompt, section 4.2).

    x   what language do they speak in quebec ?
    y   English
    fb  French

Nobody says what a question means here: a teacher who knows the answer gives it where the assistant was wrong. Question
and answer are kept as a confirmed example, and stand among the few-shot examples when a similar question is asked.
The data is not part of this repository; WebQuestions is read as it is published (`utterance`, `targetValue`) or as
lines with `question` and `answers`.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from assistant.types import Turn
from evaluation.memprompt.tasks.word_tasks import ENGLISH
from evaluation.reading import BadInput, read_text
from evaluation.streams.experiment import Item, Verdict, has_answer

_DESCRIPTION = re.compile(r'\(description "?(.*?)"?\)(?=[\s)])')


@dataclass(frozen=True)
class Factual:
    """Questions that have one answer."""

    path: Path
    name: str = "factual"
    langs: Sequence[str] = (ENGLISH,)

    def items(self, lang: str, seed: int) -> Iterator[Item]:
        order = Random(seed).sample(self._asked, len(self._asked))  # noqa: S311  a repeatable choice is wanted
        return (Item(question, self.name, lang, question, answers) for question, answers in order)

    def verdict(self, item: Item, turn: Turn) -> Verdict:
        """Only the answer is judged, for both."""
        right = has_answer(item, turn.reply.answer)
        return Verdict(right, right)

    def said(self, item: Item, random: Random, *, wrongly: bool = False) -> str:
        """The answer, or that of another question."""
        return random.choice(self._asked)[1][0] if wrongly else item.answers[0]

    @cached_property
    def _asked(self) -> list[tuple[str, tuple[str, ...]]]:
        """The questions of the file with their answers."""
        try:
            records = [json.loads(line) for line in read_text(self.path).splitlines() if line]
            return [(_field(one, "question", "utterance", "qText"), _answers(one)) for one in records]
        except (BadInput, ValueError, TypeError, KeyError) as error:
            expected = "questions with their answers, such as WebQuestions, one JSON object per line"
            raise BadInput(f"{self.path} should be {expected}: {error}") from None


def _answers(record: Mapping[str, Any]) -> tuple[str, ...]:
    found = _field(record, "answers", "answer", "targetValue")
    if isinstance(found, str) and found.startswith("(list"):
        found = _DESCRIPTION.findall(f"{found} ")
    return tuple(map(str, found)) if isinstance(found, list) else (str(found),)


def _field(record: Mapping[str, Any], *names: str) -> Any:
    """The first of these fields that is there."""
    return record[next((name for name in names if name in record), names[0])]
