"""What the embedded model says by lessons that it drew from cases: the answer, or that they do not tell it."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.language.languages import Languages
from assistant.models.embedded.from_facts import tagged
from assistant.models.embedded.lessons.book import LessonBook
from assistant.models.embedded.lessons.family import Noted
from assistant.models.embedded.phrases import say, voice
from assistant.models.embedded.prompt_reader import PromptQuestion


@dataclass(frozen=True, slots=True)
class FromLessons:
    """See the module."""

    book: LessonBook
    languages: Languages

    def __call__(self, asked: PromptQuestion) -> str:
        """The reply that goes by the lessons of a prompt; empty where none is about such a question."""
        solved = self.book.solve(asked.question, [Noted(one.key, one.rule) for one in asked.lessons])
        if solved is None:
            return ""
        at = voice(self.languages.language(asked.question), asked.question)
        named = ", ".join(str(asked.lessons[place].note) for place in solved.rests_on) if solved.answer else ""
        answer = solved.answer or say("unlearnt", at, thing=solved.missing)
        return tagged(
            notes=named or "none", understanding=say("asked_learnt", at, question=asked.question), answer=answer
        )
