"""RECALL and NOTE, the two actions of ExpNote: find lessons for a question, and note a lesson from a case.

The steps by section of the paper:

    section 3.1, equation 3   `FindLessons`: RECALL, in addition to retrieval by similarity
    appendix B                `select_by_key`: language models get the lessons whose key words all occur in the question
                              `select_by_solving`: the embedded model gets the lesson that its answer follows from
    section 3.1, equation 1   `LessonCase`: a question, the answer of a model, and the right answer
    section 3.1, equation 2   `NoteByModel`, `NoteByRule`: NOTE at most one lesson of a case

A language model writes the actions of the paper, one per line; RECALL is done for it:

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
from assistant.gate.gate import OfferRule
from assistant.kinds import LESSON, Lesson
from assistant.language.languages import Languages
from assistant.limits import UNLIMITED
from assistant.models.embedded.lessons import LessonBook, Noted, is_same
from assistant.ports import Allowance, ChatModel, Memory
from assistant.prompt.prompt import PromptBuilder
from assistant.reply.filter import ReplyFilter, visible
from assistant.reports.listing import EntryFilter
from assistant.sentences import Sentence
from assistant.text.cleaning import clean_for_prompt
from assistant.text.words import as_words
from assistant.types import Candidate, Entry, NewEntry, Question, Scope

MOST_ACTIONS, MOST_RECALLED = 4, 3
"""`n` and `k` of appendix B."""
LONGEST_KEY, LONGEST_RULE = 80, 300
"""Characters."""
_LONGEST_REPLY, _LONGEST_TEXT = 4_000, 2_000
_ACTION = re.compile(r"^[^\w\n]{0,6}(THINK|NOTE)\b[^\w\n\[]{0,6}(?:\[([^\]\n]*)\])?[ \t:*]*([^\n]*)$", re.M | re.I)
_FIRST_NOTE = re.compile(r"^[^\w\n]{0,6}NOTE\b", re.M | re.I)
_MOST_SHOWN = 5
BEARS = OfferRule("bears", Sentence("found.linked_lesson"), _MOST_SHOWN)
"""Mark of a lesson for the question: 1 for the first, less for the others."""
_MOST_KNOWN = 1_000  # lessons to compare a new one with
_NEWEST, _MOST_OF_A_WORD, _MOST_WORDS = 100, 10, 16
_CONTENT = "content"

SelectLessons = Callable[[str, Sequence[Entry]], Sequence[Entry]]
"""Selects the lessons for a question, best first."""
IsStopped = Callable[[], bool]
"""Checked while a lesson is written; True raises StreamCut."""


def select_by_key(languages: Languages, question: str, lessons: Sequence[Entry]) -> Sequence[Entry]:
    """Return the lessons with a key whose words all occur in the question (appendix B).

    Longer keys come first, then newer lessons. Lessons declined more often than used come last.
    """
    asked, longest = _folded(languages, question), dict[str, int]()
    for lesson in lessons:
        # The rule is stored as a further key, for similarity search only.
        keys = {lesson.question, *(key.text for key in lesson.keys)} - {lesson.shown}
        folded = [_folded(languages, key) for key in keys]
        longest[lesson.id] = max((len(words) for words in folded if words <= asked), default=0)
    found = [lesson for lesson in lessons if longest[lesson.id]]
    return sorted(found, key=lambda one: (one.declined > one.used, -longest[one.id], -one.sequence))


def select_by_solving(book: LessonBook, question: str, lessons: Sequence[Entry]) -> Sequence[Entry]:
    """Return the lesson that the answer of the embedded model follows from, if any."""
    solved = book.solve(question, parse_lessons(lessons))
    return [lessons[solved.rests_on]] if solved else []


def parse_lessons(lessons: Sequence[Entry]) -> list[Noted]:
    """Convert lessons to the form that the embedded model reads, in order."""
    return [Noted(entry.question, entry.shown, entry.helped - entry.hurt) for entry in lessons]


def known_lessons(memory: Memory, scope: Scope, conversation: str = "", denied: Collection[str] = ()) -> list[Entry]:
    """Return the user's active lessons in a conversation (without one: in every conversation), newest first.

    `denied` are ids of lessons that just led to a wrong answer. They are always included, with their `helped` count set
    to 0, so that a better lesson replaces them.
    """
    page = memory.find(scope, EntryFilter(kind=LESSON.name), _MOST_KNOWN)
    return [
        replace(entry, helped=0, hurt=max(1, entry.hurt)) if entry.id in denied else entry
        for entry in page.entries
        if entry.id in denied or (not entry.resting and entry.counts_in(conversation))
    ]


@dataclass(frozen=True, slots=True)
class FindLessons:
    """Implements `Retriever`: add the user's lessons for the question, and remove refuted ones."""

    memory: Memory
    select: SelectLessons
    languages: Languages

    def __call__(self, question: Question, scope: Scope, found: Sequence[Candidate]) -> Sequence[Candidate]:
        entries = [one.entry for one in found]
        corrections = [one.sequence for one in entries if one.kind.corrects and one.question == question.text]
        corrected = max(corrections, default=0)  # a lesson that led to a wrong answer before that is refuted
        refuted = {one.id for one in entries if one.kind is LESSON and one.hurt > 0 and one.sequence < corrected}
        found = [one for one in found if one.entry.id not in refuted]
        # Retrieval always finds the nearest fact or lesson; if there is none, the user has none.
        if not any(entry.kind.asserts for entry in entries):
            return found
        lessons = [one for one in self._lessons(question, scope) if one.hurt == 0 or one.sequence >= corrected]
        by_id, marked = {candidate.entry.id: candidate for candidate in found}, list[Candidate]()
        for rank, lesson in enumerate(self.select(question.text, lessons)[:_MOST_SHOWN], start=1):
            candidate = by_id.pop(lesson.id, Candidate(lesson, lesson.keys[0]))
            marked.append(replace(candidate, scores={**candidate.scores, BEARS.feature: 1 / rank}))
        return [*marked, *by_id.values()]

    def _lessons(self, question: Question, scope: Scope) -> list[Entry]:
        """Return the newest lessons, and of older ones those that contain a content word of the question."""
        page = self.memory.find(scope, EntryFilter(kind=LESSON.name), _NEWEST)
        found = {entry.id: entry for entry in page.entries}
        if page.total > len(found):
            words = (word.written for word in self.languages.words(question.text) if str(word.kind) == _CONTENT)
            for word in list(dict.fromkeys(words))[:_MOST_WORDS]:
                of_word = self.memory.find(scope, EntryFilter(word, LESSON.name), _MOST_OF_A_WORD)
                found |= {entry.id: entry for entry in of_word.entries}
        return [each for each in found.values() if not each.resting and each.counts_in(question.conversation)]


def _folded(languages: Languages, text: str) -> set[str]:
    """Return the folded words of a text, without a possessive 's."""
    return {word.folded for word in languages.words(text.replace("’", "'").replace("'s ", " "))}


@dataclass(frozen=True, slots=True)
class LessonCase:
    """A question with its right answer and the answer of the model."""

    question: str
    answer: str
    answered: str
    told: str = ""  # the user's correction, unless it is the right answer itself

    @property
    def was_right(self) -> bool:
        """Return True if the model gave the right answer."""
        return is_same(self.answer, self.answered)


@dataclass(frozen=True, slots=True)
class LessonDraft:
    """A lesson from a case, and the refuted lesson that it replaces."""

    lesson: Lesson
    refuted: Entry | None = None

    @classmethod
    def of(
        cls, case: LessonCase, key: str, rule: str, refuted: Entry | None, in_view: tuple[str, ...] = ()
    ) -> LessonDraft:
        """Build the lesson of a case; `in_view` are ids of the entries that the model read."""
        wrong = refuted.shown if refuted else ""
        lesson = Lesson(key=key, rule=rule, from_right=case.was_right, wrong_understanding=wrong, in_view=in_view)
        return cls(lesson, refuted)

    def draft(self, model: str, turn: str = "") -> NewEntry:
        """Return the entry to store; `turn` is the id of the turn of the case."""
        body, key = self.lesson, LESSON.idempotency_key(turn or self.lesson.key, self.lesson)
        supersedes = self.refuted.id if self.refuted else None
        return NewEntry(LESSON, body.key, body, key, turn=turn, model=model, supersedes=supersedes)


@dataclass(frozen=True, slots=True)
class NoteByRule:
    """Lesson writer of the embedded model. It replaces a known lesson only if that hurt more than it helped."""

    book: LessonBook

    def note(
        self, case: LessonCase, known: Sequence[Entry], _scope: Scope, _is_stopped: IsStopped
    ) -> LessonDraft | None:
        """Return the lesson of a case; see `NoteByModel.note`."""
        if case.was_right or case.told:  # a correction is stored as a clarification already
            return None
        found = self.book.explain(case.question, case.answer, parse_lessons(known))
        if found is None:
            return None
        lesson, place = found
        return LessonDraft.of(case, lesson.key, lesson.rule, None if place is None else known[place])

    def is_right(self, answer: str, said: str) -> bool:
        """Return True if the model said exactly `answer`."""
        return is_same(answer, said)


@dataclass(frozen=True, slots=True)
class NoteByModel:
    """Lesson writer by a language model: one call per lesson, which counts as an answer of the allowance.

    Example:
        case = Case("Who is my mother's brother?", answer="my uncle", answered="my cousin")
        drawn = NoteByModel(model, prompt_builder, languages).note(case, [], scope, lambda: False)
        if drawn:
            memory.remember(drawn.draft(model.name), scope)
    """

    model: ChatModel
    prompt_builder: PromptBuilder
    languages: Languages
    allowance: Allowance = UNLIMITED

    def note(self, case: LessonCase, known: Sequence[Entry], scope: Scope, is_stopped: IsStopped) -> LessonDraft | None:
        """Return the lesson of a case (equation 2); None if there is no new one.

        Args:
            case: of a right or a wrong answer.
            known: the user's lessons, with this case already counted for or against them.
            scope: of the user.
            is_stopped: ends the call when it returns True.


        Raises ModelError and TooOften.
        """
        self.allowance.turn(scope)
        lessons = select_by_key(self.languages, case.question, known)[:MOST_RECALLED]
        texts = {"question": case.question, "right answer": case.answer, "answered": case.answered}
        texts |= {"said": case.told} if case.told else {}
        row = {name: clean_for_prompt(text)[:_LONGEST_TEXT] for name, text in texts.items()}
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
            key, rule = (" ".join(clean_for_prompt(text or "").split()) for text in action.group(2, 3))
            is_lesson = any(map(str.isalnum, key)) and len(key) <= LONGEST_KEY and 0 < len(rule) <= LONGEST_RULE
            is_known = any(entry.shown.casefold() == rule.casefold() for entry in lessons)
            if action[1].lower() == "note" and is_lesson and not is_known:
                refuted = next((entry for entry in lessons if entry.question.casefold() == key.casefold()), None)
                return LessonDraft.of(case, key, rule, refuted, tuple(entry.id for entry in lessons))
        return None

    def is_right(self, answer: str, said: str) -> bool:
        """Return True if the sentence `said` contains `answer`."""
        return bool(as_words(answer.strip(" .!") or answer).search(said.casefold()))


NoteTaker = NoteByRule | NoteByModel
