"""Parse a prompt as `assistant.prompt.prompt` writes it: its examples and its question."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from assistant.kinds import Triple
from assistant.prompt.envelope import Row, read_blocks
from assistant.reply.parser import parse_reply
from assistant.types import Message, MessageRole, Reply

_LABEL = re.compile(r"\A\s*(?P<label>Example question|Question):[ \t]?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PromptFact:
    note: int
    text: str
    denied: bool  # the user said that it is false
    triples: tuple[Triple, ...]  # that the user kept
    answers: str  # the question that it is the answer to
    why_both: str  # the reason why it is true despite a contradicting fact


class PromptStep(NamedTuple):
    """A blocked step of reasoning."""

    conclusion: str
    premises: str  # joined, as in a prompt
    about: str  # the question


class PromptLesson(NamedTuple):
    note: int
    key: str
    rule: str


@dataclass(frozen=True, slots=True)
class PromptQuestion:
    question: str  # the original text
    said: tuple[str, ...] = ()  # clarifications, most relevant first
    about: tuple[str, ...] = ()  # their questions, in the same order
    previous: str = ""  # the question of the turn before, which it might correct
    is_example: bool = False
    facts: tuple[PromptFact, ...] = ()  # that may apply, in order
    lessons: tuple[PromptLesson, ...] = ()
    blocked: tuple[PromptStep, ...] = ()
    instead: str = ""  # the corrected version of the fact that it tells


def read_question(content: str) -> PromptQuestion:
    """Parse a user message. A message without blocks and label is a question as a whole."""
    blocks, rest = read_blocks(content)
    label = _LABEL.match(rest)
    rows = {block.name: [_texts(row) for row in block.rows] for block in blocks}
    told, before = rows.get("clarification", []), rows.get("previous", [])
    said = [row for row in told if row["said"]]
    offered = rows.get("offered", [])
    noted = [row for row in offered if row["note"].isdecimal() or not row["note"]]
    return PromptQuestion(
        rest[label.end() if label else 0 :].strip(),
        said=tuple(row["said"] for row in said),
        about=tuple(row["about"] for row in said),
        previous=before[0]["question"] if before else "",
        is_example=label is not None and label["label"].lower() == "example question",
        facts=tuple(_read_fact(row) for row in noted if row["true"] or row["not true"]),
        lessons=tuple(
            PromptLesson(int(row["note"] or 0), row["about"], row["lesson"]) for row in noted if row["lesson"]
        ),
        blocked=tuple(
            PromptStep(row["does not follow"], row["from"], row["about"]) for row in offered if row["does not follow"]
        ),
        instead=told[0]["true"] if told else "",
    )


def read_examples(messages: Sequence[Message]) -> Iterator[tuple[PromptQuestion, Reply]]:
    """Yield the examples in a prompt that have an understanding and no notes."""
    for first, second in pairwise(messages):
        if first.role is MessageRole.USER and second.role is MessageRole.ASSISTANT:
            asked, parsed = read_question(first.content), parse_reply(second.content)
            if asked.is_example and not asked.said and parsed.correction is None and parsed.understanding:
                yield asked, parsed


def _texts(row: Row) -> defaultdict[str, str]:
    """Return a row with its values as texts; a missing one is empty."""
    return defaultdict(str, {name: str(value).strip() for name, value in row.items()})


def _read_fact(row: defaultdict[str, str]) -> PromptFact:
    triples = tuple(filter(None, map(Triple.read, row["triples"].split(";"))))
    answers, note = row["about"] if row["as"] else "", int(row["note"] or 0)
    is_denied = not row["true"]
    return PromptFact(
        note, row["not true" if is_denied else "true"], is_denied, triples, answers, row["as well, because"]
    )
