"""Convert a simple sentence to a triple, and a triple to a sentence.

My manager is Dana          I | manager | Dana
Dana works in Pune          Dana | works in | Pune
Dana Pune mein rehti hai    Dana | mein rehna | Pune
Rex is a dog                Rex | is | dog

The relation has the words of the sentence, with an English verb in the third person, and a Hindi or Punjabi one in the
infinitive. Sentences in the past tense have no triple, except about a move, which gives the new place.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from assistant.kinds import Triple
from assistant.reasoning.names import AT, is_done
from assistant.reasoning.reading import Part, Sentence, runs_of
from assistant.reasoning.words import (
    ENGLISH,
    SPEAKERS,
    YOU,
    Words,
    english_forms,
    infinitive,
    is_verb_form,
    third_person,
)

LIVES_IN = "lives in"
"""Relation of the new place after a move."""
_FORMS = {"am": "is", "are": "is", "have": "has"}
_OWNERS = {"I": "my", "we": "our"}
_LINKS = frozenset({"is", "has", "can", "does", "of", "me", *AT})
"""Roles of words that a relation keeps."""


def triple_of(said: Sentence) -> Triple | None:
    """Return the triple of a simple statement; None for questions, denials and complex sentences."""
    signs = {sign for word in said.words for sign in word.signs}
    if not _is_plain(said) or "unsure" in signs:
        return None
    if moved := change_of(said):
        return _triple(said, said.subject, LIVES_IN, moved)
    if signs & {"moves", "past"} or (not said.is_english and "helping" in signs) or not said.value:
        return None
    for whose, value in ((said.subject, said.value), (said.value, said.subject)):
        owned = [at for at, part in enumerate(whose) if part.owned]
        if owned and said.is_being and len([*whose, *value]) == len(said.parts) and _is_value(said, value):
            name = said.written(whose[owned[-1] :])
            return _triple(said, whose[: owned[-1]], name, value)
    return _triple(said, said.subject, _relation(said), said.value)


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
        and (not has_moved or part.word.is_name)
    ]  # fmt: skip
    place = next(iter(runs_of(places, said.words)), [])
    if has_moved and said.is_english:
        return place if place and "towards" in signs[place[0].at - 1] else ()
    is_place = len(place) == len(places) > 0 and (has_moved or place[-1].in_place)
    return place if is_place and (place[0].word.is_name or not said.is_english) else ()


def text_of(triple: Triple, words: Words) -> str:
    """Write a triple as a plain sentence."""
    subject, name, value = triple.subject, triple.relation, triple.object
    relation = words.read(name)
    if len(relation) > 1 and "of" in relation[-1].roles:  # Dana | manager of | Kim
        subject, name, value = value, name.rsplit(maxsplit=1)[0], subject
    is_english = words.language(name) == ENGLISH
    if is_done(words.read(name)):
        verb, space, rest = name.partition(" ")
        bases = english_forms(verb.lower()) if is_english and subject in SPEAKERS.values() else ()
        base = next((form for form in bases if form != verb and third_person(form) == verb.lower()), verb)
        name = f"{base}{space}{rest}"  # "I live", where she lives
        return f"{subject} {name} {value}" if is_english else f"{subject} {value} {name} hai"
    owner = _OWNERS.get(subject) or subject + ("'s" if is_english else " ka")
    return f"{owner} {name} is {value}" if is_english else f"{owner} {name} {value} hai"


def _is_plain(said: Sentence) -> bool:
    about_you = any(YOU in part.word.keys for part in said.parts)
    thinks = any(  # "Dana told me Ravi likes tea"
        part.is_person or (part.word.named and third_person(verb.word.written) == verb.word.written)
        for verb, part in pairwise(said.subject)
        if not part.owned
    )
    is_told = bool(said.split and said.rest) and not (said.negative or said.is_question or said.some)
    return is_told and not (thinks or about_you)


def _is_value(said: Sentence, value: Sequence[Part]) -> bool:
    """Return True if parts are a value (a name, a number, a colour), not a kind of thing."""
    last = value[-1]
    counts = any(part.word.counts for part in value)
    of_value = "values" in said.subject[-1].word.signs
    is_quality = any("likes" in part.word.signs for part in said.subject)
    is_name = last.word.named or (last.word.is_name and (said.is_english or said.split <= 2 + is_quality))
    return not (said.is_a or is_verb_form(last.word)) and (counts or (not last.in_place and (of_value or is_name)))


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
    return " ".join(("is" not in word.roles and infinitive(word.written)) or word.written for word in rest)


def _triple(said: Sentence, subject: Sequence[Part], relation: str, value: Sequence[Part]) -> Triple | None:
    sides = [SPEAKERS.get(min(some[0].word.keys), "") if len(some) == 1 else "" for some in (subject, value)]
    first, last = (side or said.written(some) for side, some in zip(sides, (subject, value), strict=True))
    return Triple(subject=first, relation=relation.lower(), object=last) if relation and first and last else None
