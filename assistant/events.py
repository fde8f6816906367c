"""What happens in a turn, as it happens: what `Assistant.ask` and its like hand out, one after the other."""

from dataclasses import dataclass

from assistant.types import Entry, Turn


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
class Noted:
    """A clarification is saved, durably: `entry`, for the turn `corrected`."""

    entry: Entry
    corrected: Turn


@dataclass(frozen=True, slots=True)
class Finished:
    """A turn came to an end and is recorded. `turn.state` says how: answered, stopped, failed, or a correction."""

    turn: Turn


Event = Started | Recalled | Waiting | UnderstandingText | AnswerText | Noted | Finished
