"""Values by key: what a question asks of a word, a sign or a short name, as an answer told it once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.language.asked_word import LONGEST_SLOT, marked_words, words_in
from assistant.language.lexicon import lexicon
from assistant.models.embedded.demonstrations import masked
from assistant.models.embedded.lessons.family import Noted, Solved
from assistant.models.embedded.likeness.similarity import Likeness
from assistant.models.embedded.likeness.wording import Known
from assistant.models.embedded.phrases import say, voice
from assistant.models.embedded.prompt_reader import PromptQuestion
from assistant.models.embedded.subjects import SubjectFinder

_CONTENT = "content"
_FEWEST_SHARED = 2  # words
_OF_SHORT_FORMS = ("what does it stand for", "what is it short for", "what is the full form of it", "it full form")
_LONGEST_QUESTION = 12  # words; a longer one asks of more than one thing
_LONGEST_VALUE = 80  # characters; what is longer is no value
_ALIKE = 0.7  # so near two ways of asking are the same, by wording and meaning
_ALIKE_OF_WORD = 0.9  # and so near about a word, of which much else can be asked
_ALIKE_BY_WORDING = 0.6


@dataclass(frozen=True, slots=True)
class _Entry:
    asked: str  # a question that had this value as its answer
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Table:
    """A `Family`."""

    subjects: SubjectFinder
    likeness: Likeness

    def is_about(self, question: str) -> bool:
        return len(words_in(question)) <= _LONGEST_QUESTION and len(marked_words(question)) <= 1

    def solve(self, question: str, lessons: Sequence[Noted]) -> Solved | None:
        entries = {at: entry for at, lesson in enumerate(lessons) if (entry := _entry(lesson))}
        asked = self._words(question)
        for at, entry in entries.items():
            if self._words(entry.asked) == asked:
                return Solved(entry.value, (at,))
        named = {at: entry for at, entry in entries.items() if self._words(entry.key) and self._names(asked, entry)}
        for at, entry in named.items():
            if not self._names_another(question, entry) and self._is_asked_alike(
                masked(question, self._written(question, entry.key)), entry
            ):
                return Solved(entry.value, (at,))
        others = {at: _other(asked, self._words(entry.asked)) for at, entry in entries.items() if at not in named}
        new = next(filter(None, others.values()), "")
        places = tuple(at for at, other in others.items() if other)
        return Solved("", places, self._written(question, new)) if new else None

    def explain(self, question: str, answer: str, lessons: Sequence[Noted]) -> Noted | None:
        solved = self.solve(question, lessons)
        is_new = self.is_about(question) and not (solved and solved.answer)
        key = self._key(question, lessons) if is_new else ""
        value = answer.strip()
        if not key or not value or len(value) > _LONGEST_VALUE or '"' in key + value:
            return None
        at = voice(self.subjects.languages.language(question), question)
        return Noted(question, say("entry", at, key=key, value=value))

    def _key(self, question: str, lessons: Sequence[Noted]) -> str:
        """What is asked about: what is marked, or differs where others ask in the same words; else what may be."""
        if marked := marked_words(question):
            return marked[0]
        entries = filter(None, map(_entry, lessons))
        asked = self._words(question)
        if other := next(filter(None, (_other(asked, self._words(entry.asked)) for entry in entries)), ""):
            return self._written(question, other)
        return next(iter(self.subjects.find(PromptQuestion(question), (), _OF_SHORT_FORMS)), "")

    def _names(self, asked: Sequence[str], entry: _Entry) -> bool:
        key = self._words(entry.key)
        return any(tuple(asked[at : at + len(key)]) == tuple(key) for at in range(len(asked)))

    def _names_another(self, question: str, entry: _Entry) -> bool:
        """Whether a question speaks of something beside the key, of which the entry says nothing: a name, say."""
        known = {word.folded for word in self.subjects.languages.words(f"{entry.asked} {entry.key}")}
        words = [word for word in self.subjects.languages.words(question) if str(word.kind) == _CONTENT]
        new = [word.written for word in words if word.folded not in known]
        return any(lexicon().find(word) is None or word[:1].isupper() for word in new)

    def _is_asked_alike(self, frame: str, entry: _Entry) -> bool:
        known = (Known("", masked(entry.asked, entry.key)),)
        least = _ALIKE_OF_WORD if lexicon().find(entry.key) else _ALIKE
        least = least if self.likeness.has_meaning else _ALIKE_BY_WORDING
        return self.likeness.scores(frame, known)[""] >= least

    @staticmethod
    def _written(question: str, key: str) -> str:
        """A key as a question has it."""
        at = question.casefold().find(key.casefold())
        return question[at : at + len(key)] if at >= 0 else key

    def _words(self, text: str) -> tuple[str, ...]:
        return tuple(word.casefold() for word in words_in(text))


def _other(asked: Sequence[str], before: Sequence[str]) -> str:
    """What one question has in the place of what another asks about, where all around it is the same; else empty."""
    shorter = min(len(asked), len(before))
    start = next((at for at in range(shorter) if asked[at] != before[at]), shorter)
    end = next((at for at in range(shorter - start) if asked[-1 - at] != before[-1 - at]), shorter - start)
    middle, theirs = asked[start : len(asked) - end], before[start : len(before) - end]
    is_one = 0 < len(middle) <= LONGEST_SLOT and 0 < len(theirs) <= LONGEST_SLOT
    is_same = start + end >= max(_FEWEST_SHARED, len(before) / 2)
    return " ".join(middle) if is_one and is_same else ""


def _entry(lesson: Noted) -> _Entry | None:
    told = marked_words(lesson.rule)
    return _Entry(lesson.key, told[0], told[1]) if len(told) == 2 and told[0] in lesson.key else None
