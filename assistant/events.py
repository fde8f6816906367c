"""Events of a turn, as `Assistant.ask` yields them, and events for listeners."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import reduce

from assistant.reply.fields import LookupFields
from assistant.types import Entry, Reaction, Turn, TurnState


class Phase(StrEnum):
    """Progress of a turn before the first word."""

    LOOKING = "looking"  # retrieval
    THINKING = "thinking"  # the model was called
    LOADING = "loading"  # its server loads the model
    READING = "reading"  # a server on this machine reads the question
    QUEUED = "queued"  # other questions are before it


class Sign(str):
    """An empty piece of a reply with the phase of the server, and the number of requests before this one."""

    phase: Phase
    ahead: int

    def __new__(cls, phase: Phase, ahead: int = 0) -> Sign:
        sign = super().__new__(cls)
        sign.phase, sign.ahead = phase, ahead
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
    ahead: int = 0  # questions before it, while it is queued


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
    ahead: int = 0  # questions before it, while it is queued

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

    def _after(self, event: Event) -> RunState:
        answering, phase, ahead, noted = self.answering, self.phase, 0, self.noted
        match event:
            case Started(turn) | Retrieved(turn) | Finished(turn):
                answering = turn.id
                phase = None if isinstance(event, Finished) else Phase.LOOKING
                phase = Phase.THINKING if isinstance(event, Retrieved) else phase
            case Saved(entry, turn):
                noted = {**noted, entry.id: entry}
            case Waiting(turn_id, Phase() as reported, before) if turn_id == answering:
                turn, phase, ahead = self.turn, reported, before
            case UnderstandingText(turn_id, text) | AnswerText(turn_id, text):
                turn, phase = self.turns[turn_id], phase and Phase.THINKING
                reply = turn.reply
                if isinstance(event, AnswerText):
                    reply = reply.with_fields(answer=reply.answer + text)
                else:
                    reply = reply.with_fields(understanding=reply.understanding + text)
                turn = replace(turn, reply=reply)
            case LookupFinished(turn_id, looked):
                turn, phase = self.turns[turn_id], phase and Phase.THINKING
                turn = replace(turn, reply=turn.reply.with_fields(looked=tuple(looked)))
            case _:
                return self
        return RunState({**self.turns, turn.id: turn}, noted, answering, phase, ahead)


@dataclass(frozen=True, slots=True)
class Answered:
    """A turn was answered and recorded."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class Clarified:
    """The user clarified a turn; sent after the new answer has ended."""

    turn: Turn
    words: str
    entry: Entry
    answered: Turn | None = None  # the turn of the new answer, possibly failed; None without one, or if stopped


@dataclass(frozen=True, slots=True)
class Reacted:
    """The user confirmed an answer, excluded an entry that it used, or chose a note that it had not used."""

    turn: Turn
    reaction: Reaction
    entry_id: str = ""


TurnEvent = Answered | Clarified | Reacted
"""Events for listeners."""
