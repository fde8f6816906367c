"""RECALL and NOTE, the two actions of ExpNote: find the lessons for a question, and note what a case teaches.

The steps by section of the paper:

    section 3.1, equation 3   `FindLessons`: RECALL, beside what retrieval finds by what lessons say
    appendix B                `by_key`: a language model gets the lessons whose key has its words in the question, and
                              chooses among them. The embedded model gets the one from which its answer follows
    section 3.1, equation 1   `Case`: a question, the answer of a model and the right one, which is all the feedback
    section 3.1, equation 2   `NoteByModel`, `NoteByRule`: NOTE one lesson of a case, or none

A language model writes a note in the actions of the paper, a line each, and RECALL is done for it:

    THINK: the brother of a mother is an uncle
    NOTE[mother, brother]: If B is the mother of A and C is the brother of B, then C is an uncle of A.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice

from assistant.errors import StreamCut
from assistant.gate.marks import Mark
from assistant.kinds import LESSON, Lesson
from assistant.language.languages import Languages
from assistant.limits import UNLIMITED
from assistant.models.embedded.lessons import LessonBook, Noted, is_same
from assistant.ports import Allowance, ChatModel, Memory
from assistant.prompt.prompt import PromptBuilder
from assistant.reply.filter import ReplyFilter, visible
from assistant.reports.listing import EntryFilter
from assistant.sentences import Sentence
from assistant.text.cleaning import for_prompt
from assistant.text.words import as_words
from assistant.types import Candidate, Draft, Entry, Question, Scope

MOST_ACTIONS, MOST_RECALLED = 4, 3
"""`n` and `k` of appendix B."""
LONGEST_KEY, LONGEST_RULE = 80, 300
"""Characters."""
_LONGEST_REPLY, _LONGEST_TEXT = 4_000, 2_000
_ACTION = re.compile(r"^[^\w\n]{0,6}(THINK|NOTE)\b[^\w\n\[]{0,6}(?:\[([^\]\n]*)\])?[ \t:*]*([^\n]*)$", re.M | re.I)
_FIRST_NOTE = re.compile(r"^[^\w\n]{0,6}NOTE\b", re.M | re.I)
_MOST_SHOWN = 5
BEARS = Mark("bears", Sentence("found.linked_lesson"), _MOST_SHOWN)
"""Mark of a lesson for the question: 1 for the first, less for the others."""
_MOST_KNOWN = 1_000  # lessons that a new one is compared with
_NEWEST, _MOST_OF_A_WORD, _MOST_WORDS = 100, 10, 16
_CONTENT = "content"

SelectLessons = Callable[[str, Sequence[Entry]], Sequence[Entry]]
"""Returns those of some lessons that a question needs, best first."""
IsStopped = Callable[[], bool]
"""Asked now and then while a lesson is written; if it returns True, StreamCut is raised."""


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
        entries = [one.entry for one in found]
        corrections = [one.sequence for one in entries if one.kind.corrects and one.question == question.text]
        corrected = max(corrections, default=0)  # a lesson that led to a wrong answer before that is refuted
        refuted = {one.id for one in entries if one.kind is LESSON and one.hurt > 0 and one.sequence < corrected}
        found = [one for one in found if one.entry.id not in refuted]
        # The nearest of what is asserted is always found, so who has no facts and no lessons pays nothing.
        if not any(entry.kind.asserts for entry in entries):
            return found
        lessons = [one for one in self._lessons(question, scope) if one.hurt == 0 or one.sequence >= corrected]
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


def _folded(languages: Languages, text: str) -> set[str]:
    """Return the words of a text as they are compared; "mother's" has "mother"."""
    return {word.folded for word in languages.words(text.replace("’", "'").replace("'s ", " "))}


@dataclass(frozen=True, slots=True)
class Case:
    """A question, its right answer, and what the model answered before it was told that one."""

    question: str
    answer: str
    answered: str
    told: str = ""  # what the user said of that, where they said something other than the right answer

    @property
    def was_right(self) -> bool:
        """Return True if the model answered as is right."""
        return is_same(self.answer, self.answered)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A lesson that a case teaches, and the one that the case speaks against, which it replaces."""

    lesson: Lesson
    refuted: Entry | None = None

    @classmethod
    def of(cls, case: Case, key: str, rule: str, refuted: Entry | None, in_view: tuple[str, ...] = ()) -> Drawn:
        """Return the lesson of a case; `in_view` are ids of the entries that the model read."""
        wrong = refuted.shown if refuted else ""
        lesson = Lesson(key=key, rule=rule, from_right=case.was_right, wrong_understanding=wrong, in_view=in_view)
        return cls(lesson, refuted)

    def draft(self, model: str, turn: str = "") -> Draft:
        """Return the entry to be stored; `turn` is the id of the turn that the case is of."""
        body, key = self.lesson, LESSON.idempotency_key(turn or self.lesson.key, self.lesson)
        supersedes = self.refuted.id if self.refuted else None
        return Draft(LESSON, body.key, body, key, turn=turn, model=model, supersedes=supersedes)


@dataclass(frozen=True, slots=True)
class NoteByRule:
    """How the embedded model learns. A known lesson gives way only where it hurt more than it helped.

    A right answer teaches it nothing, and a correction says what was meant, which is remembered already.
    """

    book: LessonBook

    def note(self, case: Case, known: Sequence[Entry], _scope: Scope, _is_stopped: IsStopped) -> Drawn | None:
        """Return the lesson that a case teaches; see `NoteByModel.note`."""
        if case.was_right or case.told:
            return None
        found = self.book.explain(case.question, case.answer, as_noted(known))
        if found is None:
            return None
        lesson, place = found
        return Drawn.of(case, lesson.key, lesson.rule, None if place is None else known[place])

    def is_right(self, answer: str, said: str) -> bool:
        """Return True if the model said just the right `answer`."""
        return is_same(answer, said)


@dataclass(frozen=True, slots=True)
class NoteByModel:
    """How a language model learns: by a call of its own, which counts as an answer that the user asked for."""

    model: ChatModel
    prompt_builder: PromptBuilder
    languages: Languages
    allowance: Allowance = UNLIMITED

    def note(self, case: Case, known: Sequence[Entry], scope: Scope, is_stopped: IsStopped) -> Drawn | None:
        """Return the lesson that a case teaches (equation 2); None where it teaches nothing new.

        Args:
            case: from a right or a wrong answer.
            known: the user's lessons, with what was counted for and against each, this case included.
            scope: whose lessons they are.
            is_stopped: ends the call where it returns True.

        Raises ModelError and TooOften.
        """
        self.allowance.turn(scope)
        lessons = by_key(self.languages, case.question, known)[:MOST_RECALLED]
        texts = {"question": case.question, "right answer": case.answer, "answered": case.answered}
        texts |= {"said": case.told} if case.told else {}
        row = {name: for_prompt(text)[:_LONGEST_TEXT] for name, text in texts.items()}
        rows = [{"key": entry.question, "lesson": entry.shown} for entry in lessons]
        messages, reply = self.prompt_builder.call("expnote/note", case=[row], lessons=rows), ""
        with closing(visible(self.model.stream(messages), ReplyFilter(_FIRST_NOTE))) as stream:
            for piece in stream:
                reply += piece
                if is_stopped():
                    raise StreamCut
                if len(reply) > _LONGEST_REPLY:
                    break
        for action in islice(_ACTION.finditer(reply[:_LONGEST_REPLY]), MOST_ACTIONS):
            key, rule = (" ".join(for_prompt(text or "").split()) for text in action.group(2, 3))
            is_lesson = any(map(str.isalnum, key)) and len(key) <= LONGEST_KEY and 0 < len(rule) <= LONGEST_RULE
            is_known = any(entry.shown.casefold() == rule.casefold() for entry in lessons)
            if action[1].lower() == "note" and is_lesson and not is_known:
                refuted = next((entry for entry in lessons if entry.question.casefold() == key.casefold()), None)
                return Drawn.of(case, key, rule, refuted, tuple(entry.id for entry in lessons))
        return None

    def is_right(self, answer: str, said: str) -> bool:
        """Return True if the model, which answers in a sentence, said the right `answer` in it."""
        return bool(as_words(answer.strip(" .!") or answer).search(said.casefold()))


NoteTaker = NoteByRule | NoteByModel
"""How a model learns from cases."""
