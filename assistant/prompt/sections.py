"""The parts of a prompt: its files, few-shot examples, the question with its context, and the rows of its blocks."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from assistant.errors import PromptError
from assistant.prompt.envelope import Row
from assistant.reply.grammar import GRAMMAR, Grammar
from assistant.sentences import Sentence
from assistant.sharing import find_exclusion
from assistant.text.cleaning import clean_for_prompt
from assistant.types import Action, Candidate, Decision, Entry, Message, Question, Scope, Turn, day_of

BLOCKS = ("clarification", "offered", "previous")
"""The blocks before every question, in order."""
_CONFIRMED = Sentence("example.confirmed")
_CONFIRMED_BY_OTHERS = Sentence("example.confirmed_by_others")
LONGEST_EXAMPLE = 1_200  # characters of question, understanding and answer; longer ones are not cut but omitted
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


@dataclass(frozen=True, slots=True)
class FixedExample:
    """One few-shot example: a question with the blocks before it, and the reply."""

    question: str
    reply: Mapping[str, str | Sequence[str]]  # by name of the tag
    blocks: Mapping[str, Sequence[Row]] = field(default_factory=dict)  # by name, in order


def read_prompt(path: Path) -> str:
    """Read a prompt file. Raises PromptError."""
    try:
        return path.read_text(encoding="utf-8-sig").strip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"The prompt {path.parent.name}/{path.name} cannot be read.") from error


def read_examples(path: Path, grammar: Grammar = GRAMMAR) -> tuple[FixedExample, ...]:
    """Read a JSON Lines file of examples: objects with `question`, tags and blocks. Raises PromptError."""
    examples = []
    for told in map(json.loads, read_prompt(path).splitlines()):
        rows = {name: told[name] if isinstance(told[name], list) else [told[name]] for name in BLOCKS if name in told}
        if "offered" in rows:  # numbered, as they would be in a prompt
            rows["offered"] = [{"note": number, **row} for number, row in enumerate(rows["offered"], start=1)]
        reply = {name: told[name] for name in grammar.by_name if name in told}
        examples.append(FixedExample(told["question"], reply, rows))
    return tuple(examples)


@dataclass(frozen=True, slots=True)
class NearestExamples:
    """Example selector by similarity.

    As in MemPrompt, section 4.2, half of the few-shot examples are fixed, and the others may come from memory. Only
    confirmed answers are stored as examples, so the model never sees its own wrong output again.
    """

    most: int = 4  # maximum number; the prompt has at least as many fixed ones
    least: float = 0.5  # minimum similarity

    def __call__(self, candidates: Sequence[Candidate], question: Question, scope: Scope) -> list[Decision]:
        """Return the examples, the nearest last. The user's own are preferred to shared ones, then newer ones."""
        usable: list[tuple[bool, float, int, str, Candidate]] = []
        for candidate in candidates:
            entry, scores = candidate.entry, candidate.scores
            present = [scores[name] for name in ("meaning", "letters", "way") if name in scores]
            near = max(sum(present) / len(present), scores.get("way", 0.0)) if present else 0.0
            length = len(entry.question) + sum(map(len, entry.prompted.values()))
            is_left_out = entry.id in question.left_out or bool(find_exclusion(candidate))
            is_shown = near >= self.least and length <= LONGEST_EXAMPLE and scope.may_read(entry)
            if is_shown and not (entry.kind.is_note or is_left_out):
                usable.append((entry.owner != scope.person, -near, -entry.sequence, entry.id, candidate))
        chosen = sorted(sorted(usable)[: self.most], key=lambda one: one[1:4], reverse=True)
        return [
            Decision(candidate, Action.SHOW, min(1.0, -near), _CONFIRMED_BY_OTHERS if is_shared else _CONFIRMED)
            for is_shared, near, _, _, candidate in chosen
        ]
