"""Questions and what was told, from texts to what follows; and which texts tell something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
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

    def chain(self, question: str, notes: Sequence[Note]) -> Chain:
        """A question with what was told."""
        return Chain(self.read(question), [self.read(note.text) for note in notes], [note.denied for note in notes])

    def outcome(self, question: str, notes: Sequence[Note]) -> Outcome:
        """What follows of a question."""
        return self.chain(question, notes).outcome()

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
