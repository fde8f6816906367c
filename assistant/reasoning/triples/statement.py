"""A triple as a sentence that can be chained, whatever languages its names are in. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.kinds import Triple
from assistant.reasoning.draft import HELPERS, PERSONS, thing_of
from assistant.reasoning.reading import Reader
from assistant.reasoning.same_things import Classes
from assistant.reasoning.sentence import HAVE, Link, Sentence, Thing
from assistant.reasoning.triples.forms import is_infinitive
from assistant.reasoning.triples.places import AT
from assistant.reasoning.words import Word, is_verb


def statement_of(triple: Triple, reader: Reader) -> Sentence:
    """What a triple says: that somebody does something, is somewhere, or has what the relation names."""
    first, relation, last = (reader.words.read(text) for text in (triple.subject, triple.relation, triple.object))
    if len(relation) > 1 and "of" in relation[-1].roles:  # Dana | manager of | Kim
        first, relation, last = last, relation[:-1], first
    held = {role for word in relation for role in word.roles}
    subject, said = _side(first, 0), things_of(relation, len(first))
    value = _side(last, len(first) + len(relation))
    words = tuple(word.written for word in (*first, *relation, *last))
    if not (subject and value):  # signs alone say nothing
        return Sentence(triple.line, words, ())
    does = is_done(relation)
    if "in" in held:
        value = [replace(thing, in_place=True) for thing in value]
    if said and not does:
        said[0] = said[0].owned(len(subject) - 1)
    if "has" in held:
        said.append(Thing(frozenset({HAVE})))
    link = Link.PLACE if "in" in held else Link.DOES if does and said else Link.IS
    split = len(subject) + (0 if does else len(said))
    return Sentence(triple.line, words, (*subject, *said, *value), link=link, splits=(split,), has_article=not said)


def same_name(one: str, other: str, reader: Reader) -> bool:
    """Whether two names of things, or of relations, are one, in whatever languages and scripts."""
    first, second = (Sentence(name, (), tuple(things_of(reader.words.read(name), 0))) for name in (one, other))
    if not (first.things and second.things):
        return one.casefold() == other.casefold()
    classes = Classes([first, second])
    return [*map(classes.of, first.things)] == [*map(classes.of, second.things)]


def _side(words: Sequence[Word], begin: int) -> list[Thing]:
    """The things of what a triple links; what is all small words, as a blood group "A", is named by these."""
    return things_of(words, begin) or [thing_of(word, at) for at, word in enumerate(words, begin)]


def is_done(relation: Sequence[Word]) -> bool:
    """Whether a relation says what something does, or where it is, rather than names something of it."""
    held = {role for word in relation for role in word.roles}
    return bool(held & {*AT, *HELPERS}) or any(map(_is_verb, relation))


def _is_verb(word: Word) -> bool:
    written = word.written.lower()
    return is_infinitive(written) or (written.endswith("s") and is_verb(written))


def things_of(words: Sequence[Word], begin: int) -> list[Thing]:
    """The things of a name, the first of whose words stands at this place of the sentence."""
    things: list[Thing] = []
    owner: int | None = None
    for at, word in enumerate(words, begin):
        # In Hindi "in" and "I" are written alike; who speaks is called otherwise here.
        key = next((key for role, key in PERSONS.items() if role in word.roles and "in" not in word.roles), "")
        if key or not word.roles:
            thing = Thing(frozenset({key}), at=at) if key else thing_of(word, at)
            things.append(replace(thing, owner=owner, named=word.written[:1].isupper() and not key))
            owner = len(things) - 1 if word.owns or "owner" in word.roles else None
    return things
