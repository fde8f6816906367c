"""What follows from facts: a question is put in other words, fact by fact, until a fact settles it.

    Can Rex bark?   Rex is a dog, so: can a dog bark?   Dogs can bark, so: yes.

Kinds go upwards only (what holds of animals holds of dogs). Names for one person or thing go both ways ("Dana is my
manager"). A place lies in the places around it. Of facts that disagree the one that takes the fewest steps up holds;
where two take as many, both are said. Pure, and bounded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from assistant.reasoning.sentence import Asks, Sentence, Thing
from assistant.reasoning.words import Word, is_verb_form

MOST_FACTS = 100
_DEPTH = 5
_MOST = 120  # wordings of a question
_SINGLE = frozenset({Asks.WHERE, Asks.WHEN, Asks.AMOUNT})  # what has one answer only

State = tuple[tuple[int, ...], ...]
"""A sentence as its things, each as the numbers of its owners and its own. Words that are one share a number."""


class Verdict(StrEnum):
    """What is known of a question."""

    YES = "yes"
    NO = "no"
    WORD = "word"  # what it left open is known
    DISPUTED = "disputed"  # facts disagree
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What follows of a question."""

    verdict: Verdict
    rests_on: tuple[int, ...] = ()  # places of the facts, in the order of the proof
    words: tuple[str, ...] = ()  # what was asked for, as facts name it
    disagree: tuple[int, ...] = ()  # where it is disputed: the facts that cannot all hold
    # Where it is unknown: the facts that speak of what was asked about, what that is called, and what is asked of it.
    about: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    asked: str = ""


@dataclass(frozen=True, slots=True)
class _Told:
    """A fact as it is compared."""

    said: Sentence
    state: State
    negative: bool
    place: int  # among the facts
    is_rule: bool  # what holds of its last things holds of its first
    is_name: bool  # both sides of it name one person or thing

    @property
    def form(self) -> tuple[State, State]:
        """What it shares with the same said in another order: Dana is my manager, my manager is Dana."""
        begin = 0 if self.is_name else 1
        return self.state[:begin], tuple(sorted(self.state[begin:]))


@dataclass(frozen=True, slots=True)
class _Reached:
    """A question in other words."""

    state: State
    facts: tuple[_Told, ...] = ()  # over which it was reached
    climbs: int = 0  # steps to what is more general


class Chain:
    """A question and the facts from which it may follow; `denied` says for each whether it is so that it is not."""

    def __init__(self, question: Sentence, facts: Sequence[Sentence], denied: Sequence[bool]) -> None:
        self.question, facts = question, facts[:MOST_FACTS]
        self._asks_whether = question.asks in {Asks.WHETHER, Asks.NOTHING}
        self._numbers = number_words([part.word for said in (question, *facts) for part in said.parts])
        told = [
            self._told(fact, place, negative=fact.negative != is_denied)
            for place, (fact, is_denied) in enumerate(zip(facts, denied, strict=False))
            if fact.things and not fact.is_question
        ]
        # What was said to be wrong, or to be so no longer, does not count, whoever said it before.
        over = {
            (one.form, not one.negative) for one in told if denied[one.place] or (one.negative and one.said.says_now)
        }
        told = [one for one in told if denied[one.place] or (one.form, one.negative) not in over]
        self._facts = [*{(one.form, one.negative): one for one in reversed(told)}.values()][::-1]
        self.start = self.state(question)
        self._reached = self._reach() if self.start else []

    def state(self, said: Sentence) -> State:
        """Return a sentence as the numbers of its words."""
        return tuple(tuple(self._numbers[part.word.keys] for part in thing.chain) for thing in said.things)

    def reached(self) -> list[Sentence]:
        """Return the facts over which the question can be put in other words, nearest first."""
        return [*{fact.place: fact.said for one in self._reached for fact in one.facts}.values()]

    def outcome(self) -> Outcome:
        """Return what follows."""
        pairs = ((one, fact, self._open(_left(one.state, fact))) for one in self._reached for fact in self._facts)
        hits = [(one, fact, left) for one, fact, left in pairs if left is not None and self._answers(one, fact, left)]
        hits = [hit for hit in hits if hit[0].climbs == hits[0][0].climbs]
        named = [hit for hit in hits if hit[2] and not hit[2][0].is_person]
        hits = named or hits  # "I am Farah" says who Farah is, and what "my name" is
        if not hits or self.question.asks is Asks.WHY:  # no simple sentence says why
            return self._unknown()
        if self._asks_whether:  # one that says it, and one that denies it
            hits = [*{hit[1].negative: hit for hit in reversed(hits)}.values()][::-1]
        words = () if self._asks_whether else tuple(dict.fromkeys(fact.said.written(left) for _, fact, left in hits))
        proof = [fact for one, last, _ in hits for fact in (*one.facts, last)]
        denied = {fact.form: fact for fact in self._facts if fact.negative}
        over = [one for fact in proof if fact.form in denied and not fact.negative for one in (fact, denied[fact.form])]
        if len(words or hits) > 1 and (self._asks_whether or self.question.asks in _SINGLE):
            over = [fact for _, fact, _ in hits]
        if over:
            return Outcome(Verdict.DISPUTED, _places([*proof, *over]), words, _places(over))
        verdict = Verdict.WORD if words else Verdict.NO if hits[0][1].negative else Verdict.YES
        return Outcome(verdict, _places(proof), words)

    def _told(self, said: Sentence, place: int, *, negative: bool) -> _Told:
        in_place = any(thing.in_place for thing in said.things[said.split or 1 :])
        is_rule = said.is_being and not (said.some or in_place) and len(said.things) > 1
        last = said.things[-1].word
        is_named = bool(said.things[0].owner) and (last.is_name if said.is_english else last.named)
        is_owned = is_rule and bool(said.things[said.split or -1].owner)  # "Dana is my manager"
        is_name = is_rule and not said.is_a and (is_named or is_owned or said.of_name)
        return _Told(said, self.state(said), negative, place, is_rule, is_name)

    def _reach(self) -> list[_Reached]:
        """Return the question and what it can be put as; what is least general first."""
        seen = {self.start: _Reached(self.start)}
        waiting = [*seen.values()]
        for one in waiting:
            for state, fact, climbs in self._steps(one.state):
                if state not in seen and fact not in one.facts and len(one.facts) < _DEPTH and len(seen) < _MOST:
                    facts = (*one.facts, fact) if fact else one.facts
                    seen[state] = _Reached(state, facts, one.climbs + climbs)
                    waiting.append(seen[state])
        return sorted(waiting, key=lambda one: (one.climbs, len(one.facts)))

    def _steps(self, state: State) -> Iterator[tuple[State, _Told | None, int]]:
        """Yield a question in other words by one fact, or by none, and by how many steps it is about more."""
        if len(state[0]) > 1 and len(state) > 1:  # what holds of dogs holds of my dog
            yield (state[0][-1:], *state[1:]), None, 1
        for fact in (fact for fact in self._facts if not fact.negative):
            for split in fact.said.splits:
                below, above, rest = fact.state[:split], fact.state[split:], state[split:]
                if fact.is_name:
                    for old, new in ((below, above), (above, below)):
                        yield from ((renamed, fact, 0) for renamed in _renamed(state, old, new))
                elif fact.is_rule and (state != below or not self._asks_whether):
                    tops = [above, above[-1:]][: 1 + fact.said.things[-2].word.is_adjective]  # a small dog is a dog
                    for climbs, top in enumerate(tops, 1):
                        yield from (((*new, *rest), fact, climbs) for new in _renamed(state[:split], below, top))
                elif state[:split] == below and self._asks_whether:
                    yield from ((new, fact, 0) for new in self._around(rest, fact, split))

    def _around(self, rest: State, fact: _Told, split: int) -> Iterator[State]:
        """Yield the question of a place around the one that a fact names: who lives in Leeds lives where Leeds is."""
        things = [*zip(fact.state[split:], fact.said.things[split:], strict=True)]
        place = tuple(item for item, thing in things if thing.in_place)
        done = Counter(item for item, thing in things if not thing.in_place)
        goal = tuple((Counter(rest) - done).elements())
        asked = {item for item, thing in zip(self.start, self.question.things, strict=True) if thing.in_place}
        if place and goal and asked.issuperset(goal) and Counter(rest) >= done:
            yield (*place, *goal)

    def _answers(self, one: _Reached, fact: _Told, left: Sequence[Thing]) -> bool:
        """Return True if a fact settles the question in other words, beside which it says what is left."""
        said, asks, same_subject = fact.said, self.question.asks, one.state[0] == fact.state[0]
        if said.some or fact in one.facts:
            return False
        if self._asks_whether:  # ten legs are legs, and a small dog is a dog
            is_detail = len(one.state) > 1 and all(thing.word.counts or thing.word.is_adjective for thing in left)
            is_same = not left and fact.is_name and not one.facts
            return is_same or (same_subject and (not left or (is_detail and not fact.negative)))
        left = [thing for thing in left if thing.at >= 0]
        small = {at for at, word in enumerate(said.words) if word.roles & {"article", "owns", "in"}}
        is_one = all(small.issuperset(range(before.at + 1, thing.start)) for before, thing in pairwise(left))
        if (
            not left
            or not is_one
            or fact.negative is not self.question.negative
            or (self.question.of_value and said.is_a)
        ):  # a rose is no colour
            return False
        begins, in_place = left[0] is said.things[0], any(thing.in_place for thing in left)
        is_named = said.of_name or left[-1].word.is_name or not self.question.of_name
        if not is_named or not (not one.climbs if begins else same_subject):
            return False
        if asks in _SINGLE:
            return not begins and (
                in_place
                or (asks is Asks.AMOUNT and any(thing.word.counts for thing in left))
                or (asks is Asks.WHEN and not left[-1].word.is_adjective)
            )
        is_asked = begins or len(one.state) > 1 or self.question.is_being is said.is_being
        if not is_asked and "does" in self.question.roles and said.is_being:  # what somebody does is what they are
            value = left[-1].word
            is_asked = is_verb_form(value) or (len(left) == 1 and not (in_place or value.is_name or value.is_adjective))
        return is_asked and (not in_place or asks is Asks.WHAT)

    def _open(self, left: list[Thing] | None) -> list[Thing] | None:
        """Return of what a fact says beside a question only the place, or the time without a verb behind it."""
        asks, places = self.question.asks, [at for at, thing in enumerate(left or ()) if thing.in_place]
        if not left or self.question.is_english or asks not in {Asks.WHERE, Asks.WHEN}:
            return left
        end = places[-1] + 1 if places and asks is Asks.WHERE else len(left)
        return left[:-1] if end == len(left) > 1 and is_verb_form(left[-1].word) else left[:end]

    def _unknown(self) -> Outcome:
        """Return what speaks of what is asked about, what that is called, and what is asked of it."""
        firsts = {one.state[0] for one in self._reached}
        about = _places(fact for fact in self._facts if firsts & {*fact.state})
        if not about:
            return Outcome(Verdict.UNKNOWN)
        first, *rest = self.question.things
        name = self.question.written([first])
        return Outcome(Verdict.UNKNOWN, about=about, names=(name,) * bool(name), asked=self.question.written(rest))


def number_words(words: Sequence[Word]) -> dict[frozenset[str], int]:
    """Number words by their keys, so that those that share a key have one number.

    A word of another language has that of an English one where a gloss of it is a key there.
    """
    english = {key for word in words if not word.glosses for key in word.keys}
    groups: dict[str, set[str]] = {}
    for word in words:
        keys = {*word.keys}
        if not (word.named or keys & english):  # a name, or a word that English has too, is not read as another one
            keys |= {*sorted(word.glosses & english)[:1]}
        joined = keys.union(*(groups[key] for key in keys & groups.keys()))
        groups |= dict.fromkeys(joined, joined)
    numbers: dict[int, int] = {}
    return {word.keys: numbers.setdefault(id(groups[min(word.keys)]), len(numbers)) for word in words}


def _renamed(state: State, old: State, new: State) -> Iterator[State]:
    """Yield a state with another name for what one names, also where something is theirs."""
    for at in range(len(state) - len(old) + 1):
        *before, last = state[at : at + len(old)]
        if tuple(before) == old[:-1] and last[: len(old[-1])] == old[-1]:
            yield (*state[:at], *new[:-1], new[-1] + last[len(old[-1]) :], *state[at + len(old) :])


def _left(state: State, fact: _Told) -> list[Thing] | None:
    """Return the things of a fact that a question in these words does not have; None where the fact lacks one of it."""
    left = [*zip(fact.state, fact.said.things, strict=True)]
    for item in state:
        at = next((at for at, (known, _) in enumerate(left) if known == item), None)
        if at is None:
            return None
        del left[at]
    return [thing for _, thing in left]


def _places(facts: Iterable[_Told]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(fact.place for fact in facts))
