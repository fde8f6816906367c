"""What a simple sentence says of two things, as a triple, and a triple as a sentence. Pure.

My manager is Dana          I | manager | Dana
Dana works in Pune          Dana | works in | Pune
Dana Pune mein rehti hai    Dana | mein rehna | Pune
Rex is a dog                Rex | is | dog

The relation is in the words of the sentence: an English verb as "she works", a Hindi or Punjabi one as dictionaries
name it. A sentence in the past has none, except that something moved: that is a newer value of where it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from assistant.kinds import Triple
from assistant.reasoning.names import AT, is_done
from assistant.reasoning.reading import Part, Sentence, runs_of
from assistant.reasoning.words import ENGLISH, SPEAKERS, YOU, Words, infinitive, is_verb_form, third_person

LIVES_IN = "lives in"
"""Where something is that moved, of which nothing like that was known."""
_FORMS = {"am": "is", "are": "is", "have": "has"}
_OWNERS = {"I": "my", "we": "our"}
_LINKS = frozenset({"is", "has", "can", "does", "of", "me", *AT})
"""Roles of words that are kept in a relation."""
_MOST = 2  # words of content of a relation


def triple_of(said: Sentence) -> Triple | None:
    """Return what a sentence says of two things; nothing where it asks, denies, or does not simply say that."""
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
    """Return where something has come to be, by a sentence that says so of it; else nothing.

    Dana moved to Delhi       Dana Delhi chali gayi
    Dana is in Delhi now      Dana ab Delhi mein hai
    """
    has_moved = any("moves" in word.signs for word in said.words[1:])
    if not _is_plain(said) or not (has_moved or (said.says_now and said.is_being)):
        return ()
    runs = runs_of([part for part in said.rest if not part.word.signs & {"moves", "helping"}], said.words)
    is_somebody = any(part.owned or part.word.is_name or part.is_person for part in said.subject)
    if not is_somebody or len(runs) != 1 or not all(part.word.is_name for part in runs[0]):
        return ()
    first = runs[0][0]
    is_led = not said.is_english or said.words[first.at - 1].written.lower() == "to"
    return runs[0] if first.in_place or (has_moved and is_led) else ()


def text_of(triple: Triple, words: Words) -> str:
    """Return a plain sentence that says what a triple says."""
    subject, name, value = triple.subject, triple.relation, triple.object
    is_english = words.language(name) == ENGLISH
    if is_done(words.read(name)):
        return f"{subject} {name} {value}" if is_english else f"{subject} {value} {name} hai"
    owner = _OWNERS.get(subject) or subject + ("'s" if is_english else " ka")
    return f"{owner} {name} is {value}" if is_english else f"{owner} {name} {value} hai"


def _is_plain(said: Sentence) -> bool:
    first = said.words[0].roles if said.words else frozenset[str]()
    others = {"he", "there", *AT} if said.is_english else {"he"}  # of which one begins: "in summer she lives in Goa"
    about_you = any(YOU in part.word.keys for part in said.parts)
    thinks = any(  # "Dana says my manager is Kim"
        third_person(verb.word.written) == verb.word.written and not part.owned and (part.is_person or part.word.named)
        for verb, part in pairwise(said.subject)
    )
    thinks |= any(part.is_person for part in said.subject[1:])  # "Dana told me Ravi likes tea"
    is_told = bool(said.split and said.rest) and not (said.negative or said.is_question or said.some)
    return is_told and not (thinks or about_you or first & others)


def _is_value(said: Sentence, value: Sequence[Part]) -> bool:
    """Return True if parts name somebody's manager, name or colour, rather than say what kind of thing it is."""
    last = value[-1]
    counts = any(part.word.counts for part in value) and not last.word.is_adjective  # but "5 years old"
    of_value = "values" in said.subject[-1].word.signs
    is_name = last.word.named or (last.word.is_name and (said.is_english or said.split <= _MOST + 1))
    return not (said.is_a or is_verb_form(last.word)) and (counts or (not last.in_place and (of_value or is_name)))


def _relation(said: Sentence) -> str:
    """Return all words but those of the subject and of the value, as a relation; nothing where they say more."""
    inside = {at for some in (said.subject, said.value) for at in range(some[0].at, some[-1].at + 1)}
    rest = [word for at, word in enumerate(said.words) if at not in inside and (word.roles & _LINKS or not word.roles)]
    contents = [word for word in rest if not word.roles]
    if not rest or len(contents) > _MOST or any(word.named for word in contents):
        return ""
    if said.is_english:
        verb, *others = (word.written.lower() for word in rest)
        verb = _FORMS.get(verb, verb) if said.verbs else third_person(verb)
        return " ".join([verb, *others]) if verb else ""
    rest = [word for word in rest if "is" not in word.roles] or rest
    return " ".join(("is" not in word.roles and infinitive(word.written)) or word.written for word in rest)


def _triple(said: Sentence, subject: Sequence[Part], relation: str, value: Sequence[Part]) -> Triple | None:
    sides = [SPEAKERS.get(min(some[0].word.keys), "") if len(some) == 1 else "" for some in (subject, value)]
    first, last = (side or said.written(some) for side, some in zip(sides, (subject, value), strict=True))
    return Triple(subject=first, relation=relation.lower(), object=last) if relation and first and last else None
