"""What a prompt is made of: the question with its context, and the rows of the blocks before it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from assistant.prompt.envelope import Row
from assistant.text.cleaning import clean_for_prompt
from assistant.types import Action, Decision, Entry, Message, Scope, Turn, day_of

BLOCKS = ("clarification", "offered", "previous")
"""The blocks before every question, in order."""
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


@dataclass(frozen=True, slots=True)
class Item:
    """One part of a prompt that can be left out: messages before the question, or a row of a block."""

    id: str  # of the entry or turn; empty if it is neither
    messages: tuple[Message, ...] = ()
    row: Row | None = None


Hint = Callable[[PromptInput], Sequence[str]]
"""Returns additional sentences for the prompt of a question, if any."""


def readings_hint(asking: PromptInput) -> list[str]:
    """Request other readings of a question without notes (a `Hint`)."""
    has_notes = asking.entries(Action.USE) or asking.entries(Action.OFFER)
    return [] if has_notes else [_READINGS]


def build_block_items(asking: PromptInput) -> dict[str, list[Item]]:
    """Return the rows of each block: used notes, offered notes with numbers for the reply, and the turn before."""
    turn, offered = asking.previous, enumerate(asking.entries(Action.OFFER), start=1)
    previous = []
    if turn and (turn.reply.understanding or turn.reply.answer):
        row = {"question": _mention(turn.question), "understanding": _mention(turn.reply.understanding)}
        previous = [Item(turn.id, row=row)]
    return {
        "clarification": [Item(entry.id, row=_row(entry, asking)) for entry in asking.entries(Action.USE)],
        "offered": [Item(entry.id, row={"note": number, **_row(entry, asking)}) for number, entry in offered],
        "previous": previous,
    }


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
