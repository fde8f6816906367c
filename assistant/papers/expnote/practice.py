"""Practice: a model answers exercises, is told the right answers and notes lessons (ExpNote, section 3.1, training).

Exercises are asked in one conversation, each as if it were the first there. So what was practised is known by its
turns, and who stops can go on. The lessons are proposals: they are used in that conversation only, until the user keeps
them. Held-out exercises are asked with the lessons and without them (section 4.4), and nothing is stored of that.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import count
from typing import Self

from assistant import life
from assistant.conversation import Assistant
from assistant.errors import ModelError, NotFound, StreamCut
from assistant.events import Finished
from assistant.feedback.clarifications import remember_anew
from assistant.feedback.learning import CountReactions
from assistant.kinds import LESSON, Lesson
from assistant.language.languages import Languages
from assistant.papers.expnote.exercises import Exercise, Tried
from assistant.papers.expnote.feedback import weigh
from assistant.papers.expnote.noting import Case, Drawn, IsStopped, NoteByModel, NoteTaker
from assistant.papers.expnote.retrieval import known_lessons
from assistant.ports import Conversations, Memory, Turns
from assistant.reply.fields import LEARNT, UNNOTED
from assistant.reports.listing import LONGEST_TITLE, EntryFilter
from assistant.turn import TurnParts, TurnRunner
from assistant.types import PRACTISED, Entry, Scope, Status, Turn, TurnState

MOST_TRIES = 3
"""An exercise that failed so often is passed over."""
_MOST_LESSONS = 1_000  # of a page
_MOST_TURNS = 10_000


def learn(
    turn: Turn,
    case: Case,
    note_taker: NoteTaker,
    memory: Memory,
    scope: Scope,
    is_stopped: IsStopped = lambda: False,
    only_in: str = "",
) -> Drawn | None:
    """Weigh the lessons that the answer of a turn is based on, and store the one that its case teaches.

    With `only_in`, the id of a conversation, all of this has an effect in that one alone.

    Raises ModelError, TooOften and StoreError.
    """
    own = tuple(entry_id for entry_id in turn.used if memory.entry(entry_id, scope).only_in == only_in)
    weigh(replace(turn, used=own), memory, scope, was_right=case.was_right)
    denied = () if case.was_right else {*turn.used} - {*own}  # what is not weighed here gives way at once, here only
    drawn = note_taker.note(case, known_lessons(memory, scope, only_in, denied), scope, is_stopped)
    if drawn:
        refuted = drawn.refuted if drawn.refuted and drawn.refuted.only_in == only_in else None
        noted = Drawn(drawn.lesson.model_copy(update={"only_in": only_in}), refuted)
        memory.remember(noted.draft(turn.model, turn.id), scope)
    return drawn


@dataclass(frozen=True, slots=True)
class Practice:
    """See the module. Every method raises StoreError; those that ask the model raise ModelError and TooOften too."""

    assistant: Assistant
    conversations: Conversations
    note_taker: NoteTaker
    languages: Languages
    is_stopped: IsStopped = lambda: False

    def with_parts(self, parts: TurnParts) -> Self:
        """Return the same with a language model and what suits it; without parts, return it as it is."""
        if not parts:
            return self
        note_taker = NoteByModel(parts["model"], parts["prompting"], self.languages, self.assistant.allowance)
        return replace(self, assistant=self.assistant.with_parts(parts), note_taker=note_taker)

    def cases(self, name: str, cases: Sequence[Exercise], scope: Scope, title: str = "") -> Iterator[Tried]:
        """Yield how each case of a practice is answered, and note its lesson. What was done before comes as it was.

        It ends after a case without an answer, with the reason. That is asked again the next time, `MOST_TRIES` times
        in all, and so is a case of which no lesson could be written.

        Args:
            name: of the practice, by which it goes on.
            cases: in order.
            scope: who practises.
            title: of its conversation, where that is not the name.
        """
        asked = self._turns(name, scope)
        answered: dict[str, deque[Turn]] = defaultdict(deque)
        for turn in asked:
            if turn.state is TurnState.ANSWERED:
                answered[turn.question].append(turn)
        failed = Counter(turn.question for turn in asked if turn.state is TurnState.FAILED)
        is_named = bool(asked)
        # A statement in an exercise is nothing that the user said.
        runner = replace(self.assistant.runner, learn=CountReactions(self.assistant.memory))
        for case in cases:
            if known := answered[case.question]:
                turn = known.popleft()
            elif failed[case.question] >= MOST_TRIES:
                yield Tried(case, "", right=False)
                continue
            else:
                turn = self._answer(runner, self._asked(case, name, scope), scope)
                if not is_named:
                    self.conversations.rename(turn.conversation, (title or name)[:LONGEST_TITLE], scope)
                    is_named = True
            tried = self._tried(case, turn)
            if not tried.error and LEARNT not in turn.reply.fields:
                tried = replace(tried, fresh=True, lesson=self._note(tried, turn, scope))
            yield tried
            if tried.error:
                return

    def _note(self, tried: Tried, turn: Turn, scope: Scope) -> str:
        """Learn from a case, mark its turn as learnt from, and return the rule that was noted."""
        exercise, memory = tried.exercise, self.assistant.memory
        case = Case(exercise.question, exercise.answer, exercise.answer if tried.right else tried.said)
        try:
            drawn = learn(turn, case, self.note_taker, memory, scope, self.is_stopped, turn.conversation)
        except ModelError:
            if not self.is_stopped():
                failed = turn.reply.fields.get(UNNOTED, 0) + 1
                self._mark(turn, scope, **{UNNOTED: failed, LEARNT: failed >= MOST_TRIES or None})
            raise
        self._mark(turn, scope, **{LEARNT: True})
        return drawn.lesson.rule if drawn else ""

    def _mark(self, turn: Turn, scope: Scope, **fields: object) -> None:
        marked = replace(turn, reply=turn.reply.with_fields(**fields))
        self.assistant.runner.turn_store.record(marked, scope)

    def tests(self, name: str, held_out: Sequence[Exercise], scope: Scope) -> Iterator[Tried]:
        """Yield how held-out exercises are answered with the lessons of a practice, and without (section 4.4).

        One without an answer is wrong both times, with the reason. Ends where `MOST_TRIES` failed one after the other.
        """
        failed = 0
        learnt = tuple(entry.id for entry in self.lessons(name, scope))
        runner = replace(self.assistant.runner, learn=lambda *_: None, turn_store=_NoTurns())
        for exercise in held_out:
            turn = self._answer(runner, self._asked(exercise, name, scope), scope)
            after = before = self._tried(exercise, turn)
            if {decision.entry.id for decision in turn.decisions}.intersection(learnt):
                without = replace(self._asked(exercise, name, scope), left_out=learnt)
                before = self._tried(exercise, self._answer(runner, without, scope))
            if error := after.error or before.error:
                yield Tried(exercise, "", right=False, error=error)
            else:
                yield replace(after, fresh=True, before=before.right)
            failed = failed + 1 if error else 0
            if failed == MOST_TRIES:
                return

    def lessons(self, name: str, scope: Scope) -> list[Entry]:
        """Return what was noted in a practice, newest first."""
        turns = {turn.id for turn in self._turns(name, scope)}
        return [entry for page in self._pages(scope) for entry in page if entry.turn in turns]

    def keep(self, name: str, scope: Scope) -> int:
        """Use the lessons of a practice for all questions from now on, and return how many those are.

        One that is paused, as it hurt, stays a proposal.
        """
        proposed = [entry for entry in self.lessons(name, scope) if entry.only_in and not entry.resting]
        for entry in reversed(proposed):
            body = Lesson.model_validate({**entry.body.stored(), "only_in": ""})
            further = tuple(key for key in entry.keys if key.text != entry.question)
            kept = replace(Drawn(body, entry).draft(entry.model, entry.turn), further_keys=further)
            remember_anew(kept, self.assistant.memory, scope, Status.SUPERSEDED, Status.RETRACTED)
        return len(proposed)

    def forget(self, name: str, scope: Scope) -> int:
        """Retract the lessons of a practice, erase them and its turns, and return how many lessons they were.

        One that is in the history of a lesson from elsewhere is only retracted: erasing it would erase that too.
        """
        if not (turns := {turn.id for turn in self._turns(name, scope)}):
            return 0
        whole, shared = list[list[Entry]](), list[Entry]()
        for line in self._lines(scope):
            noted = [entry for entry in line if entry.turn in turns]
            if noted == line:
                whole.append(line)
            else:
                shared += noted
        own = [entry for line in whole for entry in line]
        self._retract(own, scope)
        self.conversations.erase(_conversation(name), scope)
        self._retract(shared, scope)  # after that: a proposal that is retracted is erased with its conversation
        for first, *_ in whole:
            with suppress(NotFound):  # it went with another one
                self.assistant.memory.forget(first.id, scope)
        return len({entry.turn for entry in (*own, *shared)})

    def _retract(self, noted: Iterable[Entry], scope: Scope) -> None:
        for entry in sorted(noted, key=lambda entry: -entry.sequence):  # what one had replaced comes back
            self.assistant.memory.retract(entry.id, scope)

    def _lines(self, scope: Scope) -> Iterator[list[Entry]]:
        """Yield each lesson with its history: those that it replaced, which come back once it is retracted."""
        for page in self._pages(scope):
            earlier = self.assistant.memory.earlier([entry.id for entry in page], scope)
            yield from ([entry, *earlier.get(entry.id, ())] for entry in page)

    def _pages(self, scope: Scope) -> Iterator[Sequence[Entry]]:
        """Yield all active lessons of the user, newest first."""
        for first in count(0, _MOST_LESSONS):
            page = self.assistant.memory.find(scope, EntryFilter(kind=LESSON.name), _MOST_LESSONS, first)
            yield page.entries
            if first + _MOST_LESSONS >= page.total:
                return

    def _turns(self, name: str, scope: Scope) -> Sequence[Turn]:
        return self.assistant.runner.turn_store.turns(_conversation(name), scope, _MOST_TURNS)

    def _asked(self, exercise: Exercise, name: str, scope: Scope) -> Turn:
        return life.asked(exercise.question, scope, _conversation(name), self.assistant.runner.model.name)

    def _answer(self, runner: TurnRunner, turn: Turn, scope: Scope) -> Turn:
        self.assistant.allowance.turn(scope)
        with closing(runner.run(turn, scope, ())) as events:
            for event in events:
                if isinstance(event, Finished):
                    return event.turn
                if self.is_stopped():
                    break
        raise StreamCut

    def _tried(self, exercise: Exercise, turn: Turn) -> Tried:
        said = turn.reply.answer
        error = turn.error if turn.state is TurnState.FAILED else None
        return Tried(exercise, said, self.note_taker.is_right(exercise.answer, said), turn.used, error=error)


def _conversation(name: str) -> str:
    """Return the id of the conversation of a practice: the same for the same name."""
    return f"{PRACTISED}{sha256(name.encode()).hexdigest()[:16]}"


class _NoTurns(Turns):
    """Implements `Turns` for turns that nobody stores."""

    def record(self, turn: Turn, scope: Scope) -> None:
        """Do nothing."""

    def mark(self, turn: Turn, scope: Scope) -> None:
        """Do nothing."""

    def turn(self, turn_id: str, scope: Scope) -> Turn:  # noqa: ARG002
        raise NotFound

    def turns(self, conversation: str, scope: Scope, limit: int = 50, before: str = "") -> Sequence[Turn]:  # noqa: ARG002
        return ()

    def having(self, field: str, scope: Scope, limit: int = 50) -> Sequence[Turn]:  # noqa: ARG002
        return ()
