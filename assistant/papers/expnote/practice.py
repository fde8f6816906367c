"""Practice: a model answers exercises, gets the right answers, and notes lessons (ExpNote).

    section 3.1   `Practice.cases`, the training stage: answer each case; `learn` weighs and notes lessons
    section 4.3   `Practised.curve`: the share of right answers during training
    section 4.4   `Practice.tests`: answer held-out exercises with and without the lessons, and store nothing

A practice is one conversation, in which each exercise is asked without history. Its turns record the progress, so a
practice can be resumed. The lessons are proposals, used in that conversation only, until the user keeps them.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple, Self

from assistant import turn_changes
from assistant.conversation import Assistant
from assistant.errors import ContextFull, InputError, ModelError, NotedError, NotFound, StreamCut
from assistant.events import Finished
from assistant.feedback.learning import count_uses, restore_or_remember
from assistant.kinds import LESSON, Lesson
from assistant.language.languages import Languages
from assistant.limits import DEFAULT_LIMITS, Limits
from assistant.papers.calls import UNUSABLE_REPLY
from assistant.papers.expnote.lessons import LessonCase, NoteByModel, NoteTaker, build_lesson, is_right, learn
from assistant.prompt.calling import IsStopped
from assistant.reports.listing import EntryFilter
from assistant.text.cleaning import check_text
from assistant.text.tables import read_table
from assistant.turn import TurnParts, TurnRunner
from assistant.types import PRACTISED, Entry, Scope, Status, Turn, TurnState

HELD_OUT = 0.2
"""Share of the exercises that is used for tests only."""
_POINTS = 10  # of the curve
_MOST = 10_000  # lessons, and turns
_OF_ONE_CASE = (*UNUSABLE_REPLY, ContextFull)  # errors after which the next exercise may succeed


class Exercise(NamedTuple):
    """A question with its right answer."""

    question: str
    answer: str


class Exercises(NamedTuple):
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


class TriedCase(NamedTuple):
    """An exercise with its answer; held-out ones are answered with the lessons of the practice."""

    exercise: Exercise
    said: str
    right: bool
    used: tuple[str, ...] = ()  # ids of the entries that the answer is based on
    before: bool = False  # held out: right without the lessons of the practice


class Practised(NamedTuple):
    """Progress of a practice."""

    cases: tuple[TriedCase, ...] = ()
    tests: tuple[TriedCase, ...] = ()

    @property
    def is_worse(self) -> bool:
        """Return True if fewer held-out answers are right with the lessons than without."""
        return sum(test.right for test in self.tests) < sum(test.before for test in self.tests)

    @property
    def curve(self) -> list[float]:
        """Return the share of right answers in each tenth of the cases, in order; per case if fewer than ten."""
        total, parts = len(self.cases), min(_POINTS, len(self.cases))
        bounds = [total * at // parts for at in range(parts + 1)] if parts else []
        return [fmean(one.right for one in self.cases[start:end]) for start, end in pairwise(bounds)]

    @property
    def disagreeing(self) -> list[TriedCase]:
        """Return the wrong answers based on entries: the entry or the case is wrong, or the case is an exception."""
        return [one for one in self.cases if one.used and not one.right]


@dataclass(frozen=True, slots=True)
class Practice:
    """Training and tests, by the `name` of a practice. Raises StoreError, ModelError and TooOften."""

    assistant: Assistant
    erase_conversation: Callable[[str, Scope], object]
    note_taker: NoteTaker
    languages: Languages
    matches: Callable[[str, str], bool]  # returns True if the right answer (first) and the model's answer are the same
    is_stopped: IsStopped = lambda: False

    def with_parts(self, parts: TurnParts) -> Self:
        """Return a copy with the language model and the prompt builder of `parts`; self if they are empty."""
        if not parts:
            return self
        note_taker = NoteByModel(parts["model"], parts["prompt_builder"], self.languages, self.assistant.allowance)
        return replace(self, assistant=self.assistant.with_parts(parts), note_taker=note_taker, matches=is_right)

    def run(self, name: str, exercises: Exercises, scope: Scope, tested: int = 0) -> Iterator[Practised]:
        """Practise all cases, then test those held out, without the first `tested`; yield all results so far."""
        so_far = Practised()
        for case in self.cases(name, exercises.cases, scope):
            so_far = so_far._replace(cases=(*so_far.cases, case))
            yield so_far
        for test in self.tests(name, exercises.held_out[tested:], scope):
            so_far = so_far._replace(tests=(*so_far.tests, test))
            yield so_far

    def cases(self, name: str, cases: Sequence[Exercise], scope: Scope) -> Iterator[TriedCase]:
        """Answer each case, note its lesson, and yield the result. Earlier results come from the stored turns."""
        answered: dict[str, deque[Turn]] = defaultdict(deque)
        for turn in self._turns(name, scope):
            if turn.state is TurnState.ANSWERED:
                answered[turn.question].append(turn)
        memory = self.assistant.memory
        # A statement in an exercise does not come from the user, so it stores no fact.
        runner = replace(self.assistant.runner, listener=partial(count_uses, memory))
        for case in cases:
            known = answered[case.question]
            turn = known.popleft() if known else self._ask(runner, case, name, scope)
            tried = self._tried(case, turn)
            if turn.state is TurnState.ANSWERED and not turn.reply.fields.get("learnt_from"):
                of_case = LessonCase(*case, case.answer if tried.right else tried.said)
                try:
                    learn(turn, of_case, self.note_taker, memory, scope, self.is_stopped, turn.conversation)
                except _OF_ONE_CASE:
                    if self.is_stopped():
                        raise
                runner.turn_store.record(replace(turn, reply=turn.reply.with_fields(learnt_from=True)), scope)
            yield tried

    def tests(self, name: str, held_out: Sequence[Exercise], scope: Scope) -> Iterator[TriedCase]:
        """Answer held-out exercises with and without the lessons of a practice, and yield the results."""
        learnt = tuple(entry.id for entry in self.lessons(name, scope))
        runner = replace(self.assistant.runner, records=False)
        for exercise in held_out:
            turn = self._ask(runner, exercise, name, scope)
            after = before = self._tried(exercise, turn)
            if {decision.entry.id for decision in turn.decisions}.intersection(learnt):
                before = self._tried(exercise, self._ask(runner, exercise, name, scope, left_out=learnt))
            yield after._replace(before=before.right)

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
            kept = build_lesson(body, entry.turn, entry.model, entry.id)
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
        own, shared = list[Entry](), list[Entry]()
        for history in histories:
            noted = [entry for entry in history if entry.turn in turns]
            (own if len(noted) == len(history) else shared).extend(noted)
        # Retracting an entry restores the one that it replaced, so the newest comes first.
        for entry in own:
            memory.retract(entry.id, scope)
        self.erase_conversation(_conversation(name), scope)
        for entry in own:
            with suppress(NotFound):  # erased with the conversation
                memory.forget(entry.id, scope)
        for entry in shared:
            memory.retract(entry.id, scope)
        return len({entry.turn for entry in (*own, *shared)})

    def _all_lessons(self, scope: Scope) -> Sequence[Entry]:
        """Return all active lessons of the user, newest first."""
        return self.assistant.memory.find(scope, EntryFilter(kind=LESSON.name), _MOST).entries

    def _turns(self, name: str, scope: Scope) -> Sequence[Turn]:
        return self.assistant.runner.turn_store.turns(_conversation(name), scope, _MOST)

    def _tried(self, exercise: Exercise, turn: Turn) -> TriedCase:
        said = turn.reply.answer if turn.state is TurnState.ANSWERED else ""
        return TriedCase(exercise, said, self.matches(exercise.answer, said), turn.used)

    def _ask(
        self, runner: TurnRunner, exercise: Exercise, name: str, scope: Scope, left_out: tuple[str, ...] = ()
    ) -> Turn:
        """Return the turn of an exercise, failed if only this exercise has no answer. Raises ModelError otherwise."""
        self.assistant.allowance.turn(scope)
        turn = turn_changes.create_turn(exercise.question, scope, _conversation(name), runner.model.name)
        with closing(runner.run(replace(turn, left_out=left_out), scope, ())) as events:
            for event in events:
                if isinstance(event, Finished):
                    error = event.turn.error if event.turn.state is TurnState.FAILED else None
                    if error and error.code not in {one.code for one in _OF_ONE_CASE}:
                        raise ModelError(error.code, **error.parameters)
                    return event.turn
                if self.is_stopped():
                    break
        raise StreamCut


def _conversation(name: str) -> str:
    """Return the id of the conversation of a practice."""
    return f"{PRACTISED}{sha256(name.encode()).hexdigest()[:16]}"
