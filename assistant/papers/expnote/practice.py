"""Practice: a model answers exercises, gets the right answers, and notes lessons (ExpNote).

    section 3.1   `Practice.cases`, the training stage: answer each case; `learn` weighs and notes lessons
    section 4.3   `curve`: the share of right answers during training
    section 4.4   `Practice.tests`: answer held-out exercises with and without the lessons, and store nothing

A practice is one conversation, in which each exercise is asked without history. Its turns record the progress, so a
practice can be resumed. The lessons are proposals, used in that conversation only, until the user keeps them.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from hashlib import sha256
from statistics import fmean
from typing import Self

from assistant import turn_changes
from assistant.conversation import Assistant
from assistant.errors import InputError, ModelError, NotedError, NotFound, StreamCut
from assistant.events import Finished
from assistant.feedback.learning import count_uses, restore_or_remember
from assistant.kinds import LESSON, Lesson
from assistant.language.languages import Languages
from assistant.limits import DEFAULT_LIMITS, Limits
from assistant.papers.calls import IsStopped
from assistant.papers.expnote.lessons import LessonCase, LessonDraft, NoteByModel, NoteTaker, find_lessons, weigh
from assistant.ports import Memory
from assistant.reports.listing import EntryFilter
from assistant.sentences import Sentence
from assistant.text.cleaning import check_text
from assistant.text.tables import read_table
from assistant.turn import TurnParts, TurnRunner
from assistant.types import PRACTISED, Entry, Scope, Status, Turn, TurnState

HELD_OUT = 0.2
"""Share of the exercises that is used for tests only."""
MOST_TRIES = 3
"""Failures after which an exercise is skipped."""
_POINTS = 10  # of the curve
_MOST = 10_000  # lessons, and turns


@dataclass(frozen=True, slots=True)
class Exercise:
    """A question with its right answer."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Exercises:
    """The exercises of a file."""

    cases: Sequence[Exercise]  # for training
    held_out: Sequence[Exercise]  # for tests


def read_exercises(text: str, limits: Limits = DEFAULT_LIMITS, header: bool | None = None) -> Exercises:
    """Parse a table of questions and answers; `header` is True if the first row is a header, None to detect it.

    Raises HeaderUnclear if that is not detectable, and InputError with the number of an invalid line.
    """
    exercises = list[Exercise]()
    for row in read_table(text, ["question", "answer"], header=header):
        try:
            if len(row.cells) != 2 or not all(row.cells):
                raise InputError("practice.no_pair")
            question, answer = row.cells
            exercises.append(Exercise(check_text(question, limits.question), check_text(answer, limits.clarification)))
        except NotedError as error:
            raise InputError("practice.bad_line", number=row.number, why=error.sentence) from None
    end = len(exercises) - round(HELD_OUT * len(exercises))
    return Exercises(exercises[:end], exercises[end:])


@dataclass(frozen=True, slots=True)
class TriedCase:
    """An exercise with its answer; held-out ones are answered with the lessons of the practice."""

    exercise: Exercise
    said: str
    right: bool
    used: tuple[str, ...] = ()  # ids of the entries that the answer is based on
    lesson: str = ""  # the rule noted in this run
    error: Sentence | None = None  # held out: the reason for a missing answer
    before: bool = False  # held out: right without the lessons of the practice


@dataclass(frozen=True, slots=True)
class Practised:
    """Progress of a practice."""

    cases: tuple[TriedCase, ...] = ()
    tests: tuple[TriedCase, ...] = ()


def is_worse(tests: Sequence[TriedCase]) -> bool:
    """Return True if fewer held-out answers are right with the lessons than without."""
    return sum(test.right for test in tests) < sum(test.before for test in tests)


def curve(tried: Sequence[TriedCase]) -> list[float]:
    """Return the share of right answers in each tenth of the practice, in order; per exercise if fewer than ten."""
    total, parts = len(tried), min(_POINTS, len(tried))
    return [fmean(one.right for one in tried[total * at // parts : total * (at + 1) // parts]) for at in range(parts)]


def find_disagreeing(tried: Iterable[TriedCase]) -> list[TriedCase]:
    """Return the wrong answers based on entries: the entry or the case is wrong, or the case is an exception."""
    return [one for one in tried if one.used and not one.right]


def learn(
    turn: Turn,
    case: LessonCase,
    note_taker: NoteTaker,
    memory: Memory,
    scope: Scope,
    is_stopped: IsStopped = lambda: False,
    only_in: str = "",
) -> LessonDraft | None:
    """Weigh the lessons that the answer of a turn is based on, and store the lesson of its case.

    With `only_in`, the id of a conversation, both are limited to that conversation.

    Raises ModelError, TooOften and StoreError.
    """
    own = [entry_id for entry_id in turn.used if memory.entry(entry_id, scope).only_in == only_in]
    weigh(turn, own, memory, scope, was_right=case.was_right)
    denied = () if case.was_right else {*turn.used} - {*own}  # a better lesson replaces them, only in this conversation
    drawn = note_taker.note(case, find_lessons(memory, scope, only_in, denied), scope, is_stopped)
    if drawn:
        refuted = drawn.refuted if drawn.refuted and drawn.refuted.only_in == only_in else None
        noted = LessonDraft(drawn.lesson.model_copy(update={"only_in": only_in}), refuted)
        memory.remember(noted.entry(turn.model, turn.id), scope)
    return drawn


@dataclass(frozen=True, slots=True)
class Practice:
    """Training and tests, by the `name` of a practice. Raises StoreError, ModelError and TooOften."""

    assistant: Assistant
    erase_conversation: Callable[[str, Scope], object]
    note_taker: NoteTaker
    languages: Languages
    is_stopped: IsStopped = lambda: False

    def with_parts(self, parts: TurnParts) -> Self:
        """Return a copy with the language model and the prompt builder of `parts`; self if they are empty."""
        if not parts:
            return self
        note_taker = NoteByModel(parts["model"], parts["prompt_builder"], self.languages, self.assistant.allowance)
        return replace(self, assistant=self.assistant.with_parts(parts), note_taker=note_taker)

    def run(self, name: str, exercises: Exercises, scope: Scope, tested: int = 0) -> Iterator[Practised]:
        """Practise all cases, then test those held out, without the first `tested`; yield all results so far."""
        so_far = Practised()
        for case in self.cases(name, exercises.cases, scope):
            so_far = replace(so_far, cases=(*so_far.cases, case))
            yield so_far
        for test in self.tests(name, exercises.held_out[tested:], scope):
            so_far = replace(so_far, tests=(*so_far.tests, test))
            yield so_far

    def cases(self, name: str, cases: Sequence[Exercise], scope: Scope) -> Iterator[TriedCase]:
        """Answer each case, note its lesson, and yield the result. Earlier results come from the stored turns.

        A later run retries failed answers and failed lessons, up to `MOST_TRIES` times in all.
        """
        answered: dict[str, deque[Turn]] = defaultdict(deque)
        failed: Counter[str] = Counter()
        for turn in self._turns(name, scope):
            if turn.state is TurnState.ANSWERED:
                answered[turn.question].append(turn)
            failed[turn.question] += turn.state is TurnState.FAILED
        # A statement in an exercise is no statement of the user, so it stores no fact.
        runner = replace(self.assistant.runner, listener=partial(count_uses, self.assistant.memory))
        for case in cases:
            if not answered[case.question] and failed[case.question] >= MOST_TRIES:
                yield TriedCase(case, "", right=False)
                continue
            known = answered[case.question]
            turn = known.popleft() if known else self._ask(runner, case, name, scope)
            tried = self._tried(case, turn)
            if tried.error:
                raise ModelError(tried.error.code, **tried.error.parameters)
            if not turn.reply.fields.get("learnt_from"):
                tried = replace(tried, lesson=self._note(tried, turn, scope))
            yield tried

    def _note(self, tried: TriedCase, turn: Turn, scope: Scope) -> str:
        """Learn from a case, mark its turn as learnt from, and return the new rule."""
        exercise, memory, turn_store = tried.exercise, self.assistant.memory, self.assistant.runner.turn_store
        case = LessonCase(exercise.question, exercise.answer, exercise.answer if tried.right else tried.said)
        try:
            drawn = learn(turn, case, self.note_taker, memory, scope, self.is_stopped, turn.conversation)
        except ModelError:
            failed = turn.reply.fields.get("not_noted", 0) + (not self.is_stopped())
            marked = turn.reply.with_fields(not_noted=failed, learnt_from=failed >= MOST_TRIES)
            turn_store.record(replace(turn, reply=marked), scope)
            raise
        turn_store.record(replace(turn, reply=turn.reply.with_fields(learnt_from=True)), scope)
        return drawn.lesson.rule if drawn else ""

    def tests(self, name: str, held_out: Sequence[Exercise], scope: Scope) -> Iterator[TriedCase]:
        """Answer held-out exercises with and without the lessons of a practice, and yield the results.

        A failed answer is wrong both times, with the reason. Raises the error of the third failure in a row.
        """
        failed, learnt, parts = 0, tuple(entry.id for entry in self.lessons(name, scope)), self.assistant.runner
        runner = _UnrecordedRunner(**{one.name: getattr(parts, one.name) for one in fields(parts)})
        for exercise in held_out:
            turn = self._ask(runner, exercise, name, scope)
            after = before = self._tried(exercise, turn)
            if {decision.entry.id for decision in turn.decisions}.intersection(learnt):
                before = self._tried(exercise, self._ask(runner, exercise, name, scope, left_out=learnt))
            error = after.error or before.error
            yield TriedCase(exercise, "", right=False, error=error) if error else replace(after, before=before.right)
            failed = failed + 1 if error else 0
            if error and failed == MOST_TRIES:
                raise ModelError(error.code, **error.parameters)

    def lessons(self, name: str, scope: Scope) -> list[Entry]:
        """Return the lessons of a practice, newest first."""
        turns = {turn.id for turn in self._turns(name, scope)}
        return [entry for entry in self._all_lessons(scope) if entry.turn in turns]

    def keep(self, name: str, scope: Scope) -> int:
        """Use the lessons of a practice for all questions from now on, and return their number.

        Paused lessons stay proposals.
        """
        proposed = [entry for entry in self.lessons(name, scope) if entry.only_in and not entry.resting]
        for entry in reversed(proposed):
            body = Lesson.model_validate({**entry.body.stored(), "only_in": ""})
            kept = LessonDraft(body, entry).entry(entry.model, entry.turn)
            restore_or_remember(kept, self.assistant.memory, scope, Status.SUPERSEDED, Status.RETRACTED)
        return len(proposed)

    def forget(self, name: str, scope: Scope) -> int:
        """Retract and erase the lessons of a practice, erase its turns, and return the number of lessons.

        A lesson that shares its history with one from elsewhere is only retracted: erasing it would erase both.
        """
        if not (turns := {turn.id for turn in self._turns(name, scope)}):
            return 0
        memory, active = self.assistant.memory, self._all_lessons(scope)
        earlier = memory.earlier([entry.id for entry in active], scope)
        histories = [[entry, *earlier.get(entry.id, ())] for entry in active]
        noted = {one.id: one for history in histories for one in history if one.turn in turns}
        whole = [one for history in histories if all(one.id in noted for one in history) for one in history]
        shared = [one for one in noted.values() if one not in whole]
        # Retracting an entry restores the one that it replaced. The conversation's erasure erases retracted proposals.
        for entry in sorted(whole, key=lambda entry: -entry.sequence):
            memory.retract(entry.id, scope)
        self.erase_conversation(_conversation(name), scope)
        for entry in sorted(shared, key=lambda entry: -entry.sequence):
            memory.retract(entry.id, scope)
        for entry in whole:
            with suppress(NotFound):  # erased with another one
                memory.forget(entry.id, scope)
        return len({entry.turn for entry in noted.values()})

    def _all_lessons(self, scope: Scope) -> Sequence[Entry]:
        """Return all active lessons of the user, newest first."""
        return self.assistant.memory.find(scope, EntryFilter(kind=LESSON.name), _MOST).entries

    def _turns(self, name: str, scope: Scope) -> Sequence[Turn]:
        return self.assistant.runner.turn_store.turns(_conversation(name), scope, _MOST)

    def _ask(
        self, runner: TurnRunner, exercise: Exercise, name: str, scope: Scope, left_out: tuple[str, ...] = ()
    ) -> Turn:
        self.assistant.allowance.turn(scope)
        turn = turn_changes.create_turn(exercise.question, scope, _conversation(name), runner.model.name)
        with closing(runner.run(replace(turn, left_out=left_out), scope, ())) as events:
            for event in events:
                if isinstance(event, Finished):
                    return event.turn
                if self.is_stopped():
                    break
        raise StreamCut

    def _tried(self, exercise: Exercise, turn: Turn) -> TriedCase:
        said = turn.reply.answer
        error = turn.error if turn.state is TurnState.FAILED else None
        return TriedCase(exercise, said, self.note_taker.is_right(exercise.answer, said), turn.used, error=error)


def _conversation(name: str) -> str:
    """Return the id of the conversation of a practice."""
    return f"{PRACTISED}{sha256(name.encode()).hexdigest()[:16]}"


class _UnrecordedRunner(TurnRunner):
    """Runner of turns that are not stored and teach nothing."""

    def recorded(self, turn: Turn, scope: Scope) -> Turn:  # noqa: ARG002
        return turn
