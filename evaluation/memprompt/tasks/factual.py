"""Factual questions with the right answer as feedback (MemPrompt, section 4.2).

    x   what language do they speak in quebec ?
    y   English
    fb  French

Nobody says what a question means here: a teacher who knows the answer gives it where the assistant was wrong. Question
and answer are kept as a confirmed example, and stand among the few-shot examples when a similar question is asked.
The data is not part of this repository; WebQuestions is read as it is published (`utterance`, `targetValue`) or as
lines with `question` and `answers`.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from random import Random

from assistant.conversation import Assistant
from assistant.types import Draft, Kind, Reply, Scope, Turn
from evaluation.memprompt.tasks.data_task import DataTask, Record
from evaluation.memprompt.tasks.task import Item, Taught, Verdict, has_answer

_DESCRIPTION = re.compile(r'\(description "?(.*?)"?\)(?=[\s)])')


@dataclass(frozen=True)
class Factual(DataTask):
    """Questions that have one answer."""

    what = "questions with their answers, such as WebQuestions"
    name: str = "factual"

    def item(self, record: Record, lang: str) -> Item:
        question = self.field(record, "question", "utterance", "qText")
        return Item(question, self.name, lang, question, answers=self._answers(record))

    def verdict(self, item: Item, reply: Reply) -> Verdict:
        """Only the answer is judged, for both."""
        right = has_answer(item, reply.answer)
        return Verdict(right, right)

    def said(self, item: Item, random: Random, *, wrongly: bool = False) -> str:
        """The answer, or that of another question."""
        return self._answers(random.choice(self.records))[0] if wrongly else item.answers[0]

    def teach(self, item: Item, turn: Turn, said: str, assistant: Assistant, scope: Scope) -> Taught:
        """Question and answer become an example. Nothing is answered again."""
        understanding = turn.reply.understanding or item.question
        key = hashlib.sha256(f"label {turn.id}".encode()).hexdigest()
        draft = Draft(Kind.EXAMPLE, item.question, "", key, understanding=understanding, answer=said, turn=turn.id)
        return Taught(turn, assistant.memory.remember(draft, scope).id)

    def _answers(self, record: Record) -> tuple[str, ...]:
        found = self.field(record, "answers", "answer", "targetValue")
        if isinstance(found, str) and found.startswith("(list"):
            found = _DESCRIPTION.findall(f"{found} ")
        return tuple(map(str, found)) if isinstance(found, list) else (str(found),)
