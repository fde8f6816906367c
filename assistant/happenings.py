"""What happened with a turn that something may be learnt from: what `Assistant` tells every `Learn`."""

from dataclasses import dataclass

from assistant.types import Entry, Turn


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
