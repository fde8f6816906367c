"""Questions that strangers wrote, each with the facts that it may follow from: told to the app, and asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, StrictStr

from assistant.conversation import Assistant
from assistant.events import Finished
from assistant.models.embedded.phrases import VOICES, say
from assistant.reasoning.words import Words
from assistant.sentences import Sentence
from assistant.types import Scope, Turn
from evaluation.reading import read_all
from evaluation.store_filling import fact_draft, fresh_app
from memory_store.language.languages import LANGUAGES
from memory_store.language.word_translation import compared

_YES, _NO, _UNKNOWN = "yes", "no", "unknown"
_MARK = "\0"
_ENDS = " .।"
_TELL_NOTHING = ("told_me", "unknown_fact", "what_i_am", "disputed", "both")  # sentences without an answer


class Line(BaseModel):
    """A line of such a file."""

    facts: tuple[StrictStr, ...]
    question: StrictStr
    answer: StrictStr  # "yes", "no", "unknown", or the words that are asked for
    lang: StrictStr

    @property
    def type(self) -> str:
        """What kind of answer is right."""
        return self.answer if self.answer in {_YES, _NO, _UNKNOWN} else "word"


class Mark(StrEnum):
    """What an answer is."""

    RIGHT = "right"
    WRONG = "wrong"
    DECLINED = "declined"


@dataclass(frozen=True, slots=True)
class Marked:
    """An answered line."""

    line: Line
    answer: str
    mark: Mark


def asked(assistant: Assistant, question: str, scope: Scope, conversation: str) -> Turn:
    """The turn of a question, answered."""
    finished = [event.turn for event in assistant.ask(question, scope, conversation) if isinstance(event, Finished)]
    return finished[-1]


def marked(path: Path) -> Iterator[Marked]:
    """Each line of a file: its facts told by somebody who tells nothing else, its question asked. Raises BadInput."""
    lines = read_all(path, Line)
    with fresh_app() as services:
        for number, line in enumerate(lines):
            scope = Scope(f"person-{number}")
            for fact in line.facts:
                services.assistant.memory.remember(fact_draft(fact), scope)
            answer = asked(services.assistant, line.question, scope, f"c{number}").reply.answer
            yield Marked(line, answer, mark(line, answer))


def mark(line: Line, answer: str) -> Mark:
    """Whether an answer is right. One that neither says yes or no, nor the word that is asked for, declines."""
    said = says(answer)
    if not said:
        return Mark.RIGHT if line.type == _UNKNOWN else Mark.DECLINED
    if line.type != "word":
        return Mark.RIGHT if said == line.type else Mark.WRONG
    wanted = [f" {compared(text)} " for text in (line.answer, Words(LANGUAGES).mirrored(line.answer))]
    found = f" {compared(said)} "
    return Mark.RIGHT if any(text in found or found in text for text in wanted) else Mark.WRONG


def says(answer: str) -> str:
    """Return what an answer says: yes, no, or the words that it gives; empty where it says that it cannot tell."""
    text = answer.strip(_ENDS)
    for at in range(len(VOICES)):
        for verdict in (_YES, _NO):
            if text == say(verdict, at).strip(_ENDS):
                return verdict
        told = {"fact": _MARK, "facts": _MARK}
        beginnings = (say(name, at, **told).partition(_MARK)[0] for name in _TELL_NOTHING)
        if any(answer.startswith(beginning) for beginning in beginnings if beginning):
            return ""
    return "" if answer == str(Sentence("embedded.what_i_am")) else text


def by_group(results: Sequence[Marked]) -> dict[str, list[Marked]]:
    """The results as a whole, by the type of their answer, and by language."""
    groups: dict[str, list[Marked]] = {"all": [*results]}
    for result in results:
        groups.setdefault(result.line.type, []).append(result)
    for result in results:
        groups.setdefault(result.line.lang, []).append(result)
    return groups
