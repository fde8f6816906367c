"""Whether a word is of the kind that a question asks for, as far as the lexicon knows: a rose is a flower."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.language.lexicon import lexicon
from assistant.reasoning.sentence import Thing
from assistant.reasoning.words import english_forms

UNRELATED = 3
"""From this on an answer is none."""
_PROPERTY = "property"  # in the lexicon
_MOST = 12  # steps from a word to more general ones


def unlikeness(kinds: Sequence[Thing], word: str, *, is_kind: bool) -> int:
    """How unlikely a word is of these kinds: 0 where it is, or none are asked for, 1 for a property, 2 for any other.

    A word that the lexicon knows and has as something else is no answer where it says what a thing is.
    """
    if not kinds:
        return 0
    wanted = {key for kind in kinds for key in (*kind.keys, *kind.glosses)}
    if any(wanted & general for general in _generals(word)):
        return 0
    forms = [record for form in english_forms(word.lower()) if (record := lexicon().find(form))]
    if any(record.parts[:1] == "a" for record in forms):
        return 1
    return UNRELATED if is_kind and forms else 2


def is_property(thing: Thing) -> bool:
    """Whether a word names a property of things, as colour does."""
    return any(_PROPERTY in general for key in (*thing.keys, *thing.glosses) for general in _generals(key))


def _generals(word: str) -> Iterator[frozenset[str]]:
    """For each word of which this may be a form, it and the more general ones."""
    for form in english_forms(word.lower()):
        found: list[str] = []
        record = lexicon().find(form)
        while record and record.text not in found and len(found) < _MOST:
            found.append(record.text)
            record = lexicon().find(record.general or next(iter(record.synonyms), ""))
        yield frozenset(found)
