"""Parse a prompt as `assistant.prompt.prompt` writes it: its examples and its question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from assistant.kinds import Triple
from assistant.prompt.envelope import Row, read_blocks
from assistant.reply.parser import parse_reply
from assistant.types import Message, MessageRole

_LABEL = re.compile(r"\A\s*(?P<label>Example question|Question):[ \t]?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PromptFact:
    note: int
    text: str
    denied: bool  # the user said that it is false
    triples: tuple[Triple, ...] = ()  # that the user kept
    answers: str = ""  # the question that it is the answer to
    why_both: str = ""  # the reason why it is true despite a contradicting fact


@dataclass(frozen=True, slots=True)
class PromptStep:
    """A blocked step of reasoning."""

    conclusion: str
    premises: str  # joined, as in a prompt
    about: str  # the question


@dataclass(frozen=True, slots=True)
class PromptLesson:
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


@dataclass(frozen=True, slots=True)
class PromptExample:
    asked: PromptQuestion
    understanding: str
    answer: str


def read_question(content: str) -> PromptQuestion:
    """Parse a user message. A message without blocks and label is a question as a whole."""
    blocks, rest = read_blocks(content)
    label = _LABEL.match(rest)
    rows = {block.name: block.rows for block in blocks}
    told = rows.get("clarification", ())
    said = [(_text(row, "said"), _text(row, "about")) for row in told if _text(row, "said")]
    offered = [row for row in rows.get("offered", ()) if isinstance(row.get("note", 0), int)]
    return PromptQuestion(
        rest[label.end() if label else 0 :].strip(),
        said=tuple(text for text, _ in said),
        about=tuple(about for _, about in said),
        previous=next((_text(row, "question") for row in rows.get("previous", ())), ""),
        is_example=label is not None and label["label"].lower() == "example question",
        facts=tuple(_read_fact(row) for row in offered if _text(row, "true") or _text(row, "not true")),
        lessons=tuple(
            PromptLesson(int(row.get("note", 0)), _text(row, "about"), rule)
            for row in offered
            if (rule := _text(row, "lesson"))
        ),
        blocked=tuple(
            PromptStep(conclusion, _text(row, "from"), _text(row, "about"))
            for row in rows.get("offered", ())
            if (conclusion := _text(row, "does not follow"))
        ),
        instead=next((_text(row, "true") for row in told), ""),
    )


def read_examples(messages: Sequence[Message]) -> list[PromptExample]:
    """Parse the examples in a prompt that have an understanding."""
    found = list[PromptExample]()
    for first, second in pairwise(messages):
        if first.role is MessageRole.USER and second.role is MessageRole.ASSISTANT:
            asked, parsed = read_question(first.content), parse_reply(second.content)
            if asked.is_example and parsed.correction is None and parsed.understanding:
                found.append(PromptExample(asked, parsed.understanding, parsed.answer))
    return found


def _read_fact(row: Row) -> PromptFact:
    is_true = bool(_text(row, "true"))
    return PromptFact(
        int(row.get("note", 0)),
        _text(row, "true") or _text(row, "not true"),
        denied=not is_true,
        triples=tuple(filter(None, map(Triple.read, _text(row, "triples").split(";")))),
        answers=_text(row, "about") if row.get("as") else "",
        why_both=_text(row, "as well, because"),
    )


def _text(row: Row, name: str) -> str:
    return str(row.get(name, "")).strip()
