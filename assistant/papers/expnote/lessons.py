"""Lessons: RECALL and NOTE, the two actions of ExpNote, and their use after feedback on answers.

    section 3.1, equation 3   `add_lessons`: RECALL, in addition to retrieval by similarity
    appendix B                `select_by_key`: language models get the lessons whose key words all occur in the question
                              `select_by_solving`: the embedded model gets the lesson that its answer follows from
    section 3.1, equation 1   `LessonCase`: a question, the answer of a model, and the right answer; `feedback_in`: F, a
                              confirmation, a correction or the right answer, with the case that it makes
    section 3.1, equation 2   `NoteByModel`, `NoteByRule`: NOTE at most one lesson of a case
    in a conversation         `weigh_feedback` counts feedback for or against the lessons used; `DraftLessons` notes in
                              the background; `LessonProposals` stores a draft on its turn until the user keeps it

A language model writes the actions of the paper, one per line; RECALL is done for it:

    THINK: the brother of a mother is an uncle
    NOTE[mother, brother]: If B is the mother of A and C is the brother of B, then C is an uncle of A.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, ClassVar

from assistant.background import BackgroundJobs
from assistant.errors import NotedError, NotFound, ReadOnly
from assistant.events import Answered, Reacted, TurnEvent
from assistant.feedback.learning import restore_or_remember
from assistant.gate.gate import OfferRule
from assistant.kinds import LESSON, Lesson
from assistant.language.languages import Languages
from assistant.limits import UNLIMITED
from assistant.models.embedded.lessons import LessonBook, Noted, is_same
from assistant.papers.calls import IsStopped, hear
from assistant.papers.teachme.facts import find_replacing_fact, find_stated_entry, is_answer
from assistant.ports import Allowance, ChatModel, Memory, TurnStore
from assistant.prompt.prompt import PromptBuilder
from assistant.proposals import Proposal, Proposals, State
from assistant.reply.filter import ReplyFilter
from assistant.reports.listing import EntryFilter
from assistant.sentences import Sentence
from assistant.text.cleaning import clean_for_prompt
from assistant.text.content_rules import check_private
from assistant.text.sentences import as_words
from assistant.types import (
    Candidate,
    Entry,
    NewEntry,
    Question,
    Reaction,
    Reply,
    ReplyStatus,
    Scope,
    Status,
    Turn,
    TurnState,
)

MOST_ACTIONS, MOST_RECALLED = 4, 3
"""`n` and `k` of appendix B."""
LONGEST_KEY, LONGEST_RULE = 80, 300
"""Characters."""
_LONGEST_TEXT = 2_000
_TOO_OFTEN = 2  # times that a lesson hurt more than it helped
BEARS = OfferRule("bears", Sentence("found.linked_lesson"), 5)
"""Mark of a lesson for the question: 1 for the first, less for the others."""
_NEWEST, _MOST_KNOWN = 300, 1_000  # lessons: to find for a question, to compare a new one with
_log = logging.getLogger(__name__)

SelectLessons = Callable[[str, Sequence[Entry]], Sequence[Entry]]
"""Selects the lessons for a question, best first."""


def find_lessons(
    memory: Memory, scope: Scope, conversation: str = "", denied: Collection[str] = (), most: int = _MOST_KNOWN
) -> list[Entry]:
    """Return the user's active lessons in a conversation (without one: in every conversation), newest first.

    `denied` are ids of lessons that just led to a wrong answer. They are always included, with their `helped` count set
    to 0, so that a better lesson replaces them.
    """
    return [
        replace(entry, helped=0, hurt=max(1, entry.hurt)) if entry.id in denied else entry
        for entry in memory.find(scope, EntryFilter(kind=LESSON.name), most).entries
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

    def is_refuted(entry: Entry) -> bool:
        """Return True if a lesson led to a wrong answer before the question was corrected."""
        return entry.kind is LESSON and entry.hurt > 0 and entry.sequence < max(corrections, default=0)

    found = [one for one in found if not is_refuted(one.entry)]
    # Retrieval always finds the nearest fact or lesson; if there is none, the user has none.
    if not any(entry.kind.asserts for entry in entries):
        return found
    newest = find_lessons(memory, scope, question.conversation, most=_NEWEST)  # similarity search finds older ones
    lessons = [one for one in newest if not is_refuted(one)]
    by_id, marked = {candidate.entry.id: candidate for candidate in found}, list[Candidate]()
    for rank, lesson in enumerate(select(question.text, lessons)[: BEARS.most], start=1):
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
        refuted = None if found[1] is None else known[found[1]]
        wrong = refuted.shown if refuted else ""
        return LessonDraft(Lesson(key=found[0].key, rule=found[0].rule, wrong_understanding=wrong), refuted)

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
        first_note = re.compile(r"^[^\w\n]{0,6}NOTE\b", re.M | re.I)
        reply = hear(self.model, messages, is_stopped=is_stopped, reply_filter=ReplyFilter(first_note))
        actions = re.finditer(
            r"^[^\w\n]{0,6}(THINK|NOTE)\b[^\w\n\[]{0,6}(?:\[([^\]\n]*)\])?[ \t:*]*([^\n]*)$", reply, re.M | re.I
        )
        for action in islice(actions, MOST_ACTIONS):
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


@dataclass(frozen=True, slots=True)
class Feedback:
    """User feedback on an answer."""

    before: Turn  # with the answer that the feedback is about
    turn: Turn  # with the current answer: `before` if it was confirmed, else the turn that answers again
    told: Entry | None  # the entry of the correction; None for a confirmation
    case: LessonCase  # takes the current answer for right, unless the user gave one


def feedback_in(happening: TurnEvent, turns: TurnStore, scope: Scope) -> Feedback | None:
    """Return the feedback in an event: *Right*, a correction, *The answer is …*, a disputed reason.

    None if there is none, or no complete answer now. Raises StoreError.
    """
    told = None
    is_confirmed = isinstance(happening, Reacted) and happening.reaction is Reaction.CONFIRM
    if is_confirmed and happening.turn.corrected_by is None:
        turn = before = happening.turn
    elif isinstance(happening, Answered) and happening.turn.answers_again:
        turn = happening.turn
        told = find_stated_entry(turn)
        if told is None or find_replacing_fact(turn):
            return None
        try:
            before = turns.turn(turn.answers_again or "", scope)
        except NotFound:
            return None
        if before.clarified_with == turn.clarified_with and not is_answer(told):  # it only tries again
            return None
    else:
        return None
    reply = turn.reply
    if turn.state is not TurnState.ANSWERED or not reply.answer or reply.status is ReplyStatus.TRUNCATED:
        return None
    is_right = told is not None and is_answer(told)
    case = LessonCase(turn.question, reply.answer, before.reply.answer, str(told.sentence) if told else "")
    return Feedback(before, turn, told, replace(case, answer=case.told, told="") if is_right else case)


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


def weigh_feedback(memory: Memory, turn_store: TurnStore, happening: TurnEvent, scope: Scope) -> None:
    """Implement `Listener`: count feedback on an answer for or against the lessons that it was based on.

    A correction, another answer, or an excluded lesson counts against. A disputed reason does not count.
    """
    with suppress(NotFound, ReadOnly):  # deleted in the meantime
        if isinstance(happening, Reacted) and happening.reaction is Reaction.EXCLUDE:
            weigh(happening.turn, [happening.entry_id], memory, scope, was_right=False)
            return
        found = feedback_in(happening, turn_store, scope)
        if found and (found.told is None or found.told.kind.corrects or is_answer(found.told)):
            was_right = found.case.was_right and not found.case.told
            weigh(found.before, found.before.used, memory, scope, was_right=was_right)


@dataclass(frozen=True, slots=True)
class DraftLessons:
    """Implements `Listener`: draft a lesson from feedback in the background, at most one per turn.

    A draft under way when the process ends is lost.
    """

    note_taker: NoteTaker
    memory: Memory
    turn_store: TurnStore
    background: BackgroundJobs = field(default_factory=lambda: BackgroundJobs("lessons"))  # by id of the turn

    def __call__(self, happening: TurnEvent, scope: Scope) -> None:
        found = feedback_in(happening, self.turn_store, scope)
        if found and not _drafted(found.turn.reply):
            self.background.soon(found.turn.id, scope.person, lambda is_stopped: self._draft(found, scope, is_stopped))

    def _draft(self, found: Feedback, scope: Scope, is_stopped: IsStopped) -> None:
        """Add a draft to the turn, unless the turn changed or an entry in the prompt was erased meanwhile."""
        denied = found.before.used if found.told else ()  # feedback outweighs an older lesson
        try:
            known = find_lessons(self.memory, scope, found.turn.conversation, denied)
            drawn = self.note_taker.note(found.case, known, scope, is_stopped)
            if drawn is None or is_stopped():
                return
            check_private(drawn.lesson.key)
            check_private(drawn.lesson.rule)
            seen = (*drawn.lesson.in_view, *found.before.used)
            for entry_id in seen:
                self.memory.entry(entry_id, scope)  # raises NotFound: an erased text must not come back
            turn = self.turn_store.turn(found.turn.id, scope)
            if turn.reply.says_the_same(found.turn.reply) and not _drafted(turn.reply):
                refutes = drawn.refuted.id if drawn.refuted else ""
                in_view = tuple(dict.fromkeys(filter(None, (*turn.reply.in_view, *seen, refutes))))
                draft = {**drawn.lesson.stored(), "refutes": refutes}
                reply = turn.reply.with_fields(drafted_lesson=draft, in_view=in_view)
                self.turn_store.record(replace(turn, reply=reply), scope)
        except NotedError as error:  # later feedback may teach the same
            _log.info("No lesson was drafted of the turn %s: %s", found.turn.id, error)


@dataclass(frozen=True, slots=True)
class LessonProposals(Proposals[Lesson]):
    """At most one lesson per turn, which may replace an earlier one.

    Waiting and decided drafts are two fields of the reply, so that a query finds the waiting ones.
    """

    unknown: ClassVar[str] = "lesson.unknown"
    reply_field: ClassVar[str] = "drafted_lesson"

    def of(self, turn: Turn, scope: Scope) -> Sequence[Proposal[Lesson]]:
        draft = _drafted(turn.reply)
        if not isinstance(draft, Mapping):
            return []
        kept = self._kept(turn, scope)
        if turn.state is not TurnState.ANSWERED and not (turn.state is TurnState.UNDONE and kept):
            return []
        try:
            decided = State(draft.get("state") or State.PROPOSED)
            lesson = Lesson.model_validate(draft)
        except ValueError:  # from an imported file
            return []
        state = State.KEPT if kept else State.GONE if decided is State.KEPT else decided
        said = lesson.model_copy(update={"rule": kept.shown}) if kept else lesson
        return [Proposal(1, lesson, said, state, kept, str(draft.get("refutes", "")))]

    def changed(self, said: Lesson, words: str) -> Lesson:
        return said.model_copy(update={"rule": words})

    def store(self, turn: Turn, proposal: Proposal[Lesson], said: Lesson, scope: Scope) -> None:
        if proposal.entry:
            self.memory.edit(proposal.entry.id, said.rule, scope)
            return
        refuted = None
        with suppress(NotFound):  # a draft from a file may name an entry that is not here
            refuted = self.memory.entry(proposal.replaces, scope) if proposal.replaces else None
        draft = LessonDraft(said, refuted).entry(turn.model, turn.id)
        restore_or_remember(draft, self.memory, scope, Status.SUPERSEDED, Status.RETRACTED)

    def take_back(self, turn: Turn, proposal: Proposal[Lesson], scope: Scope) -> None:  # noqa: ARG002
        while entry := self._kept(turn, scope):  # each change by the user superseded an entry
            self.memory.retract(entry.id, scope)

    def decided(self, reply: Reply, number: int, state: State, said: Lesson) -> Reply:  # noqa: ARG002
        draft = {name: part for name, part in _drafted(reply).items() if name != "state"}
        if state is State.PROPOSED:
            return reply.with_fields(drafted_lesson=draft, decided_lesson={})
        return reply.with_fields(drafted_lesson={}, decided_lesson={**draft, "state": state.value})

    def _kept(self, turn: Turn, scope: Scope) -> Entry | None:
        """Return the active entry of a turn's draft."""
        wanted = EntryFilter(kind=LESSON.name, turn=turn.id)
        return next(iter(self.memory.find(scope, wanted, 1).entries), None)


def _drafted(reply: Reply) -> Any:
    """Return the stored draft of a reply, decided or not."""
    return reply.fields.get("drafted_lesson") or reply.fields.get("decided_lesson")
