"""Facts with their things as classes, as they are compared with a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from assistant.reasoning.same_things import Classes
from assistant.reasoning.sentence import Amount, Link, Sentence
from assistant.reasoning.words import is_adjective

Item = tuple[int, int]
"""The class of a thing, and that of its owner; -1 where it has none."""
State = tuple[Item, ...]
"""A sentence as the classes of its things, in their order."""


@dataclass(frozen=True, slots=True)
class Told:
    """A fact with its things as classes."""

    sentence: Sentence
    items: State
    negative: bool
    place: int  # among the facts; that of another one where it only says the same otherwise
    splits: tuple[int, ...]  # how many of its things may be what it is about
    is_place: bool  # it says where something is
    is_rule: bool  # what holds of its second thing holds of its first
    is_name: bool  # both are one

    @property
    def is_as_told(self) -> bool:
        """Whether its items are the things of its sentence, in their order."""
        return self.splits is self.sentence.splits

    @property
    def form(self) -> State:
        """What it has in common with the same said in another order: Dana is my manager, my manager is Dana."""
        names = self.sentence.link is Link.IS and any(owner >= 0 for _, owner in self.items)
        return tuple(sorted(self.items)) if names else (*self.items[:1], *sorted(self.items[1:]))

    def gives_another(self, other: Told) -> bool:
        """Whether both say who or what the same of somebody's is, each another one."""
        if not (self.is_name and other.is_name):
            return False
        ours, theirs = ({one.items[: one.splits[0]], one.items[one.splits[0] :]} for one in (self, other))
        return ours != theirs and any(side[-1][1] >= 0 for side in ours & theirs)


class Known:
    """A question and facts; `denied` has, for each, whether it is so that it is not."""

    def __init__(self, question: Sentence, facts: Sequence[Sentence], denied: Sequence[bool]) -> None:
        self.classes = Classes([question, *facts])
        told = [
            one
            for place, (fact, is_denied) in enumerate(zip(facts, denied, strict=True))
            if fact.things and not fact.is_question
            for one in self._read(fact, place, denied=is_denied)
        ]
        # What was said to be wrong, or to be so no longer, is not gone by, whoever said it before.
        over = [is_denied or fact.ended for fact, is_denied in zip(facts, denied, strict=True)]
        so = {(one.form, one.negative) for one in told if over[one.place]}
        self.told = [one for one in told if over[one.place] or (one.form, not one.negative) not in so]

    def items(self, sentence: Sentence) -> State:
        """A sentence as classes."""
        classes = [self.classes.of(thing) for thing in sentence.things]
        return tuple(
            (classes[at], -1 if thing.owner is None or thing.owner >= len(classes) else classes[thing.owner])
            for at, thing in enumerate(sentence.things)
        )

    def _read(self, fact: Sentence, place: int, *, denied: bool) -> Iterator[Told]:
        items = self.items(fact)
        negative = fact.negative != denied
        is_whole = not negative and fact.amount is not Amount.SOME
        first_owned, last_owned = _owned_sides(fact)
        is_rule = is_whole and fact.link is Link.IS and bool(fact.splits)
        is_name = is_rule and (last_owned or (first_owned and fact.things[-1].named)) and not fact.has_article
        told = Told(fact, items, negative, place, fact.splits, is_place=False, is_rule=is_rule, is_name=is_name)
        yield replace(told, is_place=is_whole and fact.link is Link.PLACE)
        if is_rule:
            yield from _kind_of_owned(told) if is_name else _parts(told)
        if negative and fact.amount is Amount.NO and fact.link is Link.IS and fact.splits:
            split = fact.splits[0]  # no cat is a dog: no dog is a cat
            yield replace(told, items=items[split:] + items[:split], splits=(len(items) - split,))


def _kind_of_owned(told: Told) -> Iterator[Told]:
    """My cat is a cat: so is Kulfi, who is my cat."""
    split = told.splits[0]
    sides = (told.items[:split], told.items[split:]), (told.items[split:], told.items[:split])
    for one, owned in sides:
        if owned[-1][1] >= 0 and one[-1][1] < 0:
            yield replace(told, items=(*one, (owned[-1][0], -1)), splits=(len(one),), is_name=False)


def _parts(told: Told) -> Iterator[Told]:
    """A small dog is a dog, and is small."""
    split = told.splits[0]
    above = told.items[split:]
    *before, _ = told.sentence.things[split:]
    is_one = all(each.at == first.at + 1 for first, each in pairwise(told.sentence.things[split:]))
    if before and is_one and all(is_adjective({*thing.keys, *thing.glosses}) for thing in before):
        for at, item in enumerate(above):
            is_kind = at == len(above) - 1
            yield replace(told, items=(*above, item), splits=(len(above),), is_rule=is_kind)


def _owned_sides(fact: Sentence) -> tuple[bool, bool]:
    """Whether what a fact is about, and what it says of that, is named as somebody's."""
    split = fact.splits[0] if fact.splits else 1
    sides = fact.things[:split], fact.things[split:]
    return sides[0][-1:] != () and sides[0][-1].owner is not None, any(each.owner is not None for each in sides[1])
