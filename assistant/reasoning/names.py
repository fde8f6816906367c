"""Find names of things and of relations in a text."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Sequence

from assistant.kinds import Triple
from assistant.reasoning.words import SPEAKERS, SentenceWord, Words, parts_of_speech

AT = frozenset({"in", "other"})
"""Roles of words for a position."""
_INFINITIVES = ("na", "ना", "ਨਾ", "ਣਾ")
_LONGEST = 300  # characters to parse at once
_LITTLE = frozenset({"a", "an", "the", "of"})
"""Optional words of a name: "France's capital" is "the capital of France"."""
_WRITERS = frozenset({"me", "we"})


def names_both(text: str, triple: Triple, words: Words) -> bool:
    """Return True if a text names subject and object of a triple."""
    return all(stands_in(name, text, words) for name in (triple.subject, triple.object))


def stands_in(name: str, text: str, words: Words) -> bool:
    """Return True if a text has all words of a name, in any spelling, script or inflection.

    A text about its writer names "I" and "we": "my manager is Dana" names "I" and "Dana".
    """
    name, text = (" ".join(part.split()) for part in (name, text))
    if name in SPEAKERS.values() and speaks_of_writer(text, words):
        return True
    if any(map(str.isalnum, name)) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE):
        return True
    if any(unicodedata.category(sign)[0] == "S" and sign not in text for sign in name):
        return False
    named, said = _read(name, words), _read(text, words)
    keys = {key for word in said for key in _keys(word, words)}
    writers = {role for word in said for role in word.roles & _WRITERS}
    lacking = [word for word in named if keys.isdisjoint(_keys(word, words))]
    may_lack = all(word.roles and (word.written.lower() in _LITTLE or word.roles & writers) for word in lacking)
    return may_lack and not all(word.roles for word in named)


def speaks_of_writer(text: str, words: Words) -> bool:
    """Return True if a text has a word for its writer, or for their group."""
    return any(word.roles & _WRITERS for word in _read(text, words))


def is_done(relation: Sequence[SentenceWord]) -> bool:
    """Return True if a relation is a verb or a position, not a noun ("works in", not "manager")."""
    held = {role for word in relation for role in word.roles}
    verbs = (word.written.lower() for word in relation if not word.roles)
    is_verbal = any(
        verb.endswith(_INFINITIVES) or (verb.endswith("s") and "v" in parts_of_speech(verb)) for verb in verbs
    )
    return is_verbal or bool(held & {*AT, "is", "can", "does", "has"})


def _read(text: str, words: Words) -> list[SentenceWord]:
    """Parse the words of a text of any length."""
    return [word for part in textwrap.wrap(text, _LONGEST, break_on_hyphens=False) for word in words.read(part)]


def _keys(word: SentenceWord, words: Words) -> frozenset[str]:
    written = word.written.casefold()
    return word.keys | {written, words.languages.fold(written)}
