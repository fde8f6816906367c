"""What follows from facts: a question is put in other words, fact by fact, until a fact settles it.

    Can Rex bark?   Rex is a dog, so: can a dog bark?   Dogs can bark, so: yes.

Kinds go upwards only (what holds of animals holds of dogs), never over "some". Names for one person or thing go both
ways ("Dana is my manager"). A place lies in the places around it, a part is a part of what it is a part of. Of facts
that disagree the more specific one holds, as in inheritance with exceptions (Touretzky, The Mathematics of Inheritance
Systems, 1986); two that are equally specific are both said. Pure, and bounded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from assistant.language.lexicon import lexicon
from assistant.reasoning.answer_kinds import UNRELATED, is_property, unlikeness
from assistant.reasoning.other_words import OtherWords, Reached
from assistant.reasoning.sentence import HAVE, Amount, Asks, Link, Sentence
from assistant.reasoning.told import Known, State, Told
from assistant.reasoning.words import is_acronym, is_adjective

MOST_FACTS = 100
_MOST_COUNTING = 2  # words that say how many


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
class _Hit:
    reached: Reached
    fact: Told


@dataclass(slots=True)
class Chain:
    """A question and the facts from which it may follow; `denied` has, for each, whether it is so that it is not."""

    question: Sentence
    facts: Sequence[Sentence]
    denied: Sequence[bool]
    _known: Known = field(init=False)
    _reach: OtherWords = field(init=False)
    _told: list[Told] = field(init=False)

    def __post_init__(self) -> None:
        self.facts, self.denied = self.facts[:MOST_FACTS], self.denied[:MOST_FACTS]
        self._known = Known(self.question, self.facts, self.denied)
        self._reach = OtherWords(self.question, self._known)
        self._told = self._known.told

    def reached(self) -> list[Sentence]:
        """The facts over which the question can be put in other words, nearest first."""
        places = _once(place for one in self._reach(self._known.items(self.question)) for place in one.through)
        return [self.facts[place] for place in places]

    def outcome(self) -> Outcome:
        """What follows."""
        start = self._known.items(self.question)
        if not start or self.question.asks is Asks.WHY:  # no simple sentence says why
            return Outcome(Verdict.UNKNOWN)
        reached = self._reach(start)
        if self.question.asks is Asks.WHETHER:
            found = self._whether(start, reached)
        else:
            found = self._open(reached) or self._attribute(start)
        return self._contested(found) if found else self._unknown(start, reached)

    def _contested(self, found: Outcome) -> Outcome:
        """The same, unless something that it rests on is also denied: then that comes first."""
        for fact in (fact for fact in self._told if fact.place in found.rests_on):
            for other in self._told:
                if other.form == fact.form and other.negative is not fact.negative:
                    rests_on = _once((*found.rests_on, other.place))
                    return Outcome(Verdict.DISPUTED, rests_on, disagree=_once((fact.place, other.place)))
        return found

    def _whether(self, start: State, reached: Sequence[Reached]) -> Outcome | None:
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
        rests = [_once((*hit.reached.through, hit.fact.place)) for hit in best]
        if len({hit.fact.negative for hit in best}) > 1:
            told = [next(hit for hit in best if hit.fact.negative is negative) for negative in (False, True)]
            rests_on = _once(place for hit in told for place in (*hit.reached.through, hit.fact.place))
            return Outcome(Verdict.DISPUTED, rests_on, disagree=_once(hit.fact.place for hit in told))
        return Outcome(Verdict.NO if best[0].fact.negative else Verdict.YES, min(rests, key=len))

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
        sentence, have = fact.sentence, self._known.classes.of_key(HAVE)
        counted = Counter(fact.items)
        counted.subtract(state)
        if min(counted.values()) < 0 or len(fact.items) == len(state):
            return False
        if any(item[0] == have for item in fact.items):
            at = next(at for at, item in enumerate(fact.items) if item[0] == have)
            begin = at + 1 if at < len(fact.items) - 1 else 1
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

    def _is_told(self, one: Reached, *, positive: bool) -> tuple[int, ...]:
        for fact in self._told:
            if fact.items == one.state and fact.negative is not positive and fact.sentence.amount is not Amount.SOME:
                return (*one.through, fact.place)
        return ()

    def _open(self, reached: Sequence[Reached]) -> Outcome | None:
        """What a question asks for: what a fact says beside what is asked; of the kind asked for, and nearest first."""
        found: list[tuple[int, int, tuple[int, ...], str]] = []
        for one in reached:
            for fact in self._told:
                if fact.negative or not fact.is_as_told or fact.place in one.through:
                    continue
                if left := self._remainder(one, fact):
                    words = fact.sentence.written(min(left), max(left))
                    unlike = unlikeness(self.question.kinds, words.split()[-1], is_kind=fact.sentence.has_article)
                    unlike += self._no_property(fact, left) if self.question.asks is Asks.HOW else 0
                    unlike += self._asks_what_it_does() and fact.sentence.link is Link.IS
                    found.append((unlike, one.depth, _once((*one.through, fact.place)), words))
        found = [each for each in found if each[0] < UNRELATED]
        if not found:
            return None
        best = min(each[:2] for each in found)
        rests = [each[2] for each in found if each[:2] == best]
        answers = tuple(dict.fromkeys(each[3] for each in found if each[:2] == best))
        if self.question.asks is Asks.WHERE or self.question.kinds:  # "based in Pune", and in short "Pune"
            answers = tuple(one for one in answers if not any(one.endswith(f" {short}") for short in answers))
        is_single = self.question.asks in {Asks.WHERE, Asks.WHEN, Asks.AMOUNT}
        if is_single and any(count > 1 for count in Counter(map(is_acronym, answers)).values()):
            rests_on = _once(place for each in rests for place in each)
            return Outcome(Verdict.DISPUTED, rests_on, answers, disagree=_once(each[-1] for each in rests))
        return Outcome(Verdict.WORD, _once(place for each in rests for place in each), answers)

    def _attribute(self, start: State) -> Outcome | None:
        """What is so of a thing whose colour is asked for, where nobody spoke of that: a colour is a kind of answer."""
        *rest, last = self.question.things
        if self.question.asks is not Asks.WHAT or not rest or last.owner != len(rest) - 1 or self.question.kinds:
            return None
        asked = replace(self.question, things=tuple(rest), kinds=(last,))
        chain = replace(self, question=asked)
        found = chain._open(chain._reach(start[:-1]))
        most = 1 if is_property(last) else 0
        if found and all(unlikeness((last,), word.split()[-1], is_kind=True) <= most for word in found.words):
            return found
        return None

    @staticmethod
    def _no_property(fact: Told, left: Sequence[int]) -> int:
        """How unlikely a word says how something is: 0 for an adjective, 2 for a known noun."""
        last = next(thing for thing in fact.sentence.things if thing.at == max(left))
        forms = {*last.keys, *last.glosses}
        return 0 if is_adjective(forms) else 1 + any(lexicon().find(form) for form in forms)

    def _remainder(self, one: Reached, fact: Told) -> list[int]:
        """The places of the words of a fact that a question leaves open; none where it is about something else."""
        left = list(range(len(fact.items)))
        for item in one.state:
            at = next((at for at in left if fact.items[at] == item), -1)
            if at < 0:
                return []
            left.remove(at)
        things = fact.sentence.things
        left = [at for at in left if things[at].at >= 0]
        # "Dana's sister lives in Jaipur" does not say where Dana lives: what is hers is not what is asked about.
        is_of_another = any(things[at].owner not in {None, *left} for at in left)
        if not left or is_of_another or left[-1] - left[0] != len(left) - 1 or not self._fits(fact, left, one):
            return []
        return [things[at].at for at in left]

    def _fits(self, fact: Told, left: Sequence[int], one: Reached) -> bool:
        """Whether what a fact says beside the question is what is asked for."""
        asks, begins = self.question.asks, not left[0]
        last = fact.sentence.things[left[-1]]
        if self.question.of_name and not fact.sentence.of_name and (last.glosses or last.is_common) and not last.named:
            return False
        in_place = any(fact.sentence.things[at].in_place for at in left)
        if self._is_climbed(one) if begins else one.state[0] != fact.items[0]:
            return False
        if asks is Asks.WHERE or (asks is Asks.WHAT and self._asks_place()):
            return in_place and not begins
        if fact.sentence.amount in {Amount.SOME, Amount.NO} and not begins:
            return False
        if asks is Asks.AMOUNT:
            return len(left) <= _MOST_COUNTING and not begins
        return not in_place if asks in {Asks.WHO, Asks.HOW} else begins or self._is_asked(fact)

    def _is_asked(self, fact: Told) -> bool:
        """Whether a fact says what is asked of a thing: "what is Rex" of what kind, "what does he do" not his name."""
        if self.question.asks is not Asks.WHAT or not self._names_only:
            return True
        return fact.sentence.link is Link.IS if self.question.link is Link.IS else not fact.is_name

    @property
    def _names_only(self) -> bool:
        """Whether a question says nothing of what it is about."""
        return all(thing.owner is not None for thing in self.question.things[1:])

    def _asks_what_it_does(self) -> bool:
        """What something does or can is asked for rather than what it is."""
        return self.question.asks is Asks.WHAT and self.question.link is Link.DOES and self._names_only

    @staticmethod
    def _is_climbed(one: Reached) -> bool:
        """Whether it is about more than was asked about."""
        return any(fact.is_rule and not fact.is_name for fact in one.facts)

    def _asks_place(self) -> bool:
        return bool(self.question.kinds) and self.question.text.rstrip(" ?").lower().endswith((" in", " on", " at"))

    def _unknown(self, start: State, reached: Sequence[Reached]) -> Outcome:
        """That it is not known; what speaks of what is asked about, under any of its names; what would be needed."""
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
    states = [*{id(hit.reached): hit.reached for hit in hits}.values()]
    general = {id(one) for one in states if any(other.is_below(one) and not one.is_below(other) for other in states)}
    return [hit for hit in hits if id(hit.reached) not in general]


def _same(first: State, second: State) -> bool:
    return len(first) == len(second) and sorted(first) == sorted(second)


def _once(places: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(places))
