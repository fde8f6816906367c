"""Events of a turn, which `Assistant.ask` and its like hand out one after the other, and what listeners hear of.

Every door takes them together by `RunSoFar`; the doors differ in how they draw that, and in nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import reduce

from typing_extensions import Unpack

from assistant.reply.fields import Looked, Trace
from assistant.types import Entry, Turn, TurnState


class Phase(StrEnum):
    """What is being done for the turn that is being answered."""

    LOOKING = "looking"  # into memory
    THINKING = "thinking"  # the model has been asked
    LOADING = "loading"  # its server loads it first
    READING = "reading"  # a server of this machine reads the question


class Sign(str):
    """An empty piece of a reply that says what the server does meanwhile."""

    phase: Phase

    def __new__(cls, phase: Phase) -> Sign:
        sign = super().__new__(cls)
        sign.phase = phase
        return sign


@dataclass(frozen=True, slots=True)
class Started:
    """A turn began. Nothing is decided yet."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class Recalled:
    """Recall and gate are done: `turn.decisions` holds what was found and why it is used or left out."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class Waiting:
    """The model is at work and nothing has come for a moment. Whoever wants to stop can do so here."""

    turn: str
    phase: Phase | None = None  # what its server does meanwhile, where it says so


@dataclass(frozen=True, slots=True)
class UnderstandingText:
    """The next piece of the understanding."""

    turn: str
    text: str


@dataclass(frozen=True, slots=True)
class AnswerText:
    """The next piece of the answer."""

    turn: str
    text: str


@dataclass(frozen=True, slots=True)
class LookedUp:
    """The model looked something up in the middle of its reply: all so far (`assistant.papers.memllm.lookups`)."""

    turn: str
    looked: Sequence[Looked]


@dataclass(frozen=True, slots=True)
class Noted:
    """A clarification is saved, durably: `entry`, for the turn `corrected`."""

    entry: Entry
    corrected: Turn


@dataclass(frozen=True, slots=True)
class Finished:
    """A turn came to an end and is recorded. `turn.state` says how: answered, stopped, failed, or a correction."""

    turn: Turn


Event = Started | Recalled | Waiting | UnderstandingText | AnswerText | LookedUp | Noted | Finished


@dataclass(frozen=True, slots=True)
class RunSoFar:
    """What the events of one run come to: the one fold of events into what is shown."""

    turns: Mapping[str, Turn] = field(default_factory=dict)
    """Those it touches, by id; the reply of one that is running holds what has come."""
    noted: Mapping[str, Entry] = field(default_factory=dict)
    """The clarifications that were saved, by id."""
    answering: str = ""  # id of the last turn that began; empty before there is one
    phase: Phase | None = None  # of that turn, while it runs

    @property
    def turn(self) -> Turn:
        """The last turn that began. Raises KeyError: there is none yet."""
        return self.turns[self.answering]

    def after(self, events: Iterable[Event]) -> RunSoFar:
        """What it comes to with these events."""
        return reduce(RunSoFar._after, events, self)

    def ended(self, end: Callable[[Turn], Turn]) -> RunSoFar:
        """Nobody hears more of it: what is still running ends so, with what has come of it."""
        return self.after(Finished(end(turn)) for turn in self.turns.values() if turn.state is TurnState.RUNNING)

    def _after(self, event: Event) -> RunSoFar:  # noqa: PLR0911  one per kind of event
        match event:
            case Started(turn) | Recalled(turn) | Finished(turn):
                return replace(self._with(turn), answering=turn.id, phase=_PHASES.get(type(event)))
            case Waiting(turn_id, phase=Phase() as phase) if turn_id == self.answering:
                return replace(self, phase=phase)
            case Noted(entry, corrected):
                return replace(self._with(corrected), noted={**self.noted, entry.id: entry})
            case UnderstandingText(turn_id, text):
                return self._grown(turn_id, understanding=text)
            case AnswerText(turn_id, text):
                return self._grown(turn_id, answer=text)
            case LookedUp(turn_id, looked):
                return self._grown(turn_id, looked=tuple(looked))
        return self

    def _with(self, turn: Turn) -> RunSoFar:
        return replace(self, turns={**self.turns, turn.id: turn})

    def _grown(self, turn_id: str, understanding: str = "", answer: str = "", **further: Unpack[Trace]) -> RunSoFar:
        turn = self.turns[turn_id]
        understanding, answer = turn.reply.understanding + understanding, turn.reply.answer + answer
        reply = turn.reply.with_fields(understanding=understanding, answer=answer, **further)
        return replace(self._with(replace(turn, reply=reply)), phase=self.phase and Phase.THINKING)


_PHASES: Mapping[type[Event], Phase] = {Started: Phase.LOOKING, Recalled: Phase.THINKING}


@dataclass(frozen=True, slots=True)
class Answered:
    """A turn was answered and is recorded."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class Clarified:
    """The person said what they meant by a turn, in these words, which are saved as an entry.

    Told when the turn that answers again is over: `answered`, which may have failed; None where there is none, or where
    it was stopped.
    """

    turn: Turn
    words: str
    entry: Entry
    answered: Turn | None = None


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The person said that the answer of a turn is right."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The person had an entry left out of an answer that rested on it."""

    turn: Turn
    entry_id: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """The person had a note used that had been passed over."""

    turn: Turn
    entry_id: str


Happening = Answered | Clarified | Confirmed | LeftOut | Chosen
"""What happened with a turn that something may be learnt from: what `Assistant` tells every listener."""
