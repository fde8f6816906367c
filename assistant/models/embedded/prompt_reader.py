"""Parse a prompt as `assistant.prompt.prompt` writes it: its examples and its question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
    rows = {block.name: block.rows for block in blocks}
    told, offered = rows.get("clarification", ()), [*_read_offered(rows.get("offered", ()))]
    said = [(_text(row, "said"), _text(row, "about")) for row in told if _text(row, "said")]
    return PromptQuestion(
        rest[label.end() if label else 0 :].strip(),
        said=tuple(text for text, _ in said),
        about=tuple(about for _, about in said),
        previous=next((_text(row, "question") for row in rows.get("previous", ())), ""),
        is_example=label is not None and label["label"].lower() == "example question",
        facts=tuple(one for one in offered if isinstance(one, PromptFact)),
        lessons=tuple(one for one in offered if isinstance(one, PromptLesson)),
        blocked=tuple(one for one in offered if isinstance(one, PromptStep)),
        instead=next((_text(row, _TRUE) for row in told), ""),
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


def _read_offered(rows: Sequence[Row]) -> Iterator[PromptFact | PromptLesson | PromptStep]:
    for row in rows:
        note, about, fact = row.get("note", 0), _text(row, "about"), _text(row, _TRUE) or _text(row, _UNTRUE)
        if isinstance(note, int) and fact:
            triples = filter(None, map(Triple.read, _text(row, "triples").split(";")))
            answers, is_true = about if row.get("as") else "", bool(_text(row, _TRUE))
            why_both = _text(row, "as well, because")
            yield PromptFact(note, fact, not is_true, tuple(triples), answers, why_both)
        if isinstance(note, int) and (rule := _text(row, _LESSON)):
            yield PromptLesson(note, about, rule)
        if conclusion := _text(row, _BLOCKED):
            yield PromptStep(conclusion, _text(row, "from"), about)


def _text(row: Row, name: str) -> str:
    return str(row.get(name, "")).strip()
