"""Questions and what was told, from texts to what follows; and which texts tell something."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import pairwise

from assistant.kinds import Triple
from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon
from assistant.reasoning.chaining import Chain, Outcome
from assistant.reasoning.reading import Reader
from assistant.reasoning.sentence import ME, WE, YOU, Sentence
from assistant.reasoning.told import Known
from assistant.reasoning.triples.places import is_whereabouts
from assistant.reasoning.triples.read import changes_place, triples_in
from assistant.reasoning.triples.statement import same_name, statement_of
from assistant.reasoning.words import ENGLISH, Words, english_forms, is_adjective, is_verb

_CACHED = 4_096
_FEWEST, _MOST = 2, 6  # things of a plain statement
_MOST_WORDS = 10
_COMMA = re.compile(r",(?!\d)")  # no part of a number
_OPEN = frozenset({"who", "where", "when", "amount", "why", "how", "which"})  # roles of words with which one asks
_ENDS = frozenset({"is", "can"})  # what a Hindi or Punjabi statement ends with


@dataclass(frozen=True, slots=True)
class Note:
    """Something that was told."""

    text: str
    denied: bool = False  # it was said that it is not so
    triples: tuple[Triple, ...] = ()  # what its person took over of it


@dataclass(eq=False)
class Reasoner:
    """Reads and chains. Safe to share between threads."""

    languages: Languages
    reader: Reader = field(init=False)

    def __post_init__(self) -> None:
        self.reader = Reader(Words(self.languages))
        self.read = lru_cache(maxsize=_CACHED)(self.reader)
        self.statements = lru_cache(maxsize=_CACHED)(self.reader.statements)
        self.tells_of_change = lru_cache(maxsize=_CACHED)(self._tells_of_change)
        self.triples = lru_cache(maxsize=_CACHED)(partial(triples_in, reader=self.reader))
        self.statement = lru_cache(maxsize=_CACHED)(partial(statement_of, reader=self.reader))

    def chain(self, question: str, notes: Sequence[Note]) -> tuple[Chain, list[int]]:
        """A question with what was told, in simple sentences, and the place of the note of each of these."""
        moved = self._moved(notes)
        told = [
            (place, said)
            for place, note in enumerate(notes)
            for said in (*self._statements(note), *map(self.statement, moved.get(place, ())))
        ]
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

    def ends(self, text: str, note: Note) -> bool:
        """Whether a text says that all that was told is so no longer, or that something else is."""
        said = self.read(text)
        if not (said.ended or said.renews) or note.denied:
            return False
        facts = [said, *self._statements(note)]
        new, *told = (one for one in Known(said, facts, [False] * len(facts)).told if one.is_as_told)
        return not told if said.ended else all(one.gives_another(new) for one in told)

    def asks_the_same(self, first: str, second: str) -> bool:
        """Whether two questions ask the same of the same things, in whatever words, script or order."""
        one, other = self.read(first), self.read(second)
        known = Known(one, [other], [False])
        return one.asks is other.asks and sorted(known.items(one)) == sorted(known.items(other)) != []

    def _moved(self, notes: Sequence[Note]) -> dict[int, list[Triple]]:
        """What those say that tell where something is from now on: another place for all that was told of where it is.

        What its person took over of it is not read anew.
        """
        moves = {
            place: triple
            for place, note in enumerate(notes)
            if not (note.denied or note.triples) and self.tells_of_change(note.text)
            for triple in self.triples(note.text)
        }
        told = [
            triple
            for place, note in enumerate(notes)
            if moves and place not in moves and not note.denied
            for triple in (note.triples or self.triples(note.text))
            if is_whereabouts(triple.relation, self.reader)
        ]
        return {place: self._places(moved, told) for place, moved in moves.items()}

    def _places(self, moved: Triple, told: Sequence[Triple]) -> list[Triple]:
        """A new place of something as that of where it lives, or of all that is known of where it is."""
        known = {one.relation for one in told if same_name(one.subject, moved.subject, self.reader)}
        lives = any(same_name(relation, moved.relation, self.reader) for relation in known)
        others = () if lives else sorted(known)
        return [moved, *(moved.model_copy(update={"relation": relation}) for relation in others)]

    def _statements(self, note: Note) -> tuple[Sentence, ...]:
        """What is denied is denied as a whole."""
        if note.denied:
            return (self.read(note.text),)
        return (*self.statements(note.text), *(self.statement(triple) for triple in note.triples))

    def _tells_of_change(self, text: str) -> bool:
        """Whether a text says plainly that something has come to be somewhere."""
        return not _COMMA.search(text) and len(text.split()) <= _MOST_WORDS and changes_place(text, self.reader)

    def tells(self, text: str) -> bool:
        """Whether a text is a plain statement: it says something of something, and asks for nothing."""
        words = self.reader.words.read(text)
        if self.reader.words.language(text) == ENGLISH:  # "Dana no longer lives in Delhi", "Dana now lives …"
            text = (
                " ".join(word.written for word in words if "now" not in word.roles) if not _COMMA.search(text) else text
            )
        said, words = self.read(text), self.reader.words.read(text)
        things = said.things
        begin = next((word.roles for word in words if "filler" not in word.roles), frozenset())
        if said.is_question or "you" in begin or not _FEWEST <= len(things) <= _MOST or YOU in things[0].keys:
            return False
        if len(words) > _MOST_WORDS or _COMMA.search(text) or any(word.roles & _OPEN for word in words):
            return False
        if not said.is_firm:
            return _says_of(said)
        is_english = self.reader.words.language(text) == ENGLISH
        begins = _may_begin(*said.words[:2]) if is_english else bool(words[-1].roles & _ENDS) or said.negative
        return bool(said.splits) and begins


def _may_begin(word: str, behind: str) -> bool:
    """Whether a word may begin a statement: no verb that is none but that does, and none that nobody knows before "of",
    which wants something of a text: "splonk of the bus was late".
    """
    known = lexicon().find(word.lower())
    if known is None:
        return behind.lower() != "of"
    return not known.parts or "n" in known.parts or "v" not in known.parts


def _says_of(said: Sentence) -> bool:
    """Whether a verb stands behind what it is said of, in the form that fits that: dogs bark, the dog barks."""
    words = [word.lower() for word in said.words]
    for thing, verb in pairwise(said.things):
        if verb.owner is not None or is_adjective({words[thing.at]}):
            continue
        if thing.at == verb.at - 1 and thing.at >= 0 and is_verb(words[verb.at]):
            if thing.keys & {ME, WE}:
                return True
            is_many = _is_plural(words[thing.at]) and not thing.named
            return _is_noun(words[thing.at], begins=not thing.at) and is_many != words[verb.at].endswith("s")
        if not _is_noun(words[thing.at], begins=not thing.at):
            return False
    return False


def _is_noun(word: str, *, begins: bool) -> bool:
    """Whether a word may be a noun, as names may. One that begins a sentence is no verb before it is one."""
    if begins and (known := lexicon().find(word)) and known.parts[:1] == "v" and not word.endswith("s"):
        return False
    records = [record for form in english_forms(word) if (record := lexicon().find(form))]
    return not records or any("n" in record.parts or not record.parts for record in records)


def _is_plural(word: str) -> bool:
    known = lexicon().find(word)
    return word.endswith("s") and known is not None and "n" in known.parts
