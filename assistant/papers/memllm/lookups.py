"""What one turn looks up: read from the fact sheet, told to the model as data, and kept with the turn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from typing import Any

from assistant.errors import StoreError
from assistant.kinds import Triple
from assistant.papers.memllm.joining import Asked
from assistant.papers.memllm.looks import Look, Malformed, looks_in, read_look, written
from assistant.papers.memllm.sheet import MOST_FOUND, Found, Outcome, Query
from assistant.papers.memllm.sheet import Row as FoundRow
from assistant.prompt.envelope import Row
from assistant.reply.fields import LOOKED
from assistant.sentences import Sentence
from assistant.sharing import OneShared
from assistant.types import Action, Candidate, Decision, Turn, day_of

LOOKED_UP = Sentence("found.looked_up")
MOST_LOOKS = 4
"""Times that a reply stops to look; at the next it is told to answer, and then it is not stopped any more."""
_MOST_QUERIES = 8  # of one look
_RESULTS: Mapping[Outcome, str] = {
    Outcome.NOTHING: "no stored fact about this",
    Outcome.TOO_MANY: f"more than {MOST_FOUND} facts: ask more narrowly",
    Outcome.TOO_WIDE: "too wide: ask for another relation",
}
_TOO_LONG = "too much to tell: ask more narrowly"
_UNREADABLE = "the facts cannot be read now"
_UNCLOSED = "a look ends with </look>"
_MANY = f"write one to {_MOST_QUERIES} queries"
_NOTHING_NEW = "you looked this up before; nothing is new"
_ANSWER_NOW = "no more looks: answer now"

Read = Callable[[Query], Found]
"""Reads the fact sheet for one person. Raises StoreError."""


@dataclass(slots=True)
class Lookups:
    """Belongs to one turn. `rows` are told to the model, `kept` stays with the turn."""

    read: Read
    left_out: Collection[str]  # ids of the entries that the person does not want for it
    zone: tzinfo | None = None  # where the person lives
    may_stand: OneShared = field(default_factory=OneShared)
    times: int = 0
    kept: list[Mapping[str, Any]] = field(default_factory=list)
    found: dict[str, FoundRow] = field(default_factory=dict)  # by the id of its fact
    _rows: list[Row] = field(default_factory=list)  # that the model was told last
    _known: dict[str, list[Row]] = field(default_factory=dict)  # by the look

    def rows(self, asked: Asked, fits: Callable[[Sequence[Row]], bool]) -> Sequence[Row]:
        """What the model is told of what it would look up, at least one row, as much as `fits`."""
        self.times += 1
        if self.is_over:
            return [*self._rows, {"result": _ANSWER_NOW}]
        looks = looks_in(asked.text)
        if not asked.closed or not 0 < len(looks) <= _MOST_QUERIES:
            self._rows = [{"result": _MANY if asked.closed else _UNCLOSED}]
            return self._rows
        rows: list[Row] = []
        for look in looks:
            rows += self._of(look, rows, fits)
        self._rows = rows
        return rows

    @property
    def is_over(self) -> bool:
        """Whether the model was told to answer now."""
        return self.times > MOST_LOOKS

    def onto(self, turn: Turn) -> Turn:
        """The turn with what was looked up for it. What was found stands among its decisions, as used."""
        looked = self.found.keys() - set(turn.used)
        known = [
            replace(one, reason=LOOKED_UP) if one.entry.id in looked else one
            for one in turn.decisions
            if one.action is not Action.LEAVE or one.entry.id not in self.found
        ]
        seen = {one.entry.id for one in known}
        further = [_decision(row) for name, row in self.found.items() if name not in seen]
        used = tuple(dict.fromkeys((*turn.used, *self.found)))
        reply = turn.reply.with_fields(**{LOOKED: tuple(self.kept)})
        return replace(turn, decisions=(*known, *further), used=used, reply=reply)

    def _of(self, text: str, before: Sequence[Row], fits: Callable[[Sequence[Row]], bool]) -> Sequence[Row]:
        """What the model is told of one look, after these other rows."""
        try:
            look = read_look(text)
        except Malformed as why:
            return [{"asked": text, "result": str(why)}]
        name = str(look).casefold()
        if name in self._known:
            known = [*self._known[name], {"asked": text, "result": _NOTHING_NEW}]
            return known if fits([*before, *known]) else known[-1:]
        try:
            steps = list(self._steps(look))
        except StoreError:
            return [{"asked": text, "result": _UNREADABLE}]
        rows: list[Row] = [row for query, found in steps for row in _told(query, found, self.zone)]
        if sum(len(found.rows) for _, found in steps) > MOST_FOUND or not fits([*before, *rows]):
            return [{"asked": text, "result": _TOO_LONG}]
        for query, found in steps:
            self._keep(query, found)
        self._known[name] = rows
        return rows

    def _steps(self, look: Look) -> Iterator[tuple[Query, Found]]:
        """Each query of a look with what it finds; of a second step those that find something, or else one."""
        first = self._read(look.query)
        yield look.query, first
        if look.then is not None:
            things = dict.fromkeys(_open_side(look.query, row.triple) for row in first.rows)
            asked = [(query, self._read(query)) for query in map(look.then.of, things)]
            yield from [step for step in asked if step[1].outcome is not Outcome.NOTHING] or asked[:1]

    def _read(self, query: Query) -> Found:
        found = self.read(query)
        rows = [row for row in found.rows if row.entry.id not in self.left_out and self.may_stand(row.entry)]
        return Found(found.outcome, rows) if rows or not found.rows else Found(Outcome.NOTHING)

    def _keep(self, query: Query, found: Found) -> None:
        told = tuple({"entry": row.entry.id, **row.triple.model_dump()} for row in found.rows)
        self.kept.append({"asked": written(query), "outcome": found.outcome.value, "found": told})
        self.found |= {row.entry.id: row for row in found.rows}


def _told(query: Query, found: Found, zone: tzinfo | None) -> list[Row]:
    """What a query finds, as the model reads it: who said it, and when."""
    if found.outcome is not Outcome.FOUND:
        return [{"asked": written(query), "result": _RESULTS[found.outcome]}]
    return [
        {
            "true": _line(row.triple),
            "said by": "someone else, for everyone" if row.entry.shared else "the person",
            "on": day_of(row.entry.created, zone).isoformat(),
        }
        for row in found.rows
    ]


def _line(triple: Triple) -> str:
    return f"{triple.subject} | {triple.relation} | {triple.object}"


def _open_side(query: Query, triple: Triple) -> str:
    return triple.object if query.subject else triple.subject


def _decision(row: FoundRow) -> Decision:
    candidate = Candidate(row.entry, row.entry.keys[0])
    return Decision(candidate, Action.OFFER, min(1.0, max(0.0, row.likeness)), LOOKED_UP)
