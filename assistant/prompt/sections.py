"""The parts of a prompt about one question: what each says, and which goes first where there is no room for all.

A further part is one more value, passed to `assistant.prompt.prompt.PromptBuilder`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from assistant.prompt.envelope import Row
from assistant.text.cleaning import for_prompt
from assistant.types import Action, Decision, Entry, Message, Scope, Turn, day_of

_LONGEST_MENTION = 300  # characters of an earlier question or understanding beside the question
_READINGS = "If it may well mean something else, write <readings>what, a line each, as understandings</readings> last."


@dataclass(frozen=True, slots=True)
class Asking:
    """A question, and what is known of it."""

    question: str
    scope: Scope
    decisions: Sequence[Decision] = ()
    history: Sequence[Turn] = ()  # that the model may see again, oldest first
    previous: Turn | None = None  # the turn that the question may be a correction of
    today: date | None = None  # the day on which it is asked

    def entries(self, action: Action) -> list[Entry]:
        """Return the entries for which an action is decided."""
        return [decision.entry for decision in self.decisions if decision.action is action]

    def without(self, ids: Sequence[str]) -> "Asking":
        """Return the same without the decisions about some entries."""
        return replace(self, decisions=[decision for decision in self.decisions if decision.entry.id not in ids])


@dataclass(frozen=True, slots=True)
class Item:
    """One thing in a section: messages of its own, before the question, or a row of the section's block beside it."""

    id: str  # of the entry or turn; empty where it is none
    messages: tuple[Message, ...] = ()
    row: Row | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a prompt. The last section with an item for an entry is the one that holds it.

    `PromptBuilder._cut_to_budget` leaves items out by `rank`.
    """

    name: str  # lower-case letters; of its block, where it has one
    items: Callable[[Asking], Sequence[Item]]  # in the order in which they are written
    rank: int | None  # None: it is never left out
    first: int = -1  # the place of the item that goes first
    told: str = ""  # what the system text says of its block, in a line of its own


Hint = Callable[[Asking], Sequence[str]]
"""Returns the sentences that a prompt says beside a question; none where it does not need them."""


def asks_readings(asking: Asking) -> list[str]:
    """Ask for other readings of a question without notes (a `Hint`)."""
    has_notes = asking.entries(Action.USE) or asking.entries(Action.OFFER)
    return [] if has_notes else [_READINGS]


def _used(asking: Asking) -> list[Item]:
    return [Item(entry.id, row=_row(entry, asking)) for entry in asking.entries(Action.USE)]


def _offered(asking: Asking) -> list[Item]:
    """Return the offered notes with numbers by which the reply can name them."""
    offered = enumerate(asking.entries(Action.OFFER), start=1)
    return [Item(entry.id, row={"note": number, **_row(entry, asking)}) for number, entry in offered]


def _previous(asking: Asking) -> list[Item]:
    turn = asking.previous
    if turn is None or not (turn.reply.understanding or turn.reply.answer):
        return []
    row = {"question": _mention(turn.question), "understanding": _mention(turn.reply.understanding)}
    return [Item(turn.id, row=row)]


BLOCKS = (
    Section("clarification", _used, rank=None),
    Section("offered", _offered, rank=40),
    Section("previous", _previous, rank=30),
)
"""What stands beside every question, in this order."""


def _mention(text: str) -> str:
    text = for_prompt(text)
    return text if len(text) <= _LONGEST_MENTION else text[: _LONGEST_MENTION - 1] + "…"


def _row(entry: Entry, asking: Asking) -> Row:
    """Return an entry as data, with its author and day if they are not those of the question."""
    is_unasked = entry.kind.asserts and entry.question == entry.shown
    about = {} if is_unasked else {"about": _mention(entry.question)}
    row = {**about, **entry.prompted}
    if entry.owner != asking.scope.person:
        row["by"] = "someone else, for everyone"
    if (day := day_of(entry.created, asking.scope.zone)) != asking.today:
        row["on"] = day.isoformat()
    return row
