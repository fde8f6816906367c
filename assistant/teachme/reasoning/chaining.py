"""What follows from facts: a question is put in other words, fact by fact, until a fact settles it.

    Can Rex bark?   Rex is a dog, so: can a dog bark?   Dogs can bark, so: yes.

Kinds go upwards only (what holds of animals holds of dogs), never over "some". Names for one person or thing go both ways
("Dana is my manager"). A place lies in the places around it, a part is a part of what it is a part of. Of facts that
disagree the more specific one holds, as in inheritance with exceptions (Touretzky, The Mathematics of Inheritance Systems,
1986); two that are equally specific are both said. Pure, and bounded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from assistant.teachme.reasoning.answer_kinds import UNRELATED, unlikeness
from assistant.teachme.reasoning.same_things import Classes
from assistant.teachme.reasoning.sentence import HAVE, PART, Amount, Asks, Link, Sentence

MOST_FACTS = 100
_DEPTH = 5
_MOST_STATES = 120

Item = tuple[int, int]  # the class of a thing, and of its owner; -1 where it has none
State = tuple[Item, ...]


class Verdict(StrEnum):
    """What is known of a question."""

    YES = "yes"
    NO = "no"
    WORD = "word"  # what it left open is known
    DISPUTED = "disputed"  # facts that are equally specific disagree
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What follows of a question."""

    verdict: Verdict
    rests_on: tuple[int, ...] = ()  # places of the facts, in the order of the proof
    words: tuple[str, ...] = ()  # what was asked for, as facts name it
    disagree: tuple[int, ...] = ()  # where it is disputed: the facts that cannot all hold
    # Where it is unknown: the facts that speak of what was asked about, what that is known as, and what is asked of it.
    about: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """A fact with its things as classes."""

    sentence: Sentence
    items: State
    negative: bool
    place: int  # among the facts; that of another one where it only says the same the other way around
    is_place: bool  # it says where something is
    is_rule: bool  # what holds of its second thing holds of its first
    is_name: bool  # both are one

    @property
    def subject(self) -> int:
        return self.items[0][0]


@dataclass(slots=True)
class _Reached:
    """A question in other words."""

    state: State
    through: tuple[int, ...]  # facts
    climbed: tuple[State, ...] = ()  # the states before it, from which it was reached over kinds
    depth: int = 0


@dataclass(frozen=True, slots=True)
class _Hit:
    reached: _Reached
    fact: Told


@dataclass(slots=True)
class Chain:
    """A question and the facts from which it may follow; `denied` has, for each, whether it is so that it is not."""

    question: Sentence
    facts: Sequence[Sentence]
    denied: Sequence[bool] = ()
    _classes: Classes = field(init=False)
    _told: list[Told] = field(init=False)

    def __post_init__(self) -> None:
        self.facts = self.facts[:MOST_FACTS]
        self._classes = Classes([self.question, *self.facts])
        denied = [*self.denied, *([False] * len(self.facts))]
        told = [
            one
            for place, fact in enumerate(self.facts)
            if fact.things and not fact.is_question
            for one in self._read(fact, place, denied=denied[place])
        ]
        # What was said to be wrong is not gone by, whoever said it before.
        wrong = {one.items for one in told if denied[one.place]}
        self._told = [one for one in told if one.negative or one.items not in wrong]

    def reached(self) -> list[Sentence]:
        """The facts over which the question can be put in other words, nearest first."""
        places = _once(place for one in self._reach(self._items(self.question)) for place in one.through)
        return [self.facts[place] for place in places]

    def outcome(self) -> Outcome:
        """What follows."""
        start = self._items(self.question)
        if not start:
            return Outcome(Verdict.UNKNOWN)
        reached = self._reach(start)
        if self.question.asks is Asks.WHETHER:
            found = self._whether(start, reached)
        else:
            found = self._open(reached) or self._attribute(start)
        return found or self._unknown(start, reached)

    def _read(self, fact: Sentence, place: int, *, denied: bool) -> Iterator[Told]:
        items = self._items(fact)
        negative = fact.negative != denied
        is_whole = not negative and fact.amount is not Amount.SOME
        first_owned, last_owned = self._owned_sides(fact)
        is_place = fact.link is Link.PLACE
        is_rule = is_whole and fact.link is Link.IS and bool(fact.splits)
        is_name = is_rule and (last_owned or (first_owned and fact.things[-1].named)) and not fact.has_article
        yield Told(fact, items, negative, place, is_place and is_whole, is_rule, is_name)
        if negative and fact.amount is Amount.NO and fact.link is Link.IS and fact.splits:
            split = fact.splits[0]  # no cat is a dog: no dog is a cat
            yield Told(
                fact, items[split:] + items[:split], negative, place, is_place=False, is_rule=False, is_name=False
            )

    def _owned_sides(self, fact: Sentence) -> tuple[bool, bool]:
        split = fact.splits[0] if fact.splits else 1
        sides = fact.things[:split], fact.things[split:]
        return sides[0][-1:] != () and sides[0][-1].owner is not None, any(each.owner is not None for each in sides[1])

    def _items(self, sentence: Sentence) -> State:
        classes = [self._classes.of(thing) for thing in sentence.things]
        return tuple(
            (classes[at], -1 if thing.owner is None or thing.owner >= len(classes) else classes[thing.owner])
            for at, thing in enumerate(sentence.things)
        )

    # Other words for a question

    def _reach(self, start: State) -> list[_Reached]:
        """The question, and what it can be put as; nearest first."""
        if not start:
            return []
        first = _Reached(start, ())
        seen = {_form(start): first}
        waiting = [first]
        for one in waiting:
            if one.depth >= _DEPTH or len(seen) >= _MOST_STATES:
                continue
            for state, fact, climbs in self._steps(one.state):
                if _form(state) in seen or fact.place in one.through:
                    continue
                climbed = (*one.climbed, one.state) if climbs else one.climbed
                seen[_form(state)] = new = _Reached(state, (*one.through, fact.place), climbed, one.depth + 1)
                waiting.append(new)
        return waiting

    def _steps(self, state: State) -> Iterator[tuple[State, Told, bool]]:
        """A question in other words by one fact, and whether it is now about more than it was."""
        for fact in self._told:
            if fact.negative:
                continue
            if fact.is_rule:
                yield from self._over_kind(state, fact)
            elif fact.is_place:
                yield from ((new, fact, False) for new in self._over_place(state, fact))
            if fact.sentence.link is Link.PART:
                yield from ((new, fact, False) for new in self._over_part(state, fact))

    def _over_kind(self, state: State, fact: Told) -> Iterator[tuple[State, Told, bool]]:
        for split in fact.sentence.splits:
            below, above = fact.items[:split], fact.items[split:]
            if state[:split] == below and (len(state) > split or self._is_open) and not fact.is_name:
                yield _replaced(state, 0, split, above), fact, True
            if fact.is_name:
                for old, new in ((below, above), (above, below)):
                    at = _found(state, old)
                    if at >= 0 and _found(old, new) < 0:
                        yield _replaced(state, at, len(old), new), fact, False

    def _over_place(self, state: State, fact: Told) -> Iterator[State]:
        """Who lives in Leeds lives where Leeds is."""
        if not self._is_place_question(state):
            return
        last = max(at for at, thing in enumerate(fact.sentence.things) if thing.in_place)
        for split in fact.sentence.splits:
            about, place, verb = fact.items[:split], fact.items[split : last + 1], fact.items[last + 1 :]
            rest = state[split:]
            if state[:split] != about or not place or (verb and rest[-len(verb) :] != verb):
                continue
            goal = rest[: len(rest) - len(verb)]
            if goal and goal != place:
                yield place + goal

    def _over_part(self, state: State, fact: Told) -> Iterator[State]:
        part = self._classes.of_key(PART)
        is_part_question = bool(state) and state[-1][0] == part
        for split in fact.sentence.splits:
            if state[:split] == fact.items[:split] and (is_part_question or self._is_place_question(state)):
                yield fact.items[split:-1] + state[split:]

    @property
    def _is_open(self) -> bool:
        """Whether it asks for more than yes or no."""
        return self.question.asks is not Asks.WHETHER

    def _is_place_question(self, state: State) -> bool:
        places = {self._classes.of(thing) for thing in self.question.things if thing.in_place}
        return any(item[0] in places for item in state)

    # What settles it

    def _whether(self, start: State, reached: Sequence[_Reached]) -> Outcome | None:
        question = self.question
        hits = [
            _Hit(one, fact)
            for one in reached
            for fact in self._told
            if self._settles(one.state, fact, one is reached[0])
        ]
        if question.amount is Amount.ALL and (exception := self._exception(start)):
            return Outcome(Verdict.NO, exception)
        if question.exists or question.amount is Amount.SOME:
            hits = [hit for hit in hits if not hit.fact.negative] or hits
            if not hits and (example := self._example(start)):
                return Outcome(Verdict.YES, example)
        best = _most_specific(hits)
        if not best:
            return None
        rests = [(*hit.reached.through, hit.fact.place) for hit in best]
        if len({hit.fact.negative for hit in best}) > 1:
            told = [next(hit for hit in best if hit.fact.negative is negative) for negative in (False, True)]
            rests_on = _once(place for hit in told for place in (*hit.reached.through, hit.fact.place))
            return Outcome(Verdict.DISPUTED, rests_on, disagree=_once(hit.fact.place for hit in told))
        return Outcome(Verdict.NO if best[0].fact.negative else Verdict.YES, _once(min(rests, key=len)))

    def _settles(self, state: State, fact: Told, is_as_asked: bool) -> bool:
        """Whether a fact says, or denies, what a question in these words asks."""
        question = self.question
        if fact.sentence.amount is Amount.SOME and not (
            is_as_asked
            and (question.exists or question.amount is Amount.SOME or (fact.negative and question.amount is Amount.ALL))
        ):
            return False
        if _same(state, fact.items):
            return question.exists or state[0] == fact.items[0] or (fact.is_name and is_as_asked)
        return not fact.negative and state[0] == fact.items[0] and self._says_more(state, fact)

    def _says_more(self, state: State, fact: Told) -> bool:
        """Whether a fact says it with more detail: "a black dog" of a dog, "ten legs" of legs."""
        sentence, have = fact.sentence, self._classes.of_key(HAVE)
        counted = Counter(fact.items)
        counted.subtract(state)
        if min(counted.values()) < 0 or len(fact.items) == len(state):
            return False
        if any(item[0] == have for item in fact.items):
            begin = next(at for at, item in enumerate(fact.items) if item[0] == have) + 1
        elif sentence.link is Link.IS and len(sentence.splits) == 1 and sentence.has_article:
            begin = sentence.splits[0]
        else:
            return False
        extra = [item for item, count in counted.items() if count > 0]
        return all(item in fact.items[begin:-1] for item in extra)

    def _exception(self, start: State) -> tuple[int, ...]:
        """One of a kind of which it is not so."""
        for fact in self._told:
            if fact.negative and fact.items == start and fact.sentence.amount is Amount.SOME:
                return (fact.place,)
            if fact.negative and fact.items[1:] == start[1:] and fact.items[0] != start[0]:
                for one in self._reach((fact.items[0], start[0])):
                    if proof := self._is_told(one, positive=True):
                        return _once((*proof, fact.place))
        return ()

    def _example(self, start: State) -> tuple[int, ...]:
        """One of a kind of which it is so."""
        for fact in self._told:
            if not fact.negative and fact.items[1:] == start[1:] and fact.items[0] != start[0]:
                for one in self._reach((fact.items[0], start[0])):
                    if proof := self._is_told(one, positive=True):
                        return _once((*proof, fact.place))
        return ()

    def _is_told(self, one: _Reached, *, positive: bool) -> tuple[int, ...]:
        for fact in self._told:
            if fact.items == one.state and fact.negative is not positive and fact.sentence.amount is not Amount.SOME:
                return (*one.through, fact.place)
        return ()

    def _open(self, reached: Sequence[_Reached]) -> Outcome | None:
        """What a question asks for: what a fact says beside what is asked; of the kind asked for, and nearest first."""
        found: list[tuple[int, int, tuple[int, ...], str]] = []
        for one in reached:
            for fact in self._told:
                if not fact.negative and (left := self._remainder(one.state, fact)):
                    words = fact.sentence.written(min(left), max(left))
                    unlike = unlikeness(self.question.kinds, words.split()[-1], is_kind=fact.sentence.has_article)
                    found.append((unlike, one.depth, _once((*one.through, fact.place)), words))
        found = [each for each in found if each[0] < UNRELATED]
        if not found:
            return None
        best = min(each[:2] for each in found)
        rests = [each[2] for each in found if each[:2] == best]
        words = tuple(dict.fromkeys(each[3] for each in found if each[:2] == best))
        if len(words) > 1 and self.question.asks in {Asks.WHERE, Asks.WHEN, Asks.AMOUNT}:
            rests_on = _once(place for each in rests for place in each)
            return Outcome(Verdict.DISPUTED, rests_on, words, disagree=_once(each[-1] for each in rests))
        return Outcome(Verdict.WORD, _once(place for each in rests for place in each), words)

    def _attribute(self, start: State) -> Outcome | None:
        """ "What is the colour of snow" where nobody spoke of its colour, but that it is white: the colour is a kind."""
        *rest, last = self.question.things
        if self.question.asks is not Asks.WHAT or not rest or last.owner != len(rest) - 1 or self.question.kinds:
            return None
        asked = replace(self.question, things=tuple(rest), kinds=(last,))
        chain = replace(self, question=asked)
        return chain._open(chain._reach(start[:-1]))

    def _remainder(self, state: State, fact: Told) -> list[int]:
        """The places of the words of a fact that a question leaves open; none where it is about something else."""
        left = list(range(len(fact.items)))
        for item in state:
            at = next((at for at in left if fact.items[at] == item), -1)
            if at < 0:
                return []
            left.remove(at)
        left = [at for at in left if fact.sentence.things[at].at >= 0]
        if not left or left[-1] - left[0] != len(left) - 1 or not self._fits(fact, left, state):
            return []
        return [fact.sentence.things[at].at for at in left]

    def _fits(self, fact: Told, left: Sequence[int], state: State) -> bool:
        """Whether what a fact says beside the question is what is asked for."""
        things, asks = fact.sentence.things, self.question.asks
        in_place = any(things[at].in_place for at in left)
        if left[0] > 0 and state[0] != fact.items[0]:
            return False
        if asks is Asks.WHERE or (asks is Asks.WHAT and self._asks_place()):
            return in_place and left[0] > 0
        if fact.sentence.amount in {Amount.SOME, Amount.NO} and left[0] > 0:
            return False
        if asks in {Asks.WHO, Asks.HOW}:
            return not in_place
        if asks is Asks.AMOUNT:
            return len(left) <= 2 and left[0] > 0
        is_verb_open = self.question.link is Link.IS and fact.sentence.link is not Link.IS
        return not (is_verb_open and asks is Asks.WHAT and left[0] > 0)

    def _asks_place(self) -> bool:
        return bool(self.question.kinds) and self.question.text.rstrip(" ?").lower().endswith(" in")

    def _unknown(self, start: State, reached: Sequence[_Reached]) -> Outcome:
        """That it is not known: what speaks of what is asked about, under any of its names, and what would be needed."""
        firsts = {one.state[0][0] for one in reached}
        about = [one for one in self._told if firsts & {item[0] for item in one.items}]
        if not about:
            return Outcome(Verdict.UNKNOWN)
        length = max((_shared(start, one.items) for one in about), default=0) or 1
        length = min(length, max(1, len(start) - 1))
        while length < len(start) and start[length][1] == start[length - 1][0]:  # nothing is parted from whose it is
            length += 1
        things = [thing for thing in self.question.things if thing.at >= 0]
        named = [thing.at for thing in self.question.things[:length] if thing.at >= 0]
        rest = [thing.at for thing in things if thing.at not in named] or [kind.at for kind in self.question.kinds]
        own = (
            [self.question.written(min(named), max(named))]
            if named and start[0] in {i for o in about for i in o.items}
            else []
        )
        over = [self._above(self._told_at(place)) for one in reached for place in one.through]
        names = tuple(dict.fromkeys(name for name in (*own, *over) if name))
        asked = self.question.written(min(rest), max(rest)) if rest else ""
        return Outcome(Verdict.UNKNOWN, about=_once(one.place for one in about), names=names, asked=asked)

    def _told_at(self, place: int) -> Told:
        return next(one for one in self._told if one.place == place)

    def _above(self, fact: Told) -> str:
        """What a fact says that something is, as it is written."""
        if not fact.is_rule or fact.is_name:
            return ""
        places = [thing.at for thing in fact.sentence.things[fact.sentence.splits[0] :] if thing.at >= 0]
        return fact.sentence.written(min(places), max(places)) if places else ""


def _shared(first: State, second: State) -> int:
    """How many items two states begin with alike."""
    return next(
        (at for at, (one, other) in enumerate(zip(first, second, strict=False)) if one != other),
        min(len(first), len(second)),
    )


def _most_specific(hits: Sequence[_Hit]) -> list[_Hit]:
    """The hits that no other one makes an exception to."""
    states = {hit.reached.state for hit in hits}
    return [hit for hit in hits if not any(state in states for state in hit.reached.climbed)]


def _form(state: State) -> tuple[Item, ...]:
    return (state[0], *sorted(state[1:]))


def _same(first: State, second: State) -> bool:
    return len(first) == len(second) and sorted(first) == sorted(second)


def _found(state: State, part: State) -> int:
    return next((at for at in range(len(state) - len(part) + 1) if part and state[at : at + len(part)] == part), -1)


def _replaced(state: State, at: int, length: int, new: State) -> State:
    """A state with some of its items replaced; what the last of them owned is the new one's."""
    old = state[at + length - 1][0]
    rest = [(item, new[-1][0] if owner == old else owner) for item, owner in state[at + length :]]
    return (*state[:at], *new, *rest)


def _once(places: Sequence[int] | Iterator[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(places))
