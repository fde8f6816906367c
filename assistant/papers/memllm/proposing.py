"""Triples that a reply proposes to keep of what its message tells, and what the person said of each (MemLLM, 3.2).

Only what the person wrote is proposed: both things stand in the message, in whatever script. A relation that is known
of a thing is named as it was before, and of what changed its place it is the one that says where it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from assistant.feedback.cues import words_of
from assistant.feedback.telling import told_in
from assistant.kinds import Fact, Triple
from assistant.language.languages import Languages
from assistant.papers.memllm.listing import Lines, Sheet
from assistant.ports import OwnEntries
from assistant.prompt.sections import Asking
from assistant.reasoning.names import AT, is_whereabouts, may_name_a_firm, names_both, same_name
from assistant.reasoning.reasoner import Reasoner
from assistant.reasoning.triples import LIVES_IN
from assistant.reasoning.words import PERSONS, SPEAKERS
from assistant.reply import fields
from assistant.reply.fields import SAID
from assistant.reply.grammar import Grammar, Tag
from assistant.teachme.facts import FACT_TAG, TAUGHT, facts_told_in, plainly_told
from assistant.teachme.told import retold
from assistant.types import Entry, Scope, Turn, TurnState

KEEP_TAG = Tag(fields.KEEP, repeats=True)
"""A triple that a reply would have kept of the message that it answers."""
PROPOSED = Grammar((*TAUGHT.tags, KEEP_TAG))
"""What a reply may have where triples are proposed."""
_KEEPS = 'Then add <keep>subject | relation | object</keep> for each thing it says; its writer is "I".'
_MOST = 5  # proposals of a message
_MOST_LOOKED_UP = 200  # lines of the sheet
_YOU = frozenset({"you", "user", "the user"})  # how a model may call who wrote the message


class State(StrEnum):
    """Where a proposal stands."""

    PROPOSED = "proposed"
    KEPT = "kept"
    DROPPED = "dropped"
    GONE = "gone"  # it was kept, and counts no more: its fact was taken back, or another took its place


@dataclass(frozen=True, slots=True)
class Proposal:
    """A triple of a message."""

    number: int  # by which its person names it, from 1
    triple: Triple
    said: Triple  # the same as the message says it: "my manager", where it is known who that is
    state: State
    entry: Entry | None = None  # the fact that has it, where it is kept


@dataclass(frozen=True, slots=True)
class KeepHints:
    """A `Hint`: asks for triples where a message may tell a fact."""

    languages: Languages

    def __call__(self, asking: Asking) -> Sequence[str]:
        return [_KEEPS] if told_in(asking.question, self.languages) else []


@dataclass(frozen=True, slots=True)
class Proposing:
    """Reads the proposals of turns."""

    memory: OwnEntries
    sheet: Sheet
    reasoner: Reasoner

    def __call__(self, turn: Turn, scope: Scope) -> tuple[Proposal, ...]:
        """Those of a turn, in their order. Raises StoreError."""
        lines = turn.reply.fields.get(KEEP_TAG.name, ())[:_MOST]
        if not lines or turn.state is not TurnState.ANSWERED:
            return ()
        said: Mapping[str, str] = turn.reply.fields.get(SAID) or {}
        facts, instead = facts_kept_of(turn, self.memory), retold(turn)
        message = instead.shown if instead else turn.question
        notes = [note for decision in turn.decisions for note in (decision.entry.shown, decision.entry.question)]
        is_stored = bool(facts) and FACT_TAG.name not in turn.reply.fields and plainly_told(message, self.reasoner)
        read = ((number, self.read(line, message, notes)) for number, line in enumerate(lines, 1))
        found = [
            self._proposal(number, triple, said.get(str(number)), facts, scope, message)
            for number, triple in read
            if triple is not None
        ]
        found = [proposal for proposal in found if not is_stored or proposal.state is not State.PROPOSED]
        return tuple({proposal.triple: proposal for proposal in reversed(found)}.values())[::-1]

    def _proposal(
        self, number: int, triple: Triple, said: str | None, facts: Sequence[Entry], scope: Scope, message: str
    ) -> Proposal:
        as_said = triple
        triple = (Triple.read(said) if said else None) or self._named_as_before(triple, message, scope)
        if said == "":
            return Proposal(number, triple, as_said, State.DROPPED)
        entry = next((fact for fact in facts if triple in triples_of(fact)), None)
        state = State.KEPT if entry else State.GONE if said else State.PROPOSED
        return Proposal(number, triple, as_said, state, entry)

    def read(self, line: str, message: str, notes: Sequence[str] = ()) -> Triple | None:
        """The triple in a line, with its person as "I"; None where it says what the message does not, or a note."""
        triple = Triple.read(line)
        if triple is None:
            return None
        named = {name: "I" for name in ("subject", "object") if getattr(triple, name).casefold() in _YOU}
        triple = triple.model_copy(update=named)
        if _is_dictated(triple, message, notes):
            return None
        return triple if names_both(message, triple, self.reasoner.words) else None

    def _named_as_before(self, triple: Triple, message: str, scope: Scope) -> Triple:
        """The same with the thing and the relation as they were named before, if they were."""
        triple = triple.model_copy(update={"subject": self._who_is(triple.subject, scope)})
        known = [one for one in self._of(triple.subject, scope) if self._same(one.subject, triple.subject)]
        names = [*dict.fromkeys(one.relation for one in known)]
        if triple.relation == LIVES_IN and self.reasoner.changes_place(message):
            places = [name for name in names if self._is_one_place(name, known)]
            places.sort(key=lambda name: may_name_a_firm(name, self.reasoner.words))
            names = [name for name in places if self._same(name, LIVES_IN)] or places
        else:
            is_now = self.reasoner.says_now(message)
            names = [name for name in names if self._same_relation(name, triple.relation, is_now=is_now)]
        return triple.model_copy(update={"relation": names[0]}) if names else triple

    def _who_is(self, name: str, scope: Scope) -> str:
        """Whom the person calls "my manager", where they told; else what they are called."""
        owner, *words = self.reasoner.words.read(name) or (None,)
        if owner is None or not words or "owner" not in owner.roles:
            return name
        speaker = next((SPEAKERS[key] for role, key in PERSONS.items() if role in owner.roles and key in SPEAKERS), "")
        relation = " ".join(word.written for word in words)
        told = (one for one in self._of(speaker, scope) if one.subject == speaker) if speaker else ()
        return next((one.object for one in told if self._same_relation(one.relation, relation)), name)

    def _of(self, name: str, scope: Scope) -> list[Triple]:
        """Triples of the person's own facts that may be of a thing, newest first."""
        return [line.triple for line in self.sheet.lines(scope, Lines(of=name), _MOST_LOOKED_UP).lines]

    def _same(self, one: str, other: str) -> bool:
        return same_name(one, other, self.reasoner.words)

    def _is_one_place(self, relation: str, known: Sequence[Triple]) -> bool:
        """Whether it says where a thing is, and of one place: of several, nobody knows which a new one replaces."""
        is_one = sum(one.relation == relation for one in known) == 1
        return is_one and is_whereabouts(relation, self.reasoner.words)

    def _same_relation(self, one: str, other: str, *, is_now: bool = True) -> bool:
        """Whether two are one; of one language, the words that say where are the same too: "works in", "works at".

        What may name a firm is the same as "works in" only of what is so now.
        """
        read, (first, second) = self.reasoner.words, (self._sides(name) for name in (one, other))
        is_of_one_language = len({read.language(name) for name in (one, other)}) == 1
        may_differ = not is_now and any(may_name_a_firm(name, read) for name in (one, other))
        is_led_alike = bool(first) is bool(second) and (first == second or not (is_of_one_language or may_differ))
        return is_led_alike and self._same(one, other)

    def _sides(self, relation: str) -> list[str]:
        words = self.reasoner.words.read(relation)
        return [word.written.casefold() for word in words if word.roles & AT]


def facts_kept_of(turn: Turn, memory: OwnEntries) -> Sequence[Entry]:
    """The facts on which the triples of a turn are kept: what it told, or what was told in its place."""
    instead = retold(turn)
    now = memory.current(instead.id, Scope(turn.person)) if instead else None
    return [now] if now else facts_told_in(turn, memory)


def _is_dictated(triple: Triple, message: str, notes: Sequence[str]) -> bool:
    """Whether a note says it, and the message only names its things: the relation stands in no word of that."""
    said = words_of(triple.line.replace("|", " "))
    is_own = not words_of(triple.relation).isdisjoint(words_of(message))
    return not is_own and any(said <= words_of(note) for note in notes)


def triples_of(entry: Entry) -> tuple[Triple, ...]:
    """Those of a fact that is not denied."""
    body = entry.body
    return body.triples if isinstance(body, Fact) and not body.denied else ()
