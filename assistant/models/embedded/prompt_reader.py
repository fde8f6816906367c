"""Reads a prompt the way `assistant.prompt.prompt` writes it: which examples stand in it, and what is asked now."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from assistant.kinds import Triple
from assistant.prompt.envelope import Row, read_blocks
from assistant.reply.parser import parse_reply
from assistant.types import Message, Role

_LABEL = re.compile(r"\A\s*(?P<label>Example question|Question):[ \t]?", re.IGNORECASE)

# As `assistant.kinds` has these in a prompt.
_TRUE, _UNTRUE, _LESSON = "true", "not true", "lesson"
_BLOCKED = "does not follow"


@dataclass(frozen=True, slots=True)
class PromptFact:
    """Something that was told, as a numbered note."""

    note: int
    text: str
    denied: bool  # it was said that it is not so
    triples: tuple[Triple, ...] = ()  # what its person took over of it
    answers: str = ""  # the question of which it was said to be the answer
    why_both: str = ""  # why it counts beside what contradicts it

    @property
    def premise(self) -> str:
        """As it stands among the premises of a step."""
        return f"{_UNTRUE}: {self.text}" if self.denied else self.text


@dataclass(frozen=True, slots=True)
class PromptStep:
    """A step of reasoning that was said not to lead to its conclusion."""

    conclusion: str
    premises: str  # as they stand in a prompt, one after the other
    about: str  # the question


@dataclass(frozen=True, slots=True)
class PromptLesson:
    """Something that was learnt, as a numbered note."""

    note: int
    key: str
    rule: str


@dataclass(frozen=True, slots=True)
class PromptQuestion:
    """A question in a prompt."""

    question: str  # as the person wrote it
    said: tuple[str, ...] = ()  # what people said they meant by earlier questions like this one; the most fitting first
    about: tuple[str, ...] = ()  # those earlier questions, in the same order
    previous: str = ""  # the question of the turn before it, which it might correct; empty where none is given
    is_example: bool = False  # whether it only shows the form
    facts: tuple[PromptFact, ...] = ()  # that may bear on it, in their order
    lessons: tuple[PromptLesson, ...] = ()  # that may apply, in their order
    blocked: tuple[PromptStep, ...] = ()  # steps that do not count
    instead: str = ""  # what is so in the place of what it tells, as its person put that right


@dataclass(frozen=True, slots=True)
class PromptExample:
    """A question with the understanding and the answer that show how to reply to it."""

    asked: PromptQuestion
    understanding: str
    answer: str


def read_question(content: str) -> PromptQuestion:
    """What a user message asks. A message without the usual form is taken as a question, whole."""
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
    """Return the examples that user messages make with the replies to them, those that show an understanding."""
    found = list[PromptExample]()
    for first, second in pairwise(messages):
        if first.role is Role.USER and second.role is Role.ASSISTANT:
            asked, parsed = read_question(first.content), parse_reply(second.content)
            if asked.is_example and parsed.correction is None and parsed.understanding:
                found.append(PromptExample(asked, parsed.understanding, parsed.answer))
    return found


def _fact(row: Row) -> PromptFact | None:
    """The fact in a row; None where it holds something else."""
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
