"""Lessons of the embedded model: each gives the answer to one question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from assistant.language.asked_word import marked_words
from assistant.language.languages import Languages
from assistant.models.embedded.phrases import say, voice
from assistant.models.embedded.tasks import SubjectFinder

_LONGEST_QUESTION = 12  # words; longer ones are about several things
_LONGEST_VALUE = 80  # characters
_TELLS_LITTLE = frozenset({"light", "request", "link"})  # kinds of words


class Noted(NamedTuple):
    """A lesson: a rule with its question as the key."""

    key: str
    rule: str


@dataclass(frozen=True, slots=True)
class LessonBook:
    """Finder and writer of lessons. Thread-safe."""

    languages: Languages

    def solve(self, question: str, lessons: Sequence[Noted]) -> tuple[str, int] | None:
        """Return the answer of the first lesson for this question, and its index; or None."""
        asked, *keys = (
            [word.folded for word in self.languages.words(text) if word.kind not in _TELLS_LITTLE]
            for text in (question, *(lesson.key for lesson in lessons))
        )
        for at, lesson in enumerate(lessons):
            told = marked_words(lesson.rule)
            if asked and len(told) == 2 and keys[at] == asked:
                return told[1], at
        return None

    def explain(self, question: str, answer: str, lessons: Sequence[Noted]) -> tuple[Noted, int | None] | None:
        """Return the lesson of a case, and the index of the lesson that it refutes; None without a new lesson."""
        solved, value = self.solve(question, lessons), answer.strip()
        if solved and is_same(solved[0], value):
            return None
        key = next(iter(marked_words(question) or SubjectFinder(self.languages).likely(question)), "")
        is_value = 0 < len(value) <= _LONGEST_VALUE and '"' not in key + value
        if not key or not is_value or len(question.split()) > _LONGEST_QUESTION:
            return None
        at = voice(self.languages.language, question)
        return Noted(question, say("entry", at, key=key, value=value)), solved[1] if solved else None


def is_same(answer: str, other: str) -> bool:
    """Return True if two answers are equal up to case and final punctuation."""
    return answer.strip(" .!").casefold() == other.strip(" .!").casefold()
