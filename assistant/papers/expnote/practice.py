"""Practice: a model answers questions, is told the right answers, and notes lessons; others show what they are worth.

The questions that it learns from (ExpNote, section 3.1) are asked in one conversation, each as if it were the first
there; so what was practised is known by its turns, and whoever stops can go on. Its lessons are proposals: they count
in that conversation only, until the person keeps them. Questions that were held out are asked with the lessons of the
practice and without them (section 4.2), and nothing is kept of that.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import count
from typing import Self

from assistant import life
from assistant.conversation import Assistant
from assistant.errors import ModelError, NotFound, StreamCut
from assistant.events import Finished, Happening
from assistant.feedback.clarifications import remember_anew
from assistant.feedback.learning import CountReactions
from assistant.kinds import LESSON, Lesson
from assistant.limits import UNLIMITED
from assistant.models.embedded.lessons import LessonBook
from assistant.papers.expnote.exercises import Exercise
from assistant.papers.expnote.finding import Bearing
from assistant.papers.expnote.learning import Case, Drawn, lesson_from
from assistant.papers.expnote.noting import Noting
from assistant.papers.expnote.results import HeldOut, Tried
from assistant.papers.expnote.weighing import weigh
from assistant.ports import Allowance, ChatModel, Conversations, OwnEntries, Turns
from assistant.prompt.prompt import Prompting
from assistant.reply.fields import LEARNT, UNNOTED
from assistant.reports.listing import LONGEST_TITLE, EntryFilter
from assistant.text.words import as_words
from assistant.turn import TurnParts, TurnRunner
from assistant.types import PRACTISED, Entry, Scope, Status, Turn, TurnState

MOST_TRIES = 3
"""A question that failed so often is passed over."""
_MOST_LESSONS = 1_000
_MOST_TURNS = 10_000

IsStopped = Callable[[], bool]
Draw = Callable[[Case, Sequence[Entry], Scope, IsStopped], Drawn | None]
"""The lesson that a model draws from a case, beside those that the person has. Raises ModelError and TooOften."""
IsRight = Callable[[str, str], bool]
"""Whether the right answer, first, is what was said."""


def by_rule(book: LessonBook) -> Draw:
    """As the embedded model draws lessons."""
    return lambda case, lessons, *_: lesson_from(case, lessons, book)


def by_noting(model: ChatModel, prompting: Prompting, bearing: Bearing, allowance: Allowance = UNLIMITED) -> Draw:
    """As a language model writes them, each as one more answer; it recalls those that bear on some words."""

    def draw(case: Case, lessons: Sequence[Entry], scope: Scope, is_stopped: IsStopped) -> Drawn | None:
        allowance.turn(scope)
        return Noting(model, prompting, lambda words: [lessons[at] for at in bearing(words, lessons)])(case, is_stopped)

    return draw


def learn(
    turn: Turn,
    case: Case,
    draw: Draw,
    memory: OwnEntries,
    scope: Scope,
    *,
    was_right: bool,
    is_stopped: IsStopped = lambda: False,
    only_in: str = "",
) -> Drawn | None:
    """Count for and against the lessons that the answer of a turn rests on, and note the one that its case teaches.

    With `only_in`, the id of a conversation, all of this has an effect in that one alone.

    Raises ModelError, TooOften and StoreError.
    """
    used = {entry_id: memory.entry(entry_id, scope) for entry_id in turn.used}
    own = tuple(entry_id for entry_id, entry in used.items() if entry.only_in == only_in)
    weigh(replace(turn, used=own), memory, scope, was_right=was_right)
    known = [
        entry if was_right or entry.id not in used or entry.id in own else replace(entry, helped=0, hurt=1)
        for entry in counting(memory, scope, only_in)
    ]
    drawn = draw(case, known, scope, is_stopped)
    if drawn:
        refuted = drawn.refuted if drawn.refuted and drawn.refuted.only_in == only_in else None
        noted = Drawn(drawn.lesson.model_copy(update={"only_in": only_in}), refuted)
        memory.remember(noted.draft(turn.model, turn.id), scope)
    return drawn


def lessons(memory: OwnEntries, scope: Scope) -> list[Entry]:
    """A person's, the newest first."""
    return next(_pages(memory, scope), [])


def counting(memory: OwnEntries, scope: Scope, conversation: str = "") -> list[Entry]:
    """Return those of them that are used in a conversation; without one, in all."""
    return [entry for entry in lessons(memory, scope) if not entry.resting and entry.counts_in(conversation)]


def _pages(memory: OwnEntries, scope: Scope) -> Iterator[list[Entry]]:
    """All lessons of a person that are active, the newest first."""
    wanted = EntryFilter(kind=LESSON.name)
    for first in count(0, _MOST_LESSONS):
        page = memory.find(scope, wanted, _MOST_LESSONS, first)
        yield [*page.entries]
        if first + _MOST_LESSONS >= page.total:
            return


def says(answer: str, said: str) -> bool:
    """Whether a text, as a language model writes it, has an answer in it as words, whatever sign that ends with."""
    return bool(as_words(answer.strip(" .!") or answer).search(said.casefold()))


@dataclass(frozen=True, slots=True)
class Practice:
    """See the module. Every method raises StoreError; those that ask the model raise ModelError and TooOften too."""

    assistant: Assistant
    conversations: Conversations
    bearing: Bearing  # by which a language model recalls
    draw: Draw
    is_right: IsRight
    is_stopped: IsStopped = lambda: False  # asked now and then; who stops it has StreamCut raised

    def with_parts(self, parts: TurnParts) -> Self:
        """The same with a language model and what suits it in the place of parts of the loop; with none, as it is."""
        if not parts:
            return self
        draw = by_noting(parts["model"], parts["prompting"], self.bearing, self.assistant.allowance)
        return replace(self, assistant=self.assistant.with_parts(parts), draw=draw, is_right=says)

    def cases(self, name: str, cases: Sequence[Exercise], scope: Scope, title: str = "") -> Iterator[Tried]:
        """Go through the cases of the practice of a name, in order; those that were asked before come as they were.

        `title` is what people call it, where that is not its name. Ends after one that failed, with why; it is asked
        again the next time, `MOST_TRIES` times in all. So it is with one of which nothing could be noted.
        """
        asked = self._turns(name, scope)
        answered: dict[str, deque[Turn]] = defaultdict(deque)
        for turn in asked:
            if turn.state is TurnState.ANSWERED:
                answered[turn.question].append(turn)
        failed = Counter(turn.question for turn in asked if turn.state is TurnState.FAILED)
        is_named = bool(asked)
        # What a question tells besides, is nothing that the person said.
        runner = replace(self.assistant.runner, learn=CountReactions(self._memory))
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
            is_over = tried.error or LEARNT in turn.reply.fields
            yield tried if is_over else replace(tried, fresh=True, lesson=self._learnt(tried, turn, scope))
            if tried.error:
                return

    def tests(self, name: str, held_out: Sequence[Exercise], scope: Scope) -> Iterator[HeldOut]:
        """Ask held-out questions with the lessons of the practice, and without.

        One that failed is wrong both times, with why. Ends where `MOST_TRIES` failed one after the other.
        """
        failed = 0
        learnt = tuple(entry.id for entry in self.lessons(name, scope))
        runner = replace(self.assistant.runner, learn=_nothing, turn_store=_Unkept())
        for exercise in held_out:
            before = after = self._answer(runner, self._asked(exercise, name, scope), scope)
            if {decision.entry.id for decision in after.decisions}.intersection(learnt):
                without = replace(self._asked(exercise, name, scope), left_out=learnt)
                before = self._answer(runner, without, scope)
            with_lessons, unaided = self._tried(exercise, after), self._tried(exercise, before)
            if error := with_lessons.error or unaided.error:
                yield HeldOut(before=False, after=Tried(exercise, "", right=False, error=error))
            else:
                yield HeldOut(unaided.right, replace(with_lessons, fresh=True))
            failed = failed + 1 if error else 0
            if failed == MOST_TRIES:
                return

    def lessons(self, name: str, scope: Scope) -> list[Entry]:
        """What was noted in the practice of a name, the newest first."""
        turns = {turn.id for turn in self._turns(name, scope)}
        return [entry for page in _pages(self._memory, scope) for entry in page if entry.turn in turns]

    def keep(self, name: str, scope: Scope) -> int:
        """Use the lessons of a practice for all questions from now on, and return how many those are.

        One that is paused, as it hurt, stays a proposal.
        """
        proposed = [entry for entry in self.lessons(name, scope) if entry.only_in and not entry.resting]
        for entry in reversed(proposed):
            body = Lesson.model_validate({**entry.body.stored(), "only_in": ""})
            further = tuple(key for key in entry.keys if key.text != entry.question)
            kept = replace(Drawn(body, entry).draft(entry.model, entry.turn), further_keys=further)
            remember_anew(kept, self._memory, scope, Status.SUPERSEDED, Status.RETRACTED)
        return len(proposed)

    def forget(self, name: str, scope: Scope) -> int:
        """Take the lessons of a practice back as a whole, and erase them and its questions; how many lessons they were.

        One that stands in the history of a lesson from elsewhere is only taken back: erasing it would erase that too.
        """
        if not (turns := {turn.id for turn in self._turns(name, scope)}):
            return 0
        lines = [*self._lines(scope)]
        whole = [line for line in lines if turns.issuperset(entry.turn for entry in line)]
        shared = [line for line in lines if line not in whole]
        count = self._retract(whole, turns, scope)
        self.conversations.erase(_conversation(name), scope)
        count += self._retract(shared, turns, scope)  # a proposal that is taken back goes with its conversation
        for first, *_ in whole:
            with suppress(NotFound):  # it went with another one
                self._memory.forget(first.id, scope)
        return count

    def _retract(self, lines: Sequence[Sequence[Entry]], turns: Collection[str], scope: Scope) -> int:
        """Take back the lessons of these turns, and return how many they were."""
        noted = [entry for line in lines for entry in line if entry.turn in turns]
        for entry in sorted(noted, key=lambda entry: -entry.sequence):  # what one took the place of comes back
            self._memory.retract(entry.id, scope)
        return len({entry.turn for entry in noted})

    def _lines(self, scope: Scope) -> Iterator[list[Entry]]:
        """Each lesson, with those whose place it took, which would come back once it is taken back."""
        for page in _pages(self._memory, scope):
            earlier = self._memory.earlier([entry.id for entry in page], scope)
            yield from ([entry, *earlier.get(entry.id, ())] for entry in page)

    def _learnt(self, tried: Tried, turn: Turn, scope: Scope) -> str:
        told = tried.exercise.answer if tried.right else tried.said
        case = Case(tried.exercise.question, tried.exercise.answer, told)
        try:
            drawn = learn(
                turn,
                case,
                self.draw,
                self._memory,
                scope,
                was_right=tried.right,
                is_stopped=self.is_stopped,
                only_in=turn.conversation,
            )
        except ModelError:
            failed = turn.reply.fields.get(UNNOTED, 0) + 1
            self._mark(turn, scope, **{UNNOTED: failed, LEARNT: failed >= MOST_TRIES or None})
            raise
        self._mark(turn, scope, **{LEARNT: True})
        return drawn.lesson.rule if drawn else ""

    def _mark(self, turn: Turn, scope: Scope, **fields: object) -> None:
        marked = replace(turn, reply=turn.reply.with_fields(**fields))
        self.assistant.runner.turn_store.record(marked, scope)

    def _tried(self, exercise: Exercise, turn: Turn) -> Tried:
        said = turn.reply.answer
        error = turn.error if turn.state is TurnState.FAILED else None
        return Tried(exercise, said, self.is_right(exercise.answer, said), turn.used, error=error)

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

    def _turns(self, name: str, scope: Scope) -> Sequence[Turn]:
        return self.assistant.runner.turn_store.turns(_conversation(name), scope, _MOST_TURNS)

    @property
    def _memory(self) -> OwnEntries:
        return self.assistant.memory


def _conversation(name: str) -> str:
    """The id of the conversation of a practice: the same for the same name."""
    return f"{PRACTISED}{sha256(name.encode()).hexdigest()[:16]}"


def _nothing(happening: Happening, scope: Scope) -> None:
    """Nothing is learnt of a test."""


class _Unkept(Turns):
    """Implements `Turns` for what nobody keeps."""

    def record(self, turn: Turn, scope: Scope) -> None:
        """Not at all."""

    def mark(self, turn: Turn, scope: Scope) -> None:
        """Not at all."""

    def turn(self, turn_id: str, scope: Scope) -> Turn:  # noqa: ARG002
        raise NotFound

    def turns(self, conversation: str, scope: Scope, limit: int = 50) -> Sequence[Turn]:  # noqa: ARG002
        return ()

    def having(self, field: str, scope: Scope, limit: int = 50) -> Sequence[Turn]:  # noqa: ARG002
        return ()
