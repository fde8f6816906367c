"""RECALL and NOTE, the two actions of ExpNote: find lessons for a question, and note a lesson from a case.

    section 3.1, equation 3   `add_lessons`: RECALL, in addition to retrieval by similarity
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
from dataclasses import dataclass, replace
from itertools import islice

from assistant.gate.gate import OfferRule
from assistant.kinds import LESSON, Lesson
from assistant.language.languages import Languages
from assistant.limits import UNLIMITED
from assistant.models.embedded.lessons import LessonBook, Noted, is_same
from assistant.papers.calls import IsStopped, hear
from assistant.ports import Allowance, ChatModel, Memory
from assistant.prompt.prompt import PromptBuilder
from assistant.reply.filter import ReplyFilter
from assistant.reports.listing import EntryFilter
from assistant.sentences import Sentence
from assistant.text.cleaning import clean_for_prompt
from assistant.text.sentences import as_words
from assistant.types import Candidate, Entry, NewEntry, Question, Scope

MOST_ACTIONS, MOST_RECALLED = 4, 3
"""`n` and `k` of appendix B."""
LONGEST_KEY, LONGEST_RULE = 80, 300
"""Characters."""
_LONGEST_TEXT = 2_000
_ACTION = re.compile(r"^[^\w\n]{0,6}(THINK|NOTE)\b[^\w\n\[]{0,6}(?:\[([^\]\n]*)\])?[ \t:*]*([^\n]*)$", re.M | re.I)
_FIRST_NOTE = re.compile(r"^[^\w\n]{0,6}NOTE\b", re.M | re.I)
_MOST_SHOWN = 5
BEARS = OfferRule("bears", Sentence("found.linked_lesson"), _MOST_SHOWN)
"""Mark of a lesson for the question: 1 for the first, less for the others."""
_NEWEST, _MOST_KNOWN = 300, 1_000  # lessons: to find for a question, to compare a new one with

SelectLessons = Callable[[str, Sequence[Entry]], Sequence[Entry]]
"""Selects the lessons for a question, best first."""


def find_lessons(
    memory: Memory, scope: Scope, conversation: str = "", denied: Collection[str] = (), most: int = _MOST_KNOWN
) -> list[Entry]:
    """Return the user's active lessons in a conversation (without one: in every conversation), newest first.

    `denied` are ids of lessons that just led to a wrong answer. They are always included, with their `helped` count set
    to 0, so that a better lesson replaces them.
    """
    page = memory.find(scope, EntryFilter(kind=LESSON.name), most)
    return [
        replace(entry, helped=0, hurt=max(1, entry.hurt)) if entry.id in denied else entry
        for entry in page.entries
        if entry.id in denied or (not entry.resting and entry.counts_in(conversation))
    ]


def select_by_key(languages: Languages, question: str, lessons: Sequence[Entry]) -> Sequence[Entry]:
    """Return the lessons with a key whose words all occur in the question (appendix B).

    Longer keys come first, then newer lessons. Lessons declined more often than used come last.
    """

    def folded(text: str) -> set[str]:
        return {word.folded for word in languages.words(text.replace("’", "'").replace("'s ", " "))}

    asked, longest = folded(question), dict[str, int]()
    for lesson in lessons:
        # The rule is stored as a further key, for similarity search only.
        keys = {lesson.question, *(key.text for key in lesson.keys)} - {lesson.shown}
        longest[lesson.id] = max((len(words) for words in map(folded, keys) if words <= asked), default=0)
    found = [lesson for lesson in lessons if longest[lesson.id]]
    return sorted(found, key=lambda one: (one.declined > one.used, -longest[one.id], -one.sequence))


def select_by_solving(book: LessonBook, question: str, lessons: Sequence[Entry]) -> Sequence[Entry]:
    """Return the lesson that the answer of the embedded model follows from, if any."""
    solved = book.solve(question, _as_noted(lessons))
    return [lessons[solved[1]]] if solved else []


def _as_noted(lessons: Sequence[Entry]) -> list[Noted]:
    """Convert lessons to the form that the embedded model reads, in order."""
    return [Noted(entry.question, entry.shown, entry.helped - entry.hurt) for entry in lessons]


def add_lessons(
    memory: Memory, select: SelectLessons, question: Question, scope: Scope, found: Sequence[Candidate]
) -> Sequence[Candidate]:
    """Implement `Retriever`: add the user's lessons for the question, and remove refuted ones."""
    entries = [one.entry for one in found]
    corrections = [one.sequence for one in entries if one.kind.corrects and one.question == question.text]
    corrected = max(corrections, default=0)  # a lesson that led to a wrong answer before that is refuted

    def is_refuted(entry: Entry) -> bool:
        return entry.kind is LESSON and entry.hurt > 0 and entry.sequence < corrected

    found = [one for one in found if not is_refuted(one.entry)]
    # Retrieval always finds the nearest fact or lesson; if there is none, the user has none.
    if not any(entry.kind.asserts for entry in entries):
        return found
    newest = find_lessons(memory, scope, question.conversation, most=_NEWEST)  # similarity search finds older ones
    lessons = [one for one in newest if not is_refuted(one)]
    by_id, marked = {candidate.entry.id: candidate for candidate in found}, list[Candidate]()
    for rank, lesson in enumerate(select(question.text, lessons)[:_MOST_SHOWN], start=1):
        candidate = by_id.pop(lesson.id, Candidate(lesson, lesson.keys[0]))
        marked.append(replace(candidate, scores={**candidate.scores, BEARS.feature: 1 / rank}))
    return [*marked, *by_id.values()]


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

    def entry(self, model: str, turn: str = "") -> NewEntry:
        """Return the entry to store; `turn` is the id of the turn of the case."""
        body, supersedes = self.lesson, self.refuted.id if self.refuted else None
        key = LESSON.idempotency_key(turn or body.key, body)
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
        found = self.book.explain(case.question, case.answer, _as_noted(known))
        if found is None:
            return None
        noted, place = found
        refuted = None if place is None else known[place]
        wrong = refuted.shown if refuted else ""
        return LessonDraft(Lesson(key=noted.key, rule=noted.rule, wrong_understanding=wrong), refuted)

    def is_right(self, answer: str, said: str) -> bool:
        """Return True if the model said exactly `answer`."""
        return is_same(answer, said)


@dataclass(frozen=True, slots=True)
class NoteByModel:
    """Lesson writer by a language model: one call per lesson, which counts as an answer of the allowance."""

    model: ChatModel
    prompt_builder: PromptBuilder
    languages: Languages
    allowance: Allowance = UNLIMITED

    def note(self, case: LessonCase, known: Sequence[Entry], scope: Scope, is_stopped: IsStopped) -> LessonDraft | None:
        """Return the lesson of a case (equation 2); None if there is no new one. Raises ModelError and TooOften.

        `known` are the user's lessons, with this case already counted for or against them.
        """
        self.allowance.turn(scope)
        lessons = select_by_key(self.languages, case.question, known)[:MOST_RECALLED]
        texts = {"question": case.question, "right answer": case.answer, "answered": case.answered, "said": case.told}
        row = {name: text[:_LONGEST_TEXT] for name, text in texts.items() if text or name != "said"}
        rows = [{"key": entry.question, "lesson": entry.shown} for entry in lessons]
        messages = self.prompt_builder.call("expnote/note", case=[row], lessons=rows)
        reply = hear(self.model, messages, is_stopped=is_stopped, reply_filter=ReplyFilter(_FIRST_NOTE))
        for action in islice(_ACTION.finditer(reply), MOST_ACTIONS):
            key, rule = (" ".join(clean_for_prompt(text or "").split()) for text in action.group(2, 3))
            is_lesson = any(map(str.isalnum, key)) and len(key) <= LONGEST_KEY and 0 < len(rule) <= LONGEST_RULE
            is_known = any(entry.shown.casefold() == rule.casefold() for entry in lessons)
            if action[1].lower() == "note" and is_lesson and not is_known:
                refuted = next((entry for entry in lessons if entry.question.casefold() == key.casefold()), None)
                wrong, in_view = refuted.shown if refuted else "", tuple(entry.id for entry in lessons)
                right = case.was_right
                lesson = Lesson(key=key, rule=rule, from_right=right, wrong_understanding=wrong, in_view=in_view)
                return LessonDraft(lesson, refuted)
        return None

    def is_right(self, answer: str, said: str) -> bool:
        """Return True if the sentence `said` contains `answer`."""
        return bool(as_words(answer.strip(" .!") or answer).search(said.casefold()))


NoteTaker = NoteByRule | NoteByModel
