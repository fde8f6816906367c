"""Compare two entries of one user: whether the newer replaces the older, says the same, or stands beside it. Pure.

    words of replacing, about one question or phrase    replaced     "from now on kal means tomorrow"
    another value of a slot with one value              replaced     "my manager is Dana", then "my manager is Priya"
    the same, about the same kind of question           duplicate    "akin to quick", "akin to big": a synonym
    one question or phrase, said otherwise              beside       "doubt": a question in class, a suspicion at home
    facts that cannot both be so                        beside       "it closes at 6", "it closes at 7"

The *phrase* is what a user repeats from the question when they say what they meant ("by kal I mean tomorrow").
"""

import hashlib
from collections.abc import Sequence, Set
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from assistant.feedback.corrections import correction_in
from assistant.feedback.cues import comparable, cue_pattern
from assistant.feedback.values import undenied
from assistant.kinds import Content, Fact, Reach
from memory_store.language.function_words import WordKind, explained_words, folded_words, function_words, repeated_words
from memory_store.language.normalize import fold
from memory_store.language.questions import same_question, same_way
from memory_store.memory.values import given_anew, one_valued, says_more

_REPLACING = cue_pattern(Path(__file__).parents[1] / "language" / "lists" / "replacing.toml", "replacing")
_SAME_KIND = 0.9  # from which two questions are asked in the same way
_LONGEST_TEXT = 500  # characters of a text in which a phrase is looked for
_TELLING = frozenset({WordKind.CONTENT, WordKind.ASKING, WordKind.NEGATION})


class Relation(StrEnum):
    """Relation of an older entry to a new one of the same kind and user."""

    UNRELATED = "unrelated"
    REPLACED = "replaced"
    DUPLICATE = "duplicate"  # the new one takes its place and its keys
    BESIDE = "beside"  # both stay


def relation_of(new: Content, old: Content, learnt: Set[str] = frozenset()) -> Relation:
    """Return the relation of the old entry to the new one.

    Args:
        new: the later entry.
        old: an earlier one of the same kind and user.
        learnt: kinds of slots of which the user has said that they have one value.
    """
    is_same = forms_of(new)[0] == forms_of(old)[0]
    if new.kind.keyed:
        return Relation.REPLACED if is_same else Relation.UNRELATED
    if isinstance(new.body, Fact) and isinstance(old.body, Fact):
        return Relation.DUPLICATE if is_same else _between_facts(new.body, old.body, learnt)
    is_same = is_same or same_question(new.question, old.question)
    if _say_the_same(new, old):
        return Relation.DUPLICATE if is_same or _are_of_one_kind(new, old) else Relation.UNRELATED
    ours, theirs = _phrase(new), _phrase(old)
    is_about_one = not ours.isdisjoint(theirs) if ours and theirs else is_same
    if not is_about_one:
        return Relation.UNRELATED
    wishes = [function_words().is_about_words(folded_words(each.text)) for each in (new, old)]
    is_other_wish = is_same and all(wishes)  # one can want only one thing of a word: a synonym, its opposite
    is_replaced = is_other_wish or _REPLACING.search(comparable(new.text)) or (is_same and _denies(new.text, old))
    return Relation.REPLACED if is_replaced else Relation.BESIDE


def forms_of(entry: Content) -> list[str]:
    """Return texts of which related entries share at least one, for look-ups in the ledger; its own words are first."""
    if entry.kind.asserts and not entry.kind.keyed:
        about, denied = " ".join(sorted(_things(entry.text)[0])), getattr(entry.body, "denied", False)
        learnt = (one_value_form(kind) for kind in getattr(entry.body, "one_valued", ()))
        words = f"asserted {denied} {fold(entry.text) or entry.text}"
        return [words, *([f"about {about}"] if about else []), *learnt]
    phrase = frozenset[str]() if entry.kind.keyed else _phrase(entry)
    # A question of signs only has no folded form, and is the same only as itself.
    return [f"question {fold(entry.question) or entry.question}", *(f"phrase {word}" for word in sorted(phrase))]


def one_value_form(kind: str) -> str:
    """Return the form that all facts share by which a user said that slots of a kind have one value."""
    return f"one value {kind}"


def digest(form: str, only_in: str = "") -> str:
    """Return a digest of a form in a conversation, or in all; it is short however long the form is."""
    within = f"only in {only_in}\0" if only_in else ""
    return hashlib.sha256(f"{within}{form}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def form_digests(entry: Content) -> Sequence[str]:
    """Return the digests of the forms of an entry, that of the question first."""
    return [digest(form, entry.only_in) for form in dict.fromkeys(forms_of(entry))]


def about_the_same(new: Content, old: Content) -> bool:
    """Return True if both questions name one thing, other than when."""
    shared = _words(new.question, {WordKind.CONTENT}) & _words(old.question, {WordKind.CONTENT})
    return any(not function_words().is_time(word) for word in shared)


def kinds_of_other_values(entry: Content, older: Content) -> list[str]:
    """Return the kinds of slots of which both facts give a value, each another one; none where they are no facts."""
    new, old = (each.body.triples if isinstance(each.body, Fact) else () for each in (entry, older))
    return sorted({slot.kind for slot in given_anew(new, old)})


def _say_the_same(new: Content, old: Content) -> bool:
    """Return True if both say the same by their telling words, or say nothing.

    What was asked about may be named in both: "for quick I want a synonym". Other numbers say something else.
    """
    ours, theirs = (_meant(each.text) for each in (new, old))
    if fold(ours) == fold(theirs):
        return bool(fold(ours)) or ours == theirs
    said = []
    for each in (new, old):
        asked = {word for word in _words(each.question, {WordKind.CONTENT}) if not word.isdecimal()}
        said.append(_words(_meant(each.text), _TELLING) - asked)
    return bool(said[0]) and said[0] == said[1]


def _are_of_one_kind(new: Content, old: Content) -> bool:
    """Return True if both are asked in the same way, count for more than their question, and explain no word of it."""
    counts_once = any(not each.text or each.reach is Reach.QUESTION for each in (new, old))
    explains = any(explained_words(each.question, each.text) for each in (new, old))
    return not counts_once and not explains and same_way(new.question, old.question) >= _SAME_KIND


def _denies(said: str, old: Content) -> bool:
    """Return True if a text denies something that was said before, other than what is asked about: "not money, …"."""
    denied = frozenset(folded_words(said)) - frozenset(folded_words(undenied(comparable(said))))
    return not denied.isdisjoint(_words(old.text, {WordKind.CONTENT}) - frozenset(folded_words(old.question)))


@lru_cache(maxsize=1_024)
def _meant(said: str) -> str:
    corrected = correction_in(said)
    return corrected.meant if corrected else said


def _words(text: str, kinds: Set[WordKind]) -> frozenset[str]:
    return frozenset(word for word in folded_words(text) if function_words().kind(word) in kinds)


def _phrase(entry: Content) -> frozenset[str]:
    is_short = max(len(entry.question), len(entry.text)) <= _LONGEST_TEXT
    return repeated_words(entry.question, entry.text) if is_short else frozenset()


def _between_facts(new: Fact, old: Fact, learnt: Set[str]) -> Relation:
    """Return what one fact is to another: they contradict if they deny each other, or differ in a number or time."""
    if anew := one_valued(new, learnt) & given_anew(new.triples, () if old.denied else old.triples):
        return Relation.BESIDE if says_more(old.text, old.triples, anew) else Relation.REPLACED
    (things, amounts, denies), (others, before, denied) = _things(new.text), _things(old.text)
    is_other = amounts != before or (denies != new.denied) != (denied != old.denied)
    return Relation.BESIDE if is_other and things and things == others else Relation.UNRELATED


@lru_cache(maxsize=1_024)
def _things(text: str) -> tuple[frozenset[str], frozenset[str], bool]:
    """Return the things that a fact names, the numbers and times, and whether it denies."""
    words, known = folded_words(text), function_words()
    amounts = frozenset(word for word in words if any(map(str.isdecimal, word)) or known.is_time(word))
    negations = sum(known.kind(word) is WordKind.NEGATION for word in words)
    return _words(text, {WordKind.CONTENT, WordKind.ASKING}) - amounts, amounts, negations % 2 == 1
