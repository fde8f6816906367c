"""Lessons for a question: beside those that are found by what they say, those that bear on it.

ExpNote finds a lesson by the words of its key (appendix B). So does this for a model that chooses among notes; for the
embedded model those bear on a question from which its answer follows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from assistant.gate.marks import Mark
from assistant.kinds import LESSON
from assistant.language.languages import Languages
from assistant.models.embedded.lessons import LessonBook
from assistant.papers.expnote.learning import noted
from assistant.ports import OwnEntries
from assistant.reports.listing import EntryFilter
from assistant.sentences import Sentence
from assistant.types import Candidate, Entry, Question, Scope

_MOST_SHOWN = 5
BEARS = Mark("bears", Sentence("found.linked_lesson"), _MOST_SHOWN)
"""A lesson that bears on a question: 1 for the first of them, less for the others."""
_NEWEST, _MOST_OF_A_WORD, _MOST_WORDS = 100, 10, 16
_CONTENT = "content"

Bearing = Callable[[str, Sequence[Entry]], Sequence[int]]
"""Which of some lessons bear on a question: their places, those first that do most."""


def by_key(languages: Languages) -> Bearing:
    """Those of a key of which all words stand in the question.

    First go those that were not declined more often than used, of these the longest keys, then the newest.
    """

    def bearing(question: str, lessons: Sequence[Entry]) -> Sequence[int]:
        asked = _folded(languages, question)
        found = {
            at: max(map(len, keys))
            for at, lesson in enumerate(lessons)
            if (keys := [key for text in _keys(lesson) if (key := _folded(languages, text)) and key <= asked])
        }

        def order(at: int) -> tuple[bool, int, int]:
            return lessons[at].declined > lessons[at].used, -found[at], -lessons[at].sequence

        return sorted(found, key=order)

    return bearing


def by_solving(book: LessonBook) -> Bearing:
    """Return the lesson from which the embedded model's answer follows."""

    def bearing(question: str, lessons: Sequence[Entry]) -> Sequence[int]:
        solved = book.solve(question, noted(lessons))
        return (solved.rests_on,) if solved else ()

    return bearing


@dataclass(frozen=True, slots=True)
class FindLessons:
    """Implements `Retriever`: add the user's lessons that bear on the question, without those that were refuted."""

    memory: OwnEntries
    bearing: Bearing
    languages: Languages
    most: int = _MOST_SHOWN

    def __call__(self, question: Question, scope: Scope, found: Sequence[Candidate]) -> Sequence[Candidate]:
        # The nearest of what is asserted is always found, so who has no facts and no lessons pays nothing.
        asserts = any(candidate.entry.kind.asserts for candidate in found)
        said = _said(question, found)
        found = [one for one in found if not _is_refuted(one.entry, said)]
        lessons = self._lessons(question, scope) if asserts else []
        lessons = [lesson for lesson in lessons if not _is_refuted(lesson, said)]
        places = self.bearing(question.text, lessons)[: self.most] if lessons else ()
        known = {candidate.entry.id: candidate for candidate in found}
        bearing: Mapping[str, Candidate] = {
            (entry := lessons[at]).id: _marked(known.get(entry.id, Candidate(entry, entry.keys[0])), 1 / (rank + 1))
            for rank, at in enumerate(places)
        }
        return [*bearing.values(), *(candidate for candidate in found if candidate.entry.id not in bearing)]

    def _lessons(self, question: Question, scope: Scope) -> list[Entry]:
        """The newest, and of more than these those that hold a word of the question."""
        page = self.memory.find(scope, EntryFilter(kind=LESSON.name), _NEWEST)
        found = {entry.id: entry for entry in page.entries}
        words = [word.written for word in self.languages.words(question.text) if str(word.kind) == _CONTENT]
        for word in [*dict.fromkeys(words)][:_MOST_WORDS] if page.total > len(found) else ():
            of_word = self.memory.find(scope, EntryFilter(word, LESSON.name), _MOST_OF_A_WORD)
            found |= {entry.id: entry for entry in of_word.entries}
        return [each for each in found.values() if not each.resting and each.counts_in(question.conversation)]


def _said(question: Question, found: Sequence[Candidate]) -> int:
    """When the person last put an answer to just this question right; 0 where they never did."""
    said = (one.entry for one in found if one.entry.kind.corrects and one.entry.question == question.text)
    return max((entry.sequence for entry in said), default=0)


def _is_refuted(entry: Entry, said: int) -> bool:
    """Whether it is a lesson that led to a wrong answer, and is older than what the person then said."""
    return entry.kind is LESSON and entry.hurt > 0 and entry.sequence < said


def _keys(lesson: Entry) -> set[str]:
    """Its key, and those of others that it became one with; not what it says, under which it is found as well."""
    return {lesson.question, *(key.text for key in lesson.keys)} - {lesson.shown}


def _marked(candidate: Candidate, how_much: float) -> Candidate:
    return replace(candidate, scores={**candidate.scores, BEARS.feature: how_much})


def _folded(languages: Languages, text: str) -> set[str]:
    """The words of a text as they are compared, also those of "mother's"."""
    return {word.folded for word in languages.words(text.replace("’", "'").replace("'s ", " "))}
