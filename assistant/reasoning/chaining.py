"""Inference by backward chaining: restate a question, fact by fact, until a fact answers it.

    Can Rex bark?   Rex is a dog, so: can a dog bark?   Dogs can bark, so: yes.

Kinds apply upwards only (facts about animals apply to dogs), names in both directions ("Dana is my manager"), and a
place lies in the places around it. The shortest chain wins. The search is bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from assistant.reasoning.reading import Asks, Part, Sentence, runs_of
from assistant.reasoning.words import ME, STEM_MARKS, WE, SentenceWord

MOST_FACTS = 100
_DEPTH = 5
_MOST = 120  # restatements of a question
SINGLE = frozenset({Asks.WHERE, Asks.WHEN, Asks.AMOUNT})  # with a single answer

State = tuple[int, ...]
"""A sentence as the numbers of its parts; equivalent words share a number."""


class Verdict(StrEnum):
    """Result of inference for a question."""

    YES = "yes"
    NO = "no"
    WORD = "word"  # the value in question
    DISPUTED = "disputed"  # facts disagree
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A verdict with the facts behind it, by index."""

    verdict: Verdict
    rests_on: tuple[int, ...] = ()  # in the order of the proof
    words: tuple[str, ...] = ()  # the values, in the words of the facts
    disagree: tuple[int, ...] = ()  # contradicting facts, if disputed
    about: tuple[int, ...] = ()  # facts about the subject of the question, if unknown


class Statement:
    """A told sentence in its comparable form."""

    def __init__(self, place: int, said: Sentence, state: State, *, denied: bool) -> None:
        self.place, self.said, self.state, self.denied = place, said, state, denied
        self.negative = said.negative is not denied
        self.subject, self.rest = state[: said.split], state[said.split :]
        self.is_placed = any(part.in_place for part in said.rest)
        self.stays = self.is_placed and "stays" in said.signs
        # Statements about the rest of a rule apply to its subject; those of a name in both directions.
        self.is_rule = said.is_being and bool(self.rest) and not (said.some or self.is_placed)
        is_owned = any(part.owned for part in said.parts)
        self.is_name = self.is_rule and (is_owned or said.of_name) and not said.is_a
        # Names in any order: Dana is my manager, my manager is Dana.
        self.form = frozenset({self.subject, self.rest}) if self.is_name else state


class Chain:
    """A question and the facts that may answer it.

    Args:
        question: the question.
        told: sentences with the index of their note, and True if the user said that they are false.
    """

    def __init__(self, question: Sentence, told: Sequence[tuple[int, Sentence, bool]]) -> None:
        self.question, self._told = question, told[:MOST_FACTS]
        self.asks_whether = question.asks in {Asks.WHETHER, Asks.NOTHING}
        self._asks_where = question.asks is Asks.WHERE and question.is_being
        sentences = [question, *(said for _, said, _ in self._told)]
        self._numbers = number_words([part.word for said in sentences for part in (*said.parts, *said.kinds)])
        facts = [
            Statement(place, said, self.state(said.parts), denied=denied)
            for place, said, denied in self._told
            if said.parts and not (said.is_question or "doubting" in said.signs)
        ]
        # Denied and outdated facts do not count.
        ending = (one for one in facts if one.denied or (one.negative and one.said.says_now))
        over = {(one.form, not one.negative) for one in ending}
        facts = [one for one in facts if one.denied or (one.form, one.negative) not in over]
        self._facts = [*{(one.form, one.negative): one for one in reversed(facts)}.values()][::-1]
        self.start = self.state(question.parts)
        self._reached = self._reach() if self.start else {}

    def state(self, parts: Sequence[Part]) -> State:
        """Convert parts to the numbers of their words."""
        return tuple(self._numbers[part.word.keys] for part in parts)

    def reached(self) -> list[Sentence]:
        """Return the facts that restate the question, nearest first."""
        return [*{fact.state: fact.said for facts in self._reached.values() for fact in facts}.values()]

    def outcome(self) -> Conclusion:
        hits = [
            ((*facts, fact), said)
            for state, facts in self._reached.items()
            for fact in self._facts
            if fact not in facts and (said := self._answer(state, fact)) is not None
        ]
        hits = [hit for hit in hits if len(hit[0]) == len(hits[0][0])]
        if not hits:
            first = {*self.state(self.question.subject)}
            about = _places(fact for fact in self._facts if first <= {*fact.state})
            return Conclusion(Verdict.UNKNOWN, about=about if first else ())
        answers = {said: facts for facts, said in reversed(hits)}
        proof = [fact for facts in reversed(answers.values()) for fact in facts]
        words = () if self.asks_whether else tuple(reversed(answers))
        denied = {fact.form for fact in self._facts if fact.negative}
        over = {fact.form for fact in proof if not fact.negative} & denied
        against = [fact for fact in self._facts if fact.form in over]
        if len(answers) > 1 and (self.asks_whether or self.question.asks in SINGLE):
            against = [facts[-1] for facts, _ in hits]
        if against:
            return Conclusion(Verdict.DISPUTED, _places((*proof, *against)), words, _places(against))
        verdict = Verdict.WORD if words else Verdict.NO if proof[-1].negative else Verdict.YES
        return Conclusion(verdict, _places(proof), words)

    def _reach(self) -> dict[State, tuple[Statement, ...]]:
        """Return all restatements of the question with their facts, shortest chain first."""
        reached: dict[State, tuple[Statement, ...]] = {self.start: ()}
        waiting = [self.start]
        for state in waiting:
            facts = reached[state]
            for new, fact in self._steps(state):
                if new not in reached and fact not in facts and len(facts) < _DEPTH and len(reached) < _MOST:
                    reached[new] = (*facts, fact)
                    waiting.append(new)
        return reached

    def _steps(self, state: State) -> Iterator[tuple[State, Statement]]:
        """Yield each restatement by one fact, with that fact."""
        for fact in (fact for fact in self._facts if not fact.negative):
            first, rest = fact.subject, fact.rest
            if fact.is_name:
                yield from ((new, fact) for new in (*_renamed(state, first, rest), *_renamed(state, rest, first)))
            elif fact.is_rule and state[: len(first)] == first:
                yield (*rest, *state[len(first) :]), fact
            elif fact.is_placed and self.asks_whether:
                place = tuple(number for number, part in zip(fact.state, fact.said.parts, strict=True) if part.in_place)
                yield from ((new, fact) for new in _renamed(state, place, first) if new[:1] == state[:1])

    def _answer(self, state: State, fact: Statement) -> str | None:
        """Return the answer of a fact to a restated question, None if it gives none."""
        left = self._left(state, fact)
        if left is None or fact.said.some:
            return None
        if self.asks_whether:
            firsts = [fact.subject, fact.rest] if fact.is_name else [fact.subject]
            return str(fact.negative) if not left and any(state[: len(first)] == first for first in firsts) else None
        if fact.negative is not self.question.negative:
            return None
        is_other = fact.said.is_being is not self.question.is_being and not (self._asks_where and fact.stays)
        if is_other and state in {fact.subject, fact.rest}:
            return None  # the question names only the subject, with another verb
        runs = runs_of(left, fact.said.words)
        return next((fact.said.written(run) for run in runs if self._fits(run, fact)), None)

    def _fits(self, run: Sequence[Part], fact: Statement) -> bool:
        """Return True if parts of a fact have the type that the question asks for."""
        if self.question.asks is not Asks.WHO and all(part.is_person for part in run):
            return False
        match self.question.asks:
            case Asks.WHERE:
                is_source = "source" in self.question.signs
                return is_source is ("source" in fact.said.signs) and (is_source or run[-1].in_place)
            case Asks.AMOUNT:
                return any(part.word.counts for part in run)
            case Asks.WHEN:
                return run[0] is not fact.said.parts[0]
        return True

    def _left(self, state: State, fact: Statement) -> list[Part] | None:
        """Return the parts of a fact that the restated question lacks; None if the fact lacks a part of it."""
        left = [*zip(fact.state, fact.said.parts, strict=True)]
        # "The rent is 800" answers "what is my rent?".
        is_mine = [part.owned or part.is_person for part in self.question.parts[:2]] == [True, True]
        is_implied = is_mine and state[1:] in {fact.subject, fact.rest}
        for number in (*state, *self.state(self.question.kinds)):
            at = next((at for at, (known, _) in enumerate(left) if known == number), None)
            if at is not None:
                del left[at]
            elif number in state and not (is_implied and number == state[0]):
                return None
        about = [part for _, part in left if part in fact.said.subject]
        if len(about) == fact.said.split:
            return [part for _, part in left]
        if any(not part.is_person for part in about):
            return None  # Dana's sister is not Dana
        return [part for _, part in left if part not in about]  # "my" may be left out


def number_words(words: Sequence[SentenceWord]) -> dict[frozenset[str], int]:
    """Assign numbers to words, one to all words with a common key, and one to "I" and "we".

    A word of another language gets the number of an English word whose key is one of its glosses.
    """
    english = {key for word in words if not word.glosses for key in word.keys}
    groups: dict[str, set[str]] = {ME: (speakers := {ME, WE}), WE: speakers}
    meanings: dict[str, frozenset[str]] = {}
    own: dict[frozenset[str], str] = {}
    for word in words:
        # One stem may have two meanings: "beta" is a son, and "beti" a daughter.
        stems = [key for key in word.keys if key[-1] in STEM_MARKS] if word.glosses else []
        others = {key for key in stems if meanings.setdefault(key, word.glosses).isdisjoint(word.glosses)}
        keys = {*word.keys, *sorted(word.glosses & english)[:1]} - others
        joined = keys.union(*(groups[key] for key in keys & groups.keys()))
        groups |= dict.fromkeys(joined, joined)
        own[word.keys] = min(keys)
    numbers: dict[int, int] = {}
    return {word.keys: numbers.setdefault(id(groups[own[word.keys]]), len(numbers)) for word in words}


def _renamed(state: State, old: State, new: State) -> Iterator[State]:
    """Yield a state with one name replaced by another, at each of its places."""
    for at in range(len(state) - len(old) + 1) if old else ():
        if state[at : at + len(old)] == old:
            yield (*state[:at], *new, *state[at + len(old) :])


def _places(facts: Iterable[Statement]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(fact.place for fact in facts))
