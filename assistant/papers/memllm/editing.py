"""What a person does with the lines of their fact sheet: change one, take it off, and bring others in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from assistant.errors import InputError, NotFound, NotKept, NotSaid, StoreError
from assistant.feedback.clarifications import remember_anew
from assistant.kinds import Fact, Triple
from assistant.language.lexicon import lexicon
from assistant.papers.memllm.proposing import triples_of
from assistant.ports import OwnEntries
from assistant.reasoning.names import is_done, names_both
from assistant.reasoning.reasoner import Reasoner
from assistant.reasoning.words import ENGLISH, SPEAKERS
from assistant.sentences import Sentence
from assistant.teachme.facts import fact
from assistant.teachme.told import same
from assistant.types import Entry, Scope, Status, Turn

Told = tuple[str, Sequence[Triple]]
"""A sentence, and what it says of things."""
MOST_AT_ONCE = 1_000
"""Lines that are taken in together."""
_OF_A_CHANGE = 100  # lines that count as one change of memory
_ONCE = 2  # parts of a text in which something stands once
_OWNERS = {"I": "my", "we": "our"}


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What came of many facts."""

    kept: int = 0  # triples
    why: tuple[Sentence, ...] = ()  # of those that were not kept


def changes_of(lines: int) -> int:
    """As how many changes of memory so many lines count. Raises InputError where they are too many together."""
    if lines > MOST_AT_ONCE:
        raise InputError("sheet.too_many", count=MOST_AT_ONCE)
    return max(1, -(-lines // _OF_A_CHANGE))


@dataclass(frozen=True, slots=True)
class SheetEditing:
    """Changes facts by their triples. Raises as `OwnEntries` does."""

    memory: OwnEntries
    reasoner: Reasoner

    def change(self, name: str, line: str, scope: Scope) -> Entry:
        """Let a line of the sheet, by its name, say what this line says. Raises InputError where it is none."""
        triple = Triple.read(line)
        if triple is None:
            raise InputError("triple.malformed")
        entry, at = self._named(name, scope)
        told = [*triples_of(entry)]
        was, told[at] = told[at], triple
        text = self.wording(told, reworded(entry.shown, was, triple))
        return self.memory.set_triples(entry.id, told, scope, text)

    def take_off(self, name: str, scope: Scope) -> Entry:
        """Let a fact not say this of things any more; it stays in its own words."""
        entry, at = self._named(name, scope)
        told = [one for place, one in enumerate(triples_of(entry)) if place != at]
        return self.memory.set_triples(entry.id, told, scope)

    def take_in(self, told: Iterable[Told], scope: Scope) -> Iterator[TakenIn]:
        """Remember each as a fact, one by one; how far it is, after each. The same twice is the same as once."""
        done = TakenIn()
        for sentence, triples in told:
            try:
                self.remember(sentence, triples, scope)
                done = replace(done, kept=done.kept + len(triples))
            except (InputError, StoreError) as error:
                why = Sentence("triple.not_kept", {"text": sentence, "why": error.sentence})
                done = replace(done, why=(*done.why, why))
                if not isinstance(error, NotKept | NotSaid):  # neither would the next ones be
                    break
            yield done
        yield done

    def remember(self, sentence: str, triples: Sequence[Triple], scope: Scope) -> Entry:
        """Remember a sentence as a fact that says this of things, beside what it says of them already."""
        draft = fact(Turn("", "", scope.person, ""), sentence)
        body = Fact(text=sentence, triples=tuple(triples))
        draft = replace(draft, body=body)
        entry = self.memory.current(self.memory.remember(draft, scope).id, scope)
        if entry is None or not same(entry.shown, sentence):  # it was taken back, or another took its place
            entry = remember_anew(draft, self.memory, scope, Status.SUPERSEDED, Status.RETRACTED)
        new = [triple for triple in triples if triple not in triples_of(entry)]
        return self.memory.set_triples(entry.id, [*triples_of(entry), *new], scope) if new else entry

    def in_sentences(self, triples: Iterable[Triple]) -> Iterator[Told]:
        """Each with its sentence."""
        return ((self.sentence(triple), [triple]) for triple in triples)

    def wording(self, told: Sequence[Triple], *wordings: str) -> str:
        """Return the first wording that names what all triples are about; else a sentence for each triple."""
        words = self.reasoner.words
        fitting = (text for text in wordings if text and all(names_both(text, triple, words) for triple in told))
        return next(fitting, ". ".join(map(self.sentence, told)))

    def sentence(self, triple: Triple) -> str:
        """What a triple says, in a sentence."""
        subject, relation, thing = triple.subject, triple.relation, triple.object
        first, *rest = relation.split()
        words = self.reasoner.words
        if words.language(f"{subject} {relation} {thing}") != ENGLISH:
            return f"{subject} {relation} {thing}"
        if is_done(words.read(relation)):
            known = lexicon().find(first.lower()) if subject in SPEAKERS.values() else None
            return " ".join([subject, (known.base or first) if known else first, *rest, thing])
        if words.read(relation)[-1:] and "of" in words.read(relation)[-1].roles:
            return f"{subject} is the {relation} {thing}"
        owner = _OWNERS.get(subject, f"{subject}'s")
        return f"{owner} {relation} is {thing}"

    def entry(self, name: str, scope: Scope) -> Entry:
        """The fact of a line."""
        return self._named(name, scope)[0]

    def _named(self, name: str, scope: Scope) -> tuple[Entry, int]:
        entry_id, _, at = name.partition(".")
        entry = self.memory.entry(entry_id, scope)
        if not at.isdecimal() or len(at) > 4 or int(at) >= len(triples_of(entry)) or entry.owner != scope.person:
            raise NotFound
        return entry, int(at)


def reworded(text: str, was: Triple, now: Triple) -> str:
    """The words of a fact with what changed of its triple put in place; empty where what was there is not found."""
    for before, after in zip(was.model_dump().values(), now.model_dump().values(), strict=True):
        if before != after:
            parts = re.split(rf"(?<!\w){re.escape(before)}(?!\w)", text, flags=re.IGNORECASE)
            if len(parts) != _ONCE:
                return ""
            text = after.join(parts)
    return text
