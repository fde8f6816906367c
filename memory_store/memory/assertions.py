"""How two facts of one person relate: whether the newer says the same, or something that cannot be so as well.

Of a relation that has one value, a newer value takes the place of the older (`memory_store.memory.values`).

They contradict where they are about the same things and one denies what the other says ("Rex is a dog", "Rex is not a
dog"), gives another number or time ("it closes at 6", "at 7"), or says that this holds from now on. Which of the two
holds, or that both do, the person says: until then both stay. Pure.
"""

from collections.abc import Set
from functools import cache, lru_cache
from typing import NamedTuple

from assistant.kinds import Content, Fact, Triple
from assistant.reasoning.reasoner import Reasoner
from memory_store.language.function_words import WordKind, folded_words, function_words
from memory_store.language.languages import LANGUAGES
from memory_store.language.normalize import fold
from memory_store.memory.replacing import says_instead
from memory_store.memory.values import Slot, given_anew, one_valued, says_more

_CACHED = 1_024
_MOST_OTHER = 2  # words in which facts differ of which the newer says that it holds from now on
_TELLING = {WordKind.CONTENT, WordKind.ASKING}


class Assertion(NamedTuple):
    """A fact, as facts are compared."""

    text: str
    denied: bool = False
    triples: tuple[Triple, ...] = ()
    one_valued: tuple[str, ...] = ()  # kinds of slots of which the person said that they have one value

    @classmethod
    def of(cls, entry: Content) -> "Assertion":
        """What an entry asserts."""
        if not isinstance(entry.body, Fact):
            return cls(entry.shown)
        said = entry.body
        return cls(said.text, said.denied, () if said.denied else said.triples, said.one_valued)


def assertion_forms(said: Assertion) -> list[str]:
    """Texts of which related ones share at least one; its own words are first."""
    about = " ".join(sorted(_read(said).things))
    learnt = (one_value_form(kind) for kind in said.one_valued)
    return [f"asserted {said.denied} {fold(said.text) or said.text}", *([f"about {about}"] if about else []), *learnt]


def one_value_form(kind: str) -> str:
    """What all facts share that say that slots of a kind have one value."""
    return f"one value {kind}"


def same_assertion(new: Assertion, old: Assertion) -> bool:
    """Whether both say the same in the same words."""
    return assertion_forms(new)[0] == assertion_forms(old)[0]


def contradict(new: Assertion, old: Assertion) -> bool:
    """Whether it seems that not both can be so."""
    ours, theirs = _read(new), _read(old)
    if ours.things and ours.things == theirs.things:
        return ours.denies != theirs.denies or ours.amounts != theirs.amounts
    differ = max(len(ours.things - theirs.things), len(theirs.things - ours.things))
    same_first = ours.first in theirs.things and theirs.first in ours.things
    return says_instead(new.text) and same_first and differ <= _MOST_OTHER


def other_value(new: Assertion, old: Assertion) -> bool:
    """Whether the newer gives another value of something that has one."""
    return bool(_anew(new, old))


def is_replaced(old: Assertion, new: Assertion) -> bool:
    """Whether the older says nothing beside values that the newer gives anew."""
    return not says_more(old.text, old.triples, _anew(new, old))


def _anew(new: Assertion, old: Assertion) -> Set[Slot]:
    single = single_slots(new)
    return single & given_anew(new.triples, old.triples) if single and old.triples else frozenset()


@lru_cache(maxsize=_CACHED)
def single_slots(said: Assertion) -> Set[Slot]:
    """What a fact gives a value of that may have one only."""
    always, if_now = (one_valued(said.triples, said.one_valued, is_now=is_now) for is_now in (False, True))
    return if_now if if_now != always and _reasoner().says_now(said.text) else always


@cache
def _reasoner() -> Reasoner:
    return Reasoner(LANGUAGES)


class _Read(NamedTuple):
    things: frozenset[str]  # what it is about, and what it says of that
    first: str  # of them, as it is told: mostly what it is about; empty where there is none
    amounts: frozenset[str]  # numbers and times
    denies: bool


@lru_cache(maxsize=_CACHED)
def _read(said: Assertion) -> _Read:
    words, known = folded_words(said.text), function_words()
    amounts = frozenset(word for word in words if any(map(str.isdecimal, word)) or known.is_time(word))
    things = [word for word in words if known.kind(word) in _TELLING and word not in amounts]
    negations = sum(known.kind(word) is WordKind.NEGATION for word in words)
    return _Read(frozenset(things), next(iter(things), ""), amounts, (negations % 2 == 1) != said.denied)
