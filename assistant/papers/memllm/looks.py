"""What a model writes to look something up, as queries: `Dana | manager of | ?; ? | capital of | France`.

One side is open, as in the paper (section 3.2). Two steps can be joined, which the paper lacks: in `Dana | manager of |
? then ? | works in | ?`, the first question mark of the second step is what the first step finds. Of a second step the
open side may be left out: `? | works in` asks of subjects, `| works in | ?` of objects.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assistant.papers.memllm.sheet import Query
from assistant.reply.grammar import Tag
from assistant.text.cleaning import for_prompt

LOOK = Tag("look", anywhere=True, repeats=True)
"""What a reply would look up before it goes on."""
LONGEST_LOOK = 600
"""Characters of one; nobody waits longer for its end."""
_OPEN = "?"
_JOINED = re.compile(r"([^|]*\|.*?)(?<!\s)\s+then\s+(?=[?|])(.*)", re.IGNORECASE)


class Malformed(ValueError):
    """What was written cannot be looked up. It says why, to the model."""


@dataclass(frozen=True, slots=True)
class Step:
    """What is asked of each thing that a query finds: as the subject of a relation, or as its object."""

    relation: str
    of_object: bool = False

    def of(self, thing: str) -> Query:
        """The query about one of these things."""
        return Query("", self.relation, thing) if self.of_object else Query(thing, self.relation, "")

    def __str__(self) -> str:
        return f"| {self.relation} | {_OPEN}" if self.of_object else f"{_OPEN} | {self.relation} | {_OPEN}"


@dataclass(frozen=True, slots=True)
class Look:
    """A query, and what is asked then of what it finds."""

    query: Query
    then: Step | None = None

    def __str__(self) -> str:
        """As a model writes it."""
        first = written(self.query)
        return f"{first} then {self.then}" if self.then else first


def written(query: Query) -> str:
    """A query as a model writes it."""
    return f"{query.subject or _OPEN} | {query.relation} | {query.object or _OPEN}"


def looks_in(text: str) -> list[str]:
    """The single looks in the text of a tag, each once."""
    parts = (" ".join(for_prompt(part).split()) for part in text.split(";"))
    return list(dict.fromkeys(filter(None, parts)))


def read_look(text: str) -> Look:
    """One of them. Raises Malformed."""
    joined = _JOINED.fullmatch(text)
    first, second = joined.groups() if joined else (text, "")
    subject, relation, thing = ("" if side == _OPEN else side for side in _sides(first))
    if bool(subject) == bool(thing):
        raise Malformed("Name one side, and write ? for the other.")
    return Look(Query(subject, relation, thing), _step(second) if joined else None)


def _step(text: str) -> Step:
    subject, relation, thing = _sides(text)
    if not {subject, thing} <= {"", _OPEN}:
        raise Malformed("After “then”, write ? for what was found, and ? for what you want to know of it.")
    return Step(relation, of_object=not subject and thing == _OPEN)


def _sides(text: str) -> list[str]:
    """Subject, relation and object, as they are written; the object may be left out."""
    sides = [side.strip() for side in text.split("|")]
    if len(sides) not in {2, 3}:
        raise Malformed("Write subject | relation | object, with ? for what you want to know.")
    if sides[1] in {"", _OPEN}:
        raise Malformed("Name the relation.")
    return sides if len(sides) == 3 else [*sides, ""]
