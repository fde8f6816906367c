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

# Names of fields as in `assistant.kinds`.
_TRUE, _UNTRUE, _LESSON = "true", "not true", "lesson"
_BLOCKED = "does not follow"


@dataclass(frozen=True, slots=True)
class PromptFact:
    note: int
    text: str
    denied: bool  # the user said that it is false
    triples: tuple[Triple, ...] = ()  # that the user kept
    answers: str = ""  # the question that it is the answer to
    why_both: str = ""  # the reason why it is true despite a contradicting fact

    @property
    def premise(self) -> str:
        """Return its form in the premises of a step."""
        return f"{_UNTRUE}: {self.text}" if self.denied else self.text


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
    lessons: tuple[PromptLesson, ...] = ()  # that may apply, in order
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
    question = rest[label.end() :] if label else rest
    is_example = label is not None and label["label"].lower() == "example question"
    rows = {block.name: block.rows for block in blocks}
    said = [(text, _text(row, "about")) for row in rows.get("clarification", ()) if (text := _text(row, "said"))]
    return PromptQuestion(
        question.strip(),
        said=tuple(text for text, _ in said),
        about=tuple(about for _, about in said),
        previous=next((_text(row, "question") for row in rows.get("previous", ())), ""),
        is_example=is_example,
        facts=tuple(fact for row in rows.get("offered", ()) if (fact := _fact(row))),
        lessons=tuple(lesson for row in rows.get("offered", ()) if (lesson := _lesson(row))),
        blocked=tuple(
            PromptStep(conclusion, _text(row, "from"), _text(row, "about"))
            for row in rows.get("offered", ())
            if (conclusion := _text(row, _BLOCKED))
        ),
        instead=next((_text(row, _TRUE) for row in rows.get("clarification", ())), ""),
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


def _fact(row: Row) -> PromptFact | None:
    """Parse the fact in a row; None if it has something else."""
    text, untrue, note = _text(row, _TRUE), _text(row, _UNTRUE), row.get("note", 0)
    if not (text or untrue) or not isinstance(note, int):
        return None
    lines = _text(row, "triples").split(";")
    triples = tuple(triple for line in lines if (triple := Triple.read(line)) is not None)
    answers = _text(row, "about") if row.get("as") and text else ""
    why_both = _text(row, "as well, because")
    return PromptFact(note, text or untrue, bool(untrue), triples, answers, why_both)


def _lesson(row: Row) -> PromptLesson | None:
    rule, note = _text(row, _LESSON), row.get("note", 0)
    return PromptLesson(note, _text(row, "about"), rule) if rule and isinstance(note, int) else None


def _text(row: Row, name: str) -> str:
    return str(row.get(name, "")).strip()
