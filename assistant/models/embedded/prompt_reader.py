"""Reads a prompt the way `assistant.prompting` writes it: which examples stand in it, and what is asked now."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from assistant.envelope import Block, Row, read_blocks
from assistant.reply import parse_reply
from assistant.types import Message, Role

_LABEL = re.compile(r"\A\s*(?P<label>Example question|Question):[ \t]?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in a prompt.

    Args:
        question: as the person wrote it.
        said: what people said they meant by earlier questions like this one; the most fitting first.
        about: those earlier questions, in the same order.
        previous: the question of the turn before it, which it might correct; empty where none is given.
        is_example: whether it only shows the form.
    """

    question: str
    said: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    previous: str = ""
    is_example: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """A question with the understanding and the answer that show how to reply to it."""

    asked: Asked
    understanding: str
    answer: str


def read_question(content: str) -> Asked:
    """What a user message asks. A message without the usual form is taken as a question, whole."""
    blocks, rest = read_blocks(content)
    label = _LABEL.match(rest)
    question = rest[label.end() :] if label else rest
    is_example = label is not None and label["label"].lower() == "example question"
    clarifications = [row for row in _rows(blocks, "clarification") if _text(row, "said")]
    return Asked(
        question.strip(),
        said=tuple(_text(row, "said") for row in clarifications),
        about=tuple(_text(row, "about") for row in clarifications),
        previous=next((_text(row, "question") for row in _rows(blocks, "previous")), ""),
        is_example=is_example,
    )


def read_example(content: str, reply: str) -> Example | None:
    """The example that a user message and the reply to it make; None where it shows no understanding."""
    asked = read_question(content)
    parsed = parse_reply(reply)
    if not asked.is_example or parsed.correction is not None or not parsed.understanding:
        return None
    return Example(asked, parsed.understanding, parsed.answer)


def reply_pairs(messages: Sequence[Message]) -> list[tuple[str, str]]:
    """Each user message with the reply that follows it."""
    return [
        (first.content, second.content)
        for first, second in pairwise(messages)
        if first.role is Role.USER and second.role is Role.ASSISTANT
    ]


def _rows(blocks: Sequence[Block], name: str) -> list[Row]:
    return [row for block in blocks if block.name == name for row in block.rows]


def _text(row: Row, name: str) -> str:
    return str(row.get(name, "")).strip()
