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
from dataclasses import replace
from itertools import pairwise

from assistant.kinds import Triple
from assistant.reasoning.names import AT, is_done
from assistant.reasoning.sentence import Sentence, Thing
from assistant.reasoning.words import ENGLISH, SPEAKERS, YOU, Word, Words, infinitive, is_verb_form, third_person

LIVES_IN = "lives in"
"""Where something is that moved, of which nothing like that was known."""
_FORMS = {"am": "is", "are": "is", "have": "has"}
_OWNERS = {"I": "my", "we": "our"}
_LINKS = frozenset({"is", "has", "can", "does", "of", "me", *AT})
"""Roles of words that are kept in a relation."""


def triple_of(said: Sentence) -> Triple | None:
    """Return what a sentence says of two things; nothing where it asks, denies, or does not simply say that."""
    signs = {sign for word in said.words for sign in word.signs}
    if not _is_plain(said) or signs & {"unsure", "joins"}:
        return None
    if changed := change_of(said):
        return _triple(said, changed[:1], LIVES_IN, changed[1:])
    if signs & {"moves", "past"} or (not said.is_english and "helping" in signs):
        return None
    return _named(said) or _related(said)


def change_of(said: Sentence) -> list[Thing]:
    """Return what has come to be somewhere, and where; nothing where a sentence says nothing like that."""
    signs = [*(word.signs for word in said.words), frozenset[str]()]
    moved = {at for at, some in enumerate(signs) if at and some & {"moves", "helping"}}
    found = {sign for at in moved for sign in signs[at]}
    has_moved = "moves" in found and (said.is_english or "helping" in found)
    is_now = not moved and said.says_now and said.is_being and any(thing.in_place for thing in said.things)
    if not (_is_plain(said) and (has_moved or is_now)) or "can" in said.roles:
        return []
    beside = -1 if said.is_english else 1  # "from Pune", "Pune se"
    things = [
        thing for thing in said.things
        if thing.at >= 0 and thing.at not in moved and "source" not in signs[thing.at] | signs[thing.at + beside]
    ]  # fmt: skip
    if len(things) < 2 or (len(things) > 2 and not said.is_english):
        return []
    first, place = things[:2]
    if said.is_english and has_moved and "towards" not in signs[place.start - 1]:  # "moved Kim to Delhi" tells of Kim
        return []
    is_somebody = first.owner or first.word.is_name or first.is_person
    return [first, place] if is_somebody and (place.word.is_name or (place.in_place and not said.is_english)) else []


def text_of(triple: Triple, words: Words) -> str:
    """Return a plain sentence that says what a triple says."""
    subject, name, value = triple.subject, triple.relation, triple.object
    relation = words.read(name)
    if len(relation) > 1 and "of" in relation[-1].roles:  # Dana | manager of | Kim
        subject, name, value = value, name.rsplit(maxsplit=1)[0], subject
    is_english = words.language(name) == ENGLISH
    if is_done(words.read(name)):
        return f"{subject} {name} {value}" if is_english else f"{subject} {value} {name} hai"
    owner = _OWNERS.get(subject) or subject + ("'s" if is_english else " ka")
    return f"{owner} {name} is {value}" if is_english else f"{owner} {name} {value} hai"


def _is_plain(said: Sentence) -> bool:
    others = {"he", "there", *AT} if said.is_english else {"he"}  # of which one begins: "in summer she lives in Goa"
    tells = not (said.negative or said.is_question or said.some) and len(said.things) > 1
    about_you = any(YOU in part.word.keys for part in said.parts)
    thinks = any(  # "Dana says my manager is Kim"
        third_person(verb.word.written) == verb.word.written and (thing.owner or thing.word.named)
        for verb, thing in pairwise(said.things[: said.split])
    )
    return tells and not (thinks or about_you or said.words[0].roles & others or said.things[0].in_place)


def _named(said: Sentence) -> Triple | None:
    """Return what a sentence says somebody's manager, name or colour is; nothing where it says nothing like that."""
    words = [thing.word for thing in said.things]
    if not (said.is_being and said.roles) or is_verb_form(words[-1]) or (said.is_english and not said.split):
        return None
    split = said.split or len(words) - 1
    if not said.is_english:  # names of several words
        while split > 1 and words[split - 1].is_name and (words[split].named or words[split].counts):
            split -= 1
    first, last = said.things[:split], said.things[split:]
    counts = any(word.counts for word in words[split:]) and not words[-1].is_adjective  # but "5 years old"
    is_alone = said.is_english or len(words) == 2 + ("quality" in words[0].signs)
    is_value = counts or "values" in words[split - 1].signs or words[-1].named or (words[-1].is_name and is_alone)
    is_value = is_value and not said.is_a and (counts or not last[-1].in_place)
    for whose, value, fits in ((first, last, is_value), (last, first, not counts)):
        if whose[0].owner and fits:
            what = said.written([replace(whose[0], owner=None), *whose[1:]])
            return _triple(said, [whose[0].owner], what, value)
    return None


def _related(said: Sentence) -> Triple | None:
    """Return what a sentence is about, what it links with that, and all other words as their relation."""
    things = [thing for thing in said.things if thing.at >= 0]
    is_verb = said.is_english and not {"is", "has"} & {*said.roles}
    split = said.split or int(not said.is_english)
    is_whole = "has" in said.roles or (said.is_being and (said.split > 0 or len(things) == 2))
    last = _last_run(things[split + is_verb :]) if said.is_english else things[split : None if is_whole else split + 1]
    is_mixed = said.is_english and len({*said.roles}) > 1
    if not (split and last) or is_mixed or any(thing.is_person for thing in things[1:split]):
        return None
    inside = {at for some in (things[:split], last) for at in said.span(some)}
    rest = [word for at, word in enumerate(said.words) if at not in inside and (word.roles & _LINKS or not word.roles)]
    contents = [word for word in rest if not word.roles]
    most = is_verb + ("has" not in said.roles) if said.is_english else not is_whole
    names = [word for word in contents[is_verb:] if word.named or (word.is_name and said.is_english)]
    is_ended = said.is_english or any("is" in word.roles for word in said.words[last[-1].at + 1 :])
    is_beside = not said.is_english and any(thing.in_place and thing not in last for thing in things)
    if not rest or len(contents) > most or names or is_beside or not is_ended:
        return None
    relation = _english(said, rest) if said.is_english else _indic(rest, last[-1].word, is_whole)
    return _triple(said, things[:split], " ".join(relation), last)


def _english(said: Sentence, rest: Sequence[Word]) -> list[str]:
    """Return these words as a relation, the verb as "she works"; none where another word stands before the verb."""
    verb, *others = (word.written.lower() for word in rest)
    if said.roles:
        return [_FORMS.get(verb, verb), *others] if said.roles[0] in rest[0].roles else []
    return [third_person(verb), *others]


def _indic(rest: Sequence[Word], last: Word, is_whole: bool) -> list[str]:
    """Return these words as a relation, verbs as dictionaries name them; none where the verb is among the things."""
    says_more = any(not word.roles or "has" in word.roles for word in rest)
    if not (says_more or is_whole) or (is_whole and is_verb_form(last)):
        return []
    rest = [word for word in rest if not (says_more and "is" in word.roles)]
    return [("" if "is" in word.roles else infinitive(word.written)) or word.written for word in rest]


def _last_run(things: Sequence[Thing]) -> Sequence[Thing]:
    """Return the things at the end that stand side by side, without a word like "near" before them."""
    begin = len(things) - 1
    while begin > 0 and things[begin].start == things[begin - 1].at + 1:
        begin -= 1
    is_led = 0 <= begin < len(things) - 1 and "beside" in things[begin].word.signs
    return things[max(begin, 0) + is_led :]


def _triple(said: Sentence, first: Sequence[Thing], relation: str, last: Sequence[Thing]) -> Triple | None:
    sides = [_name(said, first), _name(said, last)]
    return Triple(subject=sides[0], relation=relation.lower(), object=sides[1]) if relation and all(sides) else None


def _name(said: Sentence, things: Sequence[Thing]) -> str:
    """Return what things are called."""
    key = next(iter(things[0].word.keys & SPEAKERS.keys()), "") if len(things) == 1 else ""
    return SPEAKERS[key] if key else said.written(things)
