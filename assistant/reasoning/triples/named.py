"""Whether a text names what a triple is about: a triple says nothing of what its sentence does not mention. Pure."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterator

from assistant.kinds import Triple
from assistant.reasoning.triples.read import SPEAKERS
from assistant.reasoning.words import Word, Words

_LONGEST = 300  # characters that are taken apart together
_LITTLE = frozenset({"a", "an", "the", "of"})
"""Words of a name that need not stand in the text: France's capital is "the capital of France"."""
_INDIC = ("DEVANAGARI", "GURMUKHI")
_WRITERS = frozenset({"me", "we"})


def names_both(text: str, triple: Triple, words: Words) -> bool:
    """Return True if subject and object of a triple stand in a text."""
    return all(stands_in(name, text, words) for name in (triple.subject, triple.object))


def stands_in(name: str, text: str, words: Words) -> bool:
    """Return True if a name stands in a text, word by word and whole, in any spelling, script or inflection.

    "I" and "we" stand in a text that speaks of its writer: "my manager is Dana" names "I" and "Dana".
    """
    if name in SPEAKERS.values() and speaks_of_writer(text, words):
        return True
    if _stands_as_written(name, text):
        return True
    if any(unicodedata.category(sign)[0] == "S" and sign not in text for sign in name):
        return False
    named, said = list(_read(name, words)), list(_read(text, words))
    keys = {key for word in said for key in _keys(word, words)}
    roles = {role for word in said for role in word.roles & _WRITERS}
    return any(map(bool, named)) and all(
        not keys.isdisjoint(_keys(word, words)) or _may_lack(word, roles) or any(_sounds_as(word, one) for one in said)
        for word in named
    )


def speaks_of_writer(text: str, words: Words) -> bool:
    """Return True if a text has a word for the person who wrote it, or for their group."""
    return any(word.roles & _WRITERS for word in _read(text, words))


def _stands_as_written(name: str, text: str) -> bool:
    """Return True if a name stands in a text letter by letter; one of punctuation only is none."""
    name, text = (" ".join(part.split()) for part in (name, text))
    is_name = any(unicodedata.category(sign)[0] in "LNS" for sign in name)
    return is_name and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def _read(text: str, words: Words) -> Iterator[Word]:
    """The words of a text of any length."""
    for part in textwrap.wrap(text, _LONGEST, break_on_hyphens=False):
        yield from words.read(part)


def _keys(word: Word, words: Words) -> frozenset[str]:
    written = word.written.casefold()
    return word.keys | {written, words.languages.fold(written)}


def _may_lack(word: Word, roles: set[str]) -> bool:
    """Return True if a word need not stand in a text as it does in a name: an article, or "meri" for "my"."""
    return bool(word.roles) and (word.written.lower() in _LITTLE or not word.roles.isdisjoint(roles))


def _sounds_as(word: Word, other: Word) -> bool:
    """Return True if two words are one in two scripts, of which one at least is Devanagari or Gurmukhi."""
    scripts = {_script(word), _script(other)}
    return bool(word.sound) and word.sound == other.sound and len(scripts) > 1 and not scripts.isdisjoint(_INDIC)


def _script(word: Word) -> str:
    return unicodedata.name(word.written[:1], "").partition(" ")[0]
