"""Sections of a prompt, with their content and their rank for cutting. To add one, pass it to `PromptBuilder`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from assistant.prompt.envelope import Row
from assistant.text.cleaning import clean_for_prompt
from assistant.types import Action, Decision, Entry, Message, Scope, Turn, day_of

_LONGEST_MENTION = 300  # characters of an earlier question or understanding
_READINGS = "If it may well mean something else, write <readings>what, a line each, as understandings</readings> last."


@dataclass(frozen=True, slots=True)
class PromptInput:
    """A question with the context of its prompt."""

    question: str
    scope: Scope
    decisions: Sequence[Decision] = ()
    history: Sequence[Turn] = ()  # earlier turns for the prompt, oldest first
    previous: Turn | None = None  # the turn that the question may correct
    today: date | None = None  # day of the question

    def entries(self, action: Action) -> list[Entry]:
        return [decision.entry for decision in self.decisions if decision.action is action]

    def without(self, ids: Sequence[str]) -> "PromptInput":
        """Return a copy without the decisions about some entries."""
        return replace(self, decisions=[decision for decision in self.decisions if decision.entry.id not in ids])


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a section: messages before the question, or a row in the section's block."""

    id: str  # of the entry or turn; empty if it is neither
    messages: tuple[Message, ...] = ()
    row: Row | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a prompt. If several sections have an item for an entry, the last one gets it."""

    name: str  # lower-case letters; also of its block, if any
    items: Callable[[PromptInput], Sequence[Item]]  # in the order of the prompt
    rank: int | None  # lower ranks are cut first (`PromptBuilder._cut_to_budget`); None is never cut
    first: int = -1  # index of the item that is cut first
    told: str = ""  # description of its block for the system text, in one line


Hint = Callable[[PromptInput], Sequence[str]]
"""Returns additional sentences for the prompt of a question, if any."""


def readings_hint(asking: PromptInput) -> list[str]:
    """Request other readings of a question without notes (a `Hint`)."""
    has_notes = asking.entries(Action.USE) or asking.entries(Action.OFFER)
    return [] if has_notes else [_READINGS]


def _used(asking: PromptInput) -> list[Item]:
    return [Item(entry.id, row=_row(entry, asking)) for entry in asking.entries(Action.USE)]


def _offered(asking: PromptInput) -> list[Item]:
    """Return the offered notes, numbered for the reply."""
    offered = enumerate(asking.entries(Action.OFFER), start=1)
    return [Item(entry.id, row={"note": number, **_row(entry, asking)}) for number, entry in offered]


def _previous(asking: PromptInput) -> list[Item]:
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
"""The blocks before every question, in order."""


def _mention(text: str) -> str:
    text = clean_for_prompt(text)
    return text if len(text) <= _LONGEST_MENTION else text[: _LONGEST_MENTION - 1] + "…"


def _row(entry: Entry, asking: PromptInput) -> Row:
    """Return an entry as data, with its author and day if they differ from those of the question."""
    is_unasked = entry.kind.asserts and entry.question == entry.shown
    about = {} if is_unasked else {"about": _mention(entry.question)}
    row = {**about, **entry.prompted}
    if entry.owner != asking.scope.person:
        row["by"] = "someone else, for everyone"
    if (day := day_of(entry.created, asking.scope.zone)) != asking.today:
        row["on"] = day.isoformat()
    return row
