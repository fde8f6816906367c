"""Lessons: RECALL and NOTE, the two actions of ExpNote.

    section 3.1, equation 1   `LessonCase`: a question, the model's answer, and F, the right answer
    section 3.1, equation 2   `NoteByModel`, `note_by_rule`: NOTE at most one lesson of a case
    section 3.1, equation 3   `add_lessons`: RECALL, in addition to retrieval by similarity
    appendix B                `select_by_key`: the lessons whose key words all occur in the question

A language model writes the actions of the paper, one per line. RECALL runs before, so the model never writes it:

    THINK: the brother of a mother is an uncle
    NOTE[mother, brother]: If B is the mother of A and C is the brother of B, then C is an uncle of A.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from assistant.gate.gate import OfferRule
from assistant.kinds import LESSON, Lesson
from assistant.language.languages import Languages
from assistant.limits import UNLIMITED, Allowance
from assistant.models.choice import is_small
from assistant.models.embedded.lessons import LessonBook, Noted, is_same
from assistant.ports import ChatModel, Memory
from assistant.prompt.calling import IsStopped, hear
from assistant.prompt.prompt import PromptBuilder
from assistant.reply.filter import ReplyFilter
from assistant.reports.listing import EntryFilter
from assistant.sentences import Sentence
from assistant.text.cleaning import clean_for_prompt
from assistant.text.sentences import as_words, sentences_of
from assistant.types import Candidate, Entry, NewEntry, Question, Scope, Turn

MOST_ACTIONS, MOST_RECALLED = 4, 3
"""`n` and `k` of appendix B."""
LONGEST_KEY, LONGEST_RULE = 80, 300
"""Maximum characters."""
_LONGEST_TEXT = 2_000
_TOO_OFTEN = 2  # excess of `hurt` over `helped` at which a lesson is paused
BEARS = OfferRule("bears", Sentence("found.linked_lesson"), 5)
"""Score of a lesson by its rank among the lessons selected by key: 1 / rank."""
_NEWEST, _MOST_KNOWN = 300, 1_000  # maximum lessons: searched for a question; compared with a new lesson


def find_lessons(memory: Memory, scope: Scope, conversation: str = "", most: int = _MOST_KNOWN) -> list[Entry]:
    """Return the user's active lessons in a conversation (without one: in every conversation), newest first."""
    found = memory.find(scope, EntryFilter(kind=LESSON.name), most).entries
    return [entry for entry in found if not entry.resting and entry.counts_in(conversation)]


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


def add_lessons(
    memory: Memory, languages: Languages, question: Question, scope: Scope, found: Sequence[Candidate]
) -> Sequence[Candidate]:
    """Implement `Retriever`: add the user's lessons for the question.

    Lessons that led to a wrong answer before the user corrected the question are removed.
    """
    # Retrieval always returns the nearest fact or lesson, so if there is neither, the user has no lessons.
    if not any(one.entry.kind.asserts for one in found):
        return found
    corrections = [one.entry for one in found if one.entry.kind.corrects and one.entry.question == question.text]
    corrected = max((one.sequence for one in corrections), default=0)

    def is_refuted(entry: Entry) -> bool:
        return entry.kind is LESSON and entry.hurt > 0 and entry.sequence < corrected

    newest = find_lessons(memory, scope, question.conversation, most=_NEWEST)  # similarity search finds older ones
    lessons = [one for one in newest if not is_refuted(one)]
    by_id, marked = {one.entry.id: one for one in found if not is_refuted(one.entry)}, []
    for rank, lesson in enumerate(select_by_key(languages, question.text, lessons)[: BEARS.most], start=1):
        candidate = by_id.pop(lesson.id, Candidate(lesson, lesson.keys[0]))
        marked.append(replace(candidate, scores={**candidate.scores, BEARS.feature: 1 / rank}))
    return [*marked, *by_id.values()]


class LessonCase(NamedTuple):
    """A question with its right answer and the answer of the model."""

    question: str
    answer: str
    answered: str
    told: str = ""  # the user's correction, unless it is the right answer itself

    @property
    def was_right(self) -> bool:
        return is_same(self.answer, self.answered)


def build_lesson(lesson: Lesson, turn: str, model: str, supersedes: str | None = None) -> NewEntry:
    """Build the entry for a lesson of a turn, given by its id. Saving the same lesson twice has no effect."""
    key = LESSON.idempotency_key(turn, lesson)
    return NewEntry(LESSON, lesson.key, lesson, key, turn=turn, model=model, supersedes=supersedes)


def is_right(answer: str, said: str) -> bool:
    """Return True if `said`, the words of a model, contains the answer."""
    return bool(as_words(answer.strip(" .!") or answer).search(said.casefold()))


NoteTaker = Callable[[LessonCase, Sequence[Entry], Scope, IsStopped], Lesson | None]
"""Writes the lesson of a case; None if the user already has this lesson. Raises ModelError and TooOften."""


def note_by_rule(
    book: LessonBook, case: LessonCase, known: Sequence[Entry], _scope: Scope, _is_stopped: IsStopped
) -> Lesson | None:
    """Implement `NoteTaker` for the embedded model."""
    if case.was_right or case.told:  # a correction is stored as a clarification already
        return None
    found = book.explain(case.question, case.answer, [Noted(one.question, one.shown) for one in known])
    if found is None or found[1] is None:
        return Lesson(key=found[0].key, rule=found[0].rule) if found else None
    wrong = known[found[1]]
    return Lesson(key=wrong.question, rule=found[0].rule, wrong_understanding=wrong.shown, in_view=(wrong.id,))


@dataclass(frozen=True, slots=True)
class NoteByModel:
    """Implements `NoteTaker` with a language model: one call per lesson, which is rate-limited like an answer."""

    model: ChatModel
    prompt_builder: PromptBuilder
    languages: Languages
    allowance: Allowance = UNLIMITED

    def __call__(self, case: LessonCase, known: Sequence[Entry], scope: Scope, is_stopped: IsStopped) -> Lesson | None:
        self.allowance.turn(scope)
        lessons = select_by_key(self.languages, case.question, known)[:MOST_RECALLED]
        texts = {"question": case.question, "right answer": case.answer, "answered": case.answered, "said": case.told}
        row = {name: text[:_LONGEST_TEXT] for name, text in texts.items() if text or name != "said"}
        rows = [{"key": entry.question, "lesson": entry.shown} for entry in lessons]
        messages = self.prompt_builder.call("expnote/note", case=[row], lessons=rows)
        first_note = re.compile(r"^[^\w\n]{0,6}NOTE\b", re.M | re.I)
        reply = hear(self.model, messages, is_stopped=is_stopped, reply_filter=ReplyFilter(first_note))
        actions = re.findall(
            r"^[^\w\n]{0,6}(THINK|NOTE)\b[^\w\n\[]{0,6}(?:\[([^\]\n]*)\])?[ \t:*]*([^\n]*)$", reply, re.M | re.I
        )
        known_rules = {entry.shown.casefold() for entry in lessons}
        for action, *written in actions[:MOST_ACTIONS] or _read_plain_line(reply, case):
            key, rule = (" ".join(clean_for_prompt(text).split()) for text in written)
            is_lesson = any(map(str.isalnum, key)) and len(key) <= LONGEST_KEY and 0 < len(rule) <= LONGEST_RULE
            is_new = rule.casefold() not in known_rules
            # Rules by small models are mostly useless, except those that contain the right answer.
            is_about_case = not is_small(self.model) or is_right(case.answer, rule)
            if action.lower() == "note" and is_lesson and is_new and is_about_case:
                wrong = next((one.shown for one in lessons if one.question.casefold() == key.casefold()), "")
                right, in_view = case.was_right, tuple(entry.id for entry in lessons)
                return Lesson(key=key, rule=rule, from_right=right, wrong_understanding=wrong, in_view=in_view)
        return None


def _read_plain_line(reply: str, case: LessonCase) -> list[tuple[str, str, str]]:
    """Return the note of a small model that ignores the form: one line whose first sentence has the right answer."""
    line, *more = reply.strip().splitlines() or [""]
    said = next(iter(sentences_of(line)), "")
    is_note = not more and is_right(case.answer, said)
    return [("NOTE", case.question, f"{case.question} {said}")] if is_note else []


def weigh(turn: Turn, used: Sequence[str], memory: Memory, scope: Scope, *, was_right: bool) -> None:
    """Count an answer for or against the lessons among the entries `used`.

    If `hurt` exceeds `helped` by two or more, the lesson is paused until the user resumes it. Raises StoreError.
    """
    for entry_id in used:
        if memory.entry(entry_id, scope).kind is LESSON:
            memory.count(entry_id, "helped" if was_right else "hurt", turn.id, scope)
            counted = memory.entry(entry_id, scope)
            if not was_right and counted.hurt - counted.helped >= _TOO_OFTEN:
                memory.pause(entry_id, scope)


def learn(
    turn: Turn,
    case: LessonCase,
    note_taker: NoteTaker,
    memory: Memory,
    scope: Scope,
    is_stopped: IsStopped = lambda: False,
    only_in: str = "",
) -> Lesson | None:
    """Weigh the lessons that the answer of a turn is based on, and store the lesson of its case.

    With `only_in`, the id of a conversation, only lessons of this conversation are weighed, and the new lesson applies
    only there. Raises ModelError, TooOften and StoreError.
    """
    own = [entry_id for entry_id in turn.used if memory.entry(entry_id, scope).only_in == only_in]
    weigh(turn, own, memory, scope, was_right=case.was_right)
    lesson = note_taker(case, find_lessons(memory, scope, only_in), scope, is_stopped)
    if lesson:
        memory.remember(build_lesson(lesson.model_copy(update={"only_in": only_in}), turn.id, turn.model), scope)
    return lesson
