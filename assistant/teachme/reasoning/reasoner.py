"""Questions and what was told, from texts to what follows; and which texts tell something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon
from assistant.teachme.reasoning.chaining import Chain, Outcome
from assistant.teachme.reasoning.reading import Reader
from assistant.teachme.reasoning.sentence import ME, WE, Sentence, Thing
from assistant.teachme.reasoning.words import Words, english_forms

_CACHED = 4_096
_FEWEST = 2  # things of a statement


@dataclass(frozen=True, slots=True)
class Note:
    """Something that was told."""

    text: str
    denied: bool = False  # it was said that it is not so


@dataclass(eq=False)
class Reasoner:
    """Reads and chains. Safe to share between threads."""

    languages: Languages
    reader: Reader = field(init=False)

    def __post_init__(self) -> None:
        self.reader = Reader(Words(self.languages))
        self.read = lru_cache(maxsize=_CACHED)(self.reader)
        self.statements = lru_cache(maxsize=_CACHED)(self.reader.statements)

    def chain(self, question: str, notes: Sequence[Note]) -> tuple[Chain, list[int]]:
        """A question with what was told, in simple sentences, and the place of the note of each of these."""
        told = [(place, said) for place, note in enumerate(notes) for said in self._statements(note)]
        denied = [notes[place].denied for place, _ in told]
        return Chain(self.read(question), [said for _, said in told], denied), [place for place, _ in told]

    def outcome(self, question: str, notes: Sequence[Note]) -> Outcome:
        """What follows of a question; with the places of notes."""
        chain, places = self.chain(question, notes)
        found = chain.outcome()
        rests_on, disagree, about = (
            tuple(dict.fromkeys(places[at] for at in some)) for some in (found.rests_on, found.disagree, found.about)
        )
        return replace(found, rests_on=rests_on, disagree=disagree, about=about)

    def _statements(self, note: Note) -> tuple[Sentence, ...]:
        """What is denied is denied as a whole."""
        return (self.read(note.text),) if note.denied else self.statements(note.text)

    def tells(self, text: str) -> bool:
        """Whether a text is a plain statement: it says something of something, and asks for nothing."""
        said = self.read(text)
        things = said.things
        if said.is_question or len(things) < _FEWEST or len([*filter(_has_word, things)]) < 1:
            return False
        if said.is_firm:
            return bool(said.splits)
        return _is_somebody(things[0]) and any(_is_verb(said, thing) for thing in things[1:3])


def _has_word(thing: Thing) -> bool:
    return thing.at >= 0


def _is_somebody(thing: Thing) -> bool:
    return thing.named or bool(thing.keys & {ME, WE})


def _is_verb(said: Sentence, thing: Thing) -> bool:
    forms = english_forms(said.words[thing.at].lower()) if thing.at >= 0 else frozenset()
    return any("v" in record.parts for form in forms if (record := lexicon().find(form)))
