"""Convert a simple sentence to a triple and back, and find names in a text.

My manager is Dana          I | manager | Dana
Dana works in Pune          Dana | works in | Pune
Dana Pune mein rehti hai    Dana | mein rehna | Pune
Rex is a dog                Rex | is | dog

The relation has the words of the sentence, with an English verb in the third person, and a Hindi or Punjabi one in the
infinitive. Sentences in the past tense have no triple, except about a move, which gives the new place.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from assistant.kinds import Triple
from assistant.reasoning.reading import Part, Sentence, runs_of
from assistant.reasoning.words import (
    ENGLISH,
    SPEAKERS,
    SentenceWord,
    Words,
    english_forms,
    infinitive,
    parts_of_speech,
    third_person,
)

LIVES_IN = "lives in"
"""Relation of the new place after a move."""
_FORMS = {"am": "is", "are": "is", "have": "has"}
_OWNERS = {"I": "my", "we": "our"}
_LINKS = frozenset({"is", "has", "can", "does", "of", "me", "in", "other"})
"""Roles of words that a relation keeps."""
_DONE = frozenset({"in", "other", "is", "can", "does", "has"})
"""Roles of words in a relation that is a verb or a position, not a noun ("works in", not "manager")."""
_INFINITIVES = ("na", "ना", "ਨਾ", "ਣਾ")
_LONGEST = 300  # characters to parse at once
_LITTLE = frozenset({"a", "an", "the", "of"})
"""Optional words of a name: "France's capital" is "the capital of France"."""
_WRITERS = frozenset({"me", "we"})


def triple_of(said: Sentence) -> Triple | None:
    """Return the triple of a simple statement; None for questions, denials and complex sentences."""
    signs, value = said.signs, said.value
    if not _is_plain(said) or not value:
        return None
    if moved := change_of(said):
        return _triple(said, said.subject, LIVES_IN, moved)
    if signs & {"moves", "past"} or (not said.is_english and "helping" in signs):
        return None
    for whose, what in ((said.subject, value), (value, said.subject)):
        owned = [at for at, part in enumerate(whose) if part.owned]
        if owned and said.is_being and len([*whose, *what]) == len(said.parts) and _is_value(said, what):
            return _triple(said, whose[: owned[-1]], said.written(whose[owned[-1] :]), what)
    return _triple(said, said.subject, _relation(said), value)


def change_of(said: Sentence) -> Sequence[Part]:
    """Return the new place in a sentence about a move, "Dana moved from Pune to Delhi", if any."""
    signs = [word.signs for word in said.words]
    found = {sign for some in signs[1:] for sign in some}
    has_moved = "moves" in found and (said.is_english or "helping" in found)
    is_now = not has_moved and said.says_now and said.is_being
    if not _is_plain(said) or "can" in said.verbs or not (has_moved or is_now):
        return ()
    source = -1 if said.is_english else 1  # "from Pune", "Pune se"
    places = [
        part for part in said.rest
        if not signs[part.at] & {"moves", "helping", "source"} and "source" not in [*signs, set()][part.at + source]
        and not part.word.counts and (not has_moved or part.word.is_name)
    ]  # fmt: skip
    place = next(iter(runs_of(places, said.words)), [])
    if has_moved and said.is_english:
        return place if place and "towards" in signs[place[0].at - 1] else ()
    is_place = len(place) == len(places) > 0 and (has_moved or place[-1].in_place)
    return place if is_place and (place[0].word.is_name or not said.is_english) else ()


def _is_plain(said: Sentence) -> bool:
    """Return True for a statement about a subject, not about "you" or about a thought ("Dana told me Ravi …")."""
    about_you = any("you" in word.roles for word in said.words)
    thinks = any(
        part.is_person or (part.word.named and third_person(verb.word.written) == verb.word.written)
        for verb, part in pairwise(said.subject)
        if not part.owned
    )
    is_told = bool(said.split and said.rest) and not (said.negative or said.is_question or said.some)
    return is_told and not (thinks or about_you)


def _is_value(said: Sentence, value: Sequence[Part]) -> bool:
    """Return True if parts are a value (a name, a number, a colour), not a kind of thing."""
    last = value[-1]
    if said.is_a or last.word.is_verb:
        return False
    of_value = "values" in said.subject[-1].word.signs
    is_name = last.word.named or (last.word.is_name and (said.is_english or said.split <= 2))
    return any(part.word.counts for part in value) or (not last.in_place and (of_value or is_name))


def _relation(said: Sentence) -> str:
    """Return the words outside of subject and value as a relation; empty if they are more than that."""
    inside = {at for some in (said.subject, said.value) for at in range(some[0].at, some[-1].at + 1)}
    rest = [word for at, word in enumerate(said.words) if at not in inside and (word.roles & _LINKS or not word.roles)]
    contents = [word for word in rest if not word.roles]
    is_verb = said.is_english and not {"is", "has"} & {*said.verbs}
    if not rest or len(contents) > 1 + is_verb:
        return ""
    if said.is_english:
        verb, *others = (word.written.lower() for word in rest)
        verb = _FORMS.get(verb, verb) if said.verbs else third_person(verb)
        return " ".join([verb, *others]) if verb else ""
    says_more = any(not word.roles or word.roles & {"has", "does"} for word in rest)
    rest = [word for word in rest if not (says_more and "is" in word.roles)]
    return " ".join(word.written if "is" in word.roles else infinitive(word.written) for word in rest)


def _triple(said: Sentence, subject: Sequence[Part], relation: str, value: Sequence[Part]) -> Triple | None:
    sides = [SPEAKERS.get(min(some[0].word.keys), "") if len(some) == 1 else "" for some in (subject, value)]
    first, last = (side or said.written(some) for side, some in zip(sides, (subject, value), strict=True))
    return Triple(subject=first, relation=relation.lower(), object=last) if relation and first and last else None


def text_of(triple: Triple, words: Words) -> str:
    """Write a triple as a plain sentence."""
    subject, name, value = triple.subject, triple.relation, triple.object
    relation = words.read(name)
    if len(relation) > 1 and "of" in relation[-1].roles:  # Dana | manager of | Kim
        subject, name, value = value, name.rsplit(maxsplit=1)[0], subject
    is_english = words.language(name) == ENGLISH
    verbs = [word.written.lower() for word in relation if not word.roles]
    is_verb = any(one.endswith(_INFINITIVES) or (one.endswith("s") and "v" in parts_of_speech(one)) for one in verbs)
    if is_verb or any(word.roles & _DONE for word in words.read(name)):
        verb, space, rest = name.partition(" ")
        bases = english_forms(verb.lower()) if is_english and subject in SPEAKERS.values() else ()
        base = next((form for form in bases if form != verb and third_person(form) == verb.lower()), verb)
        name = f"{base}{space}{rest}"  # "I live", where she lives
        return f"{subject} {name} {value}" if is_english else f"{subject} {value} {name} hai"
    owner = _OWNERS.get(subject) or subject + ("'s" if is_english else " ka")
    return f"{owner} {name} is {value}" if is_english else f"{owner} {name} {value} hai"


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

    def keys_of(word: SentenceWord) -> frozenset[str]:
        written = word.written.casefold()
        return word.keys | {written, words.languages.fold(written)}

    named, said = _read(name, words), _read(text, words)
    keys = {key for word in said for key in keys_of(word)}
    writers = {role for word in said for role in word.roles & _WRITERS}
    lacking = [word for word in named if keys.isdisjoint(keys_of(word))]
    may_lack = all(word.roles and (word.written.lower() in _LITTLE or word.roles & writers) for word in lacking)
    return may_lack and not all(word.roles for word in named)


def speaks_of_writer(text: str, words: Words) -> bool:
    """Return True if a text has a word for its writer, or for their group."""
    return any(word.roles & _WRITERS for word in _read(text, words))


def _read(text: str, words: Words) -> list[SentenceWord]:
    """Parse the words of a text of any length."""
    return [word for part in textwrap.wrap(text, _LONGEST, break_on_hyphens=False) for word in words.read(part)]
