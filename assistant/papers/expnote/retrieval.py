"""RECALL: find the lessons for a question (ExpNote, section 3.2), beside those that retrieval finds by what they say.

A language model gets those whose key has its words in the question (the retriever of appendix B), and chooses among
them. The embedded model gets the one from which its answer follows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from assistant.gate.marks import Mark
from assistant.kinds import LESSON
from assistant.language.languages import Languages
from assistant.models.embedded.lessons import LessonBook, Noted
from assistant.ports import Memory
from assistant.reports.listing import EntryFilter
from assistant.sentences import Sentence
from assistant.types import Candidate, Entry, Question, Scope

_MOST_SHOWN = 5
BEARS = Mark("bears", Sentence("found.linked_lesson"), _MOST_SHOWN)
"""Mark of a lesson for the question: 1 for the first, less for the others."""
_MOST_KNOWN = 1_000  # lessons that a new one is compared with
_NEWEST, _MOST_OF_A_WORD, _MOST_WORDS = 100, 10, 16
_CONTENT = "content"

SelectLessons = Callable[[str, Sequence[Entry]], Sequence[Entry]]
"""Returns those of some lessons that a question needs, best first."""


def by_key(languages: Languages, question: str, lessons: Sequence[Entry]) -> Sequence[Entry]:
    """Return the lessons that have a key of which all words are in the question (appendix B).

    Those that were declined more often than used come last. Of the others, longer keys come first, then newer lessons.
    """
    asked, longest = _folded(languages, question), dict[str, int]()
    for lesson in lessons:
        # A lesson is stored under its rule as well, by which only likeness finds it.
        keys = {lesson.question, *(key.text for key in lesson.keys)} - {lesson.shown}
        folded = [_folded(languages, key) for key in keys]
        longest[lesson.id] = max((len(words) for words in folded if words <= asked), default=0)
    found = [lesson for lesson in lessons if longest[lesson.id]]
    return sorted(found, key=lambda one: (one.declined > one.used, -longest[one.id], -one.sequence))


def by_solving(book: LessonBook, question: str, lessons: Sequence[Entry]) -> Sequence[Entry]:
    """Return the lesson from which the answer of the embedded model follows, if there is one."""
    solved = book.solve(question, as_noted(lessons))
    return [lessons[solved.rests_on]] if solved else []


def as_noted(lessons: Sequence[Entry]) -> list[Noted]:
    """Return lessons as the embedded model reads them, in their order."""
    return [Noted(entry.question, entry.shown, entry.helped - entry.hurt) for entry in lessons]


def known_lessons(memory: Memory, scope: Scope, conversation: str = "", denied: Collection[str] = ()) -> list[Entry]:
    """Return the user's lessons that are used in a conversation, or, without one, in all; newest first.

    Those `denied`, by id, just led to a wrong answer. They are among them in any case, and whatever they helped with
    before does not count, so that a better lesson takes their place.
    """
    page = memory.find(scope, EntryFilter(kind=LESSON.name), _MOST_KNOWN)
    return [
        replace(entry, helped=0, hurt=max(1, entry.hurt)) if entry.id in denied else entry
        for entry in page.entries
        if entry.id in denied or (not entry.resting and entry.counts_in(conversation))
    ]


@dataclass(frozen=True, slots=True)
class FindLessons:
    """Implements `Retriever`: add the user's lessons for the question, and leave out those that were refuted."""

    memory: Memory
    select: SelectLessons
    languages: Languages

    def __call__(self, question: Question, scope: Scope, found: Sequence[Candidate]) -> Sequence[Candidate]:
        # The nearest of what is asserted is always found, so who has no facts and no lessons pays nothing.
        asserts = any(candidate.entry.kind.asserts for candidate in found)
        corrections = (
            one.entry.sequence for one in found if one.entry.kind.corrects and one.entry.question == question.text
        )
        corrected = max(corrections, default=0)
        found = [one for one in found if not _is_refuted(one.entry, corrected)]
        if not asserts:
            return found
        lessons = [one for one in self._lessons(question, scope) if not _is_refuted(one, corrected)]
        by_id, marked = {candidate.entry.id: candidate for candidate in found}, list[Candidate]()
        for rank, lesson in enumerate(self.select(question.text, lessons)[:_MOST_SHOWN], start=1):
            candidate = by_id.pop(lesson.id, Candidate(lesson, lesson.keys[0]))
            marked.append(replace(candidate, scores={**candidate.scores, BEARS.feature: 1 / rank}))
        return [*marked, *by_id.values()]

    def _lessons(self, question: Question, scope: Scope) -> list[Entry]:
        """Return the newest, and where there are more than these, those that contain a word of the question."""
        page = self.memory.find(scope, EntryFilter(kind=LESSON.name), _NEWEST)
        found = {entry.id: entry for entry in page.entries}
        if page.total > len(found):
            words = (word.written for word in self.languages.words(question.text) if str(word.kind) == _CONTENT)
            for word in list(dict.fromkeys(words))[:_MOST_WORDS]:
                of_word = self.memory.find(scope, EntryFilter(word, LESSON.name), _MOST_OF_A_WORD)
                found |= {entry.id: entry for entry in of_word.entries}
        return [each for each in found.values() if not each.resting and each.counts_in(question.conversation)]


def _is_refuted(entry: Entry, corrected: int) -> bool:
    """Return True for a lesson that led to a wrong answer and is older than the correction of just this question."""
    return entry.kind is LESSON and entry.hurt > 0 and entry.sequence < corrected


def _folded(languages: Languages, text: str) -> set[str]:
    """Return the words of a text as they are compared; "mother's" has "mother"."""
    return {word.folded for word in languages.words(text.replace("’", "'").replace("'s ", " "))}
