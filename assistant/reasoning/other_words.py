"""A question in other words, fact by fact: what a dog can, Rex can."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from assistant.reasoning.sentence import HAVE, PART, Asks, Link, Sentence
from assistant.reasoning.told import Item, Known, State, Told

_DEPTH = 5
_MOST = 120  # wordings of a question


@dataclass(slots=True)
class Reached:
    """A question in other words."""

    state: State
    facts: tuple[Told, ...] = ()  # through which it was reached
    steps: int = 0
    above: list[Reached] = field(default_factory=list)  # what it can be put as of more than it is about

    @property
    def depth(self) -> int:
        """How many steps it took."""
        return len(self.facts)

    @property
    def through(self) -> tuple[int, ...]:
        """The places of the facts."""
        return tuple(fact.place for fact in self.facts)

    def is_below(self, other: Reached) -> bool:
        """Whether the other one is about more: about dogs where this one is about poodles."""
        waiting = [self]
        for one in waiting:
            waiting += [each for each in one.above if all(each is not known for known in waiting)]
        return any(one is other for one in waiting[1:])


@dataclass(frozen=True, slots=True)
class OtherWords:
    """See the module."""

    question: Sentence
    known: Known

    def __call__(self, start: State) -> list[Reached]:
        """The question, and what it can be put as; nearest first."""
        if not start:
            return []
        seen = {_form(start): Reached(start)}
        waiting = [*seen.values()]
        for one in waiting:
            for state, fact, climbs in self._steps(one.state):
                if fact and any(fact is used for used in one.facts):
                    continue
                new = seen.get(_form(state))
                if new is None:
                    if one.steps >= _DEPTH or len(seen) >= _MOST:
                        continue
                    new = seen[_form(state)] = Reached(
                        state, (*one.facts, *([fact] if fact else [])), steps=one.steps + 1
                    )
                    waiting.append(new)
                if climbs and new is not one:
                    one.above.append(new)
        return waiting

    def _steps(self, state: State) -> Iterator[tuple[State, Told | None, bool]]:
        """A question in other words by one fact, or by none, and whether it is now about more than it was."""
        owned = next((at for at in range(1, len(state)) if state[at][1] != state[at - 1][0]), len(state))
        if 1 < owned < len(state):  # what holds of dogs holds of my dog
            yield ((state[owned - 1][0], -1), *state[owned:]), None, True
        have, part = self.known.classes.of_key(HAVE), self.known.classes.of_key(PART)
        at = next((at for at, item in enumerate(state) if item[0] == have), 0)
        if 0 < at < len(state) - 1:  # it has what is a part of it
            yield (*state[at + 1 :], *state[:at], (part, -1)), None, False
        for fact in self.known.told:
            if fact.negative:
                continue
            if fact.is_rule:
                yield from self._over_kind(state, fact)
            elif fact.is_place:
                yield from ((new, fact, False) for new in self._over_place(state, fact))
            if fact.sentence.link is Link.PART:
                yield from ((new, fact, False) for new in self._over_part(state, fact))

    def _over_kind(self, state: State, fact: Told) -> Iterator[tuple[State, Told, bool]]:
        for split in fact.splits:
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
        for split in fact.splits:
            about, place, verb = fact.items[:split], fact.items[split : last + 1], fact.items[last + 1 :]
            rest = state[split:]
            if state[:split] != about or not place or (verb and rest[-len(verb) :] != verb):
                continue
            goal = rest[: len(rest) - len(verb)]
            if goal and goal != place:
                yield place + goal

    def _over_part(self, state: State, fact: Told) -> Iterator[State]:
        part = self.known.classes.of_key(PART)
        is_part_question = bool(state) and state[-1][0] == part
        for split in fact.splits:
            if state[:split] == fact.items[:split] and (is_part_question or self._is_place_question(state)):
                yield fact.items[split:-1] + state[split:]

    @property
    def _is_open(self) -> bool:
        """Whether it asks for more than yes or no."""
        return self.question.asks is not Asks.WHETHER

    def _is_place_question(self, state: State) -> bool:
        places = {self.known.classes.of(thing) for thing in self.question.things if thing.in_place}
        return any(item[0] in places for item in state)


def _form(state: State) -> tuple[Item, ...]:
    return (state[0], *sorted(state[1:]))


def _found(state: State, part: State) -> int:
    return next((at for at in range(len(state) - len(part) + 1) if part and state[at : at + len(part)] == part), -1)


def _replaced(state: State, at: int, length: int, new: State) -> State:
    """A state with some of its items replaced; what the last of them owned is the new one's."""
    old = state[at + length - 1][0]
    rest = [(item, new[-1][0] if owner == old else owner) for item, owner in state[at + length :]]
    return (*state[:at], *new, *rest)
