"""Events of a turn, as `Assistant.ask` yields them, and events for listeners."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import reduce

from typing_extensions import Unpack

from assistant.reply.fields import LookupFields, Trace
from assistant.types import Entry, Turn, TurnState


class Phase(StrEnum):
    """Progress of a turn before the first word."""

    LOOKING = "looking"  # retrieval
    THINKING = "thinking"  # the model was called
    LOADING = "loading"  # its server loads the model
    READING = "reading"  # a server on this machine reads the question


class Sign(str):
    """An empty piece of a reply with the phase of the server."""

    phase: Phase

    def __new__(cls, phase: Phase) -> Sign:
        sign = super().__new__(cls)
        sign.phase = phase
        return sign


@dataclass(frozen=True, slots=True)
class Started:
    """A turn began."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Retrieval and gate are done: `turn.decisions` is complete."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class Waiting:
    """The model is working; the generator can be closed here."""

    turn: str
    phase: Phase | None = None  # if its server reports it


@dataclass(frozen=True, slots=True)
class UnderstandingText:
    """A piece of the understanding."""

    turn: str
    text: str


@dataclass(frozen=True, slots=True)
class AnswerText:
    """A piece of the answer."""

    turn: str
    text: str


@dataclass(frozen=True, slots=True)
class LookupFinished:
    """The model made a lookup (`assistant.papers.memllm.lookups`); with all lookups so far."""

    turn: str
    looked: Sequence[LookupFields]


@dataclass(frozen=True, slots=True)
class Saved:
    """A clarification was saved durably, for the turn `corrected`."""

    entry: Entry
    corrected: Turn


@dataclass(frozen=True, slots=True)
class Finished:
    """A turn ended, with its `state`, and is recorded."""

    turn: Turn


Event = Started | Retrieved | Waiting | UnderstandingText | AnswerText | LookupFinished | Saved | Finished


@dataclass(frozen=True, slots=True)
class RunState:
    """Displayed state of one run, folded from its events."""

    turns: Mapping[str, Turn] = field(default_factory=dict)  # by id; a running one has the reply so far
    noted: Mapping[str, Entry] = field(default_factory=dict)  # saved clarifications, by id
    answering: str = ""  # id of the last turn that began
    phase: Phase | None = None  # of that turn, while it runs

    @property
    def turn(self) -> Turn:
        """Return the last turn that began. Raises KeyError if there is none yet."""
        return self.turns[self.answering]

    def after(self, events: Iterable[Event]) -> RunState:
        """Return the state after more events."""
        return reduce(RunState._after, events, self)

    def ended(self, end: Callable[[Turn], Turn]) -> RunState:
        """Return the state after the reader left, with `end` applied to running turns."""
        return self.after(Finished(end(turn)) for turn in self.turns.values() if turn.state is TurnState.RUNNING)

    def _after(self, event: Event) -> RunState:  # noqa: PLR0911  one per kind of event
        match event:
            case Started(turn) | Retrieved(turn) | Finished(turn):
                return replace(self._with(turn), answering=turn.id, phase=_PHASES.get(type(event)))
            case Waiting(turn_id, phase=Phase() as phase) if turn_id == self.answering:
                return replace(self, phase=phase)
            case Saved(entry, corrected):
                return replace(self._with(corrected), noted={**self.noted, entry.id: entry})
            case UnderstandingText(turn_id, text):
                return self._grown(turn_id, understanding=text)
            case AnswerText(turn_id, text):
                return self._grown(turn_id, answer=text)
            case LookupFinished(turn_id, looked):
                return self._grown(turn_id, looked=tuple(looked))
        return self

    def _with(self, turn: Turn) -> RunState:
        return replace(self, turns={**self.turns, turn.id: turn})

    def _grown(self, turn_id: str, understanding: str = "", answer: str = "", **further: Unpack[Trace]) -> RunState:
        turn = self.turns[turn_id]
        understanding, answer = turn.reply.understanding + understanding, turn.reply.answer + answer
        reply = turn.reply.with_fields(understanding=understanding, answer=answer, **further)
        return replace(self._with(replace(turn, reply=reply)), phase=self.phase and Phase.THINKING)


_PHASES: Mapping[type[Event], Phase] = {Started: Phase.LOOKING, Retrieved: Phase.THINKING}


@dataclass(frozen=True, slots=True)
class Answered:
    """A turn was answered and recorded."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class Clarified:
    """The user clarified a turn; sent when the turn that answers again is over."""

    turn: Turn
    words: str
    entry: Entry
    answered: Turn | None = None  # that turn, possibly failed; None if there is none or it was stopped


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The user confirmed the answer of a turn."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class Excluded:
    """The user excluded an entry from an answer that used it."""

    turn: Turn
    entry_id: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """The user chose a note that had not been used."""

    turn: Turn
    entry_id: str


TurnEvent = Answered | Clarified | Confirmed | Excluded | Chosen
"""Events for listeners."""
