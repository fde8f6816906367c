"""Edits of the fact sheet (MemLLM, section 4.3): its user changes a line, takes it off, or brings in many.

A line is a triple of a fact. A fact whose line the user changed says what its triples say, in plain sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from assistant.errors import InputError, NotFound, NotKept, NotSaid, StoreError
from assistant.feedback.clarifications import remember_anew
from assistant.kinds import Fact, Triple
from assistant.language.lexicon import lexicon
from assistant.papers.teachme.facts import fact, same
from assistant.ports import Memory
from assistant.reasoning.triples import text_of
from assistant.reasoning.words import ENGLISH, SPEAKERS, Words
from assistant.sentences import Sentence
from assistant.types import Entry, Scope, Status, Turn

Told = tuple[str, Sequence[Triple]]
"""A sentence with its triples."""
MOST_AT_ONCE = 1_000
"""Lines that are taken in together."""
_OF_A_CHANGE = 100  # lines that count as one change of memory


@dataclass(frozen=True, slots=True)
class TakenIn:
    """The result of taking in many facts."""

    kept: int = 0  # triples
    why: tuple[Sentence, ...] = ()  # of those that were not kept


def changes_of(lines: int) -> int:
    """Return as how many changes of memory so many lines count. Raises InputError where they are too many together."""
    if lines > MOST_AT_ONCE:
        raise InputError("sheet.too_many", count=MOST_AT_ONCE)
    return max(1, -(-lines // _OF_A_CHANGE))


def triples_of(entry: Entry) -> tuple[Triple, ...]:
    """Return the triples of a fact that is not denied."""
    body = entry.body
    return body.triples if isinstance(body, Fact) and not body.denied else ()


def sentences_of_triples(triples: Iterable[Triple], words: Words) -> str:
    """Return a plain sentence for each triple: "I | lives in | Pune" is "I live in Pune"."""
    return ". ".join(_sentence(triple, words) for triple in triples)


def _sentence(triple: Triple, words: Words) -> str:
    plain = f"{triple.subject} {triple.relation} {triple.object}"
    if words.language(plain) != ENGLISH:
        return plain
    verb = triple.relation.split()[0]
    known = lexicon().find(verb.lower()) if triple.subject in SPEAKERS.values() else None
    base = (known and known.base) or verb  # "I live", where she lives
    return text_of(triple, words).replace(f"{triple.subject} {verb} ", f"{triple.subject} {base} ", 1)


@dataclass(frozen=True, slots=True)
class SheetEditing:
    """Changes facts by their triples. Raises as `Memory` does."""

    memory: Memory
    words: Words

    def change(self, name: str, line: str, scope: Scope) -> Entry:
        """Let the line of this name say what `line` says. Raises InputError where that is no triple."""
        triple = Triple.read(line)
        if triple is None:
            raise InputError("triple.malformed")
        entry, at = self._named(name, scope)
        triples = [*triples_of(entry)]
        triples[at] = triple
        return self.memory.set_triples(entry.id, triples, scope, sentences_of_triples(triples, self.words))

    def take_off(self, name: str, scope: Scope) -> Entry:
        """Take a line off its fact, which stays in its own words."""
        entry, at = self._named(name, scope)
        triples = triples_of(entry)
        return self.memory.set_triples(entry.id, [*triples[:at], *triples[at + 1 :]], scope)

    def take_in(self, told: Iterable[Told], scope: Scope) -> Iterator[TakenIn]:
        """Remember each as a fact; yields the result so far after each. The same twice is stored once."""
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
        """Remember a sentence as a fact with these triples, beside those that it has already."""
        draft = fact(Turn("", "", scope.person, ""), sentence)
        draft = replace(draft, body=Fact(text=sentence, triples=tuple(triples)))
        entry = self.memory.current(self.memory.remember(draft, scope).id, scope)
        if entry is None or not same(entry.shown, sentence):  # it was taken back, or replaced
            entry = remember_anew(draft, self.memory, scope, Status.SUPERSEDED, Status.RETRACTED)
        new = [triple for triple in triples if triple not in triples_of(entry)]
        return self.memory.set_triples(entry.id, [*triples_of(entry), *new], scope) if new else entry

    def in_sentences(self, triples: Iterable[Triple]) -> Iterator[Told]:
        """Yield each triple with its sentence."""
        return ((sentences_of_triples([triple], self.words), [triple]) for triple in triples)

    def entry(self, name: str, scope: Scope) -> Entry:
        """Return the fact of a line."""
        return self._named(name, scope)[0]

    def _named(self, name: str, scope: Scope) -> tuple[Entry, int]:
        entry_id, _, at = name.partition(".")
        entry = self.memory.entry(entry_id, scope)
        if not at.isdecimal() or len(at) > 4 or int(at) >= len(triples_of(entry)) or entry.owner != scope.person:
            raise NotFound
        return entry, int(at)
