"""Small worlds made of words of the lexicon: who is of which kind, and what kinds and some of them can, are and have.

The truth of a question is worked out here, from the world and not from its sentences: what is said of a thing itself
holds, else what is said of its kind, else of the kind of that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random

from assistant.language.lexicon import Word, lexicon
from evaluation.labelled.facts import says
from evaluation.teachme.bank import Question

DEPTHS = ("one fact", "two facts", "three facts")
_FREQUENT, _RAREST = 3_000, 20_000  # among the words of the lexicon, by how frequent they are
_SHORTEST, _LONGEST = 4, 9  # letters
_TOPS, _MIDDLES, _THINGS, _SAID = 10, 30, 120, 150  # kinds, kinds of these, things, and what is said: 300 facts in all
_NEGATIVE = 0.5  # share of what is said that denies something


@dataclass(frozen=True, slots=True)
class YesNo(Question):
    """A yes/no question about a world."""

    def is_right(self, answer: str) -> bool:
        return says(answer) == self.right


class World:
    """A world of 300 facts and the yes/no questions that they settle, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = chance = Random(seed)  # noqa: S311  a world is no secret
        nouns = chance.sample(_nouns(), _TOPS + _MIDDLES + _THINGS + 12)
        kinds, parts, names = nouns[: _TOPS + _MIDDLES], nouns[_TOPS + _MIDDLES :][:12], nouns[-_THINGS:]
        words = {"can": chance.sample(_of_part("v"), 14), "is": chance.sample(_of_part("a"), 14), "has": parts}
        tops, middles = kinds[:_TOPS], kinds[_TOPS:]
        self._kind_of = {kind: chance.choice(tops) for kind in middles}
        self._kind_of |= {name: chance.choice(middles) for name in names}
        self._names = frozenset(names)
        self._traits = [(form, word) for form, some in words.items() for word in some]
        self._holds: dict[tuple[str, str, str], bool] = {}
        # Most is said of kinds, so that much follows.
        subjects = [*tops] * 12 + [*middles] * 3 + names[: len(names) // 4]
        while len(self._holds) < _SAID:
            about, trait = chance.choice(subjects), chance.choice(self._traits)
            self._holds.setdefault((about, *trait), chance.random() >= _NEGATIVE)

    def facts(self) -> list[str]:
        """Return all that is so, as sentences."""
        return [*map(self._kind_fact, self._kind_of), *(self._trait_fact(*said) for said in self._holds)]

    def questions(self, count: int) -> list[YesNo]:
        """Return so many different questions, of each depth as many if there are, in random order."""
        by_depth = {depth: [one for one in self._all_questions() if one.group == depth] for depth in DEPTHS}
        for some in by_depth.values():
            self._random.shuffle(some)
        chosen: list[YesNo] = []
        while len(chosen) < count and any(by_depth.values()):
            chosen += [some.pop() for some in by_depth.values() if some]
        self._random.shuffle(chosen)
        return chosen[:count]

    def _all_questions(self) -> Iterator[YesNo]:
        for one in self._kind_of:
            path = [one, self._kind_of[one]]
            if path[-1] in self._kind_of:
                path.append(self._kind_of[path[-1]])
            for trait in self._traits:
                depth = next((at for at, about in enumerate(path) if (about, *trait) in self._holds), None)
                if depth is None:
                    continue
                core = (*map(self._kind_fact, path[:depth]), self._trait_fact(path[depth], *trait))
                right = "yes" if self._holds[path[depth], *trait] else "no"
                yield YesNo(self._asks(one, *trait), right, core, DEPTHS[depth])

    def _subject(self, one: str) -> str:
        return one.capitalize() if one in self._names else _plurals()[one]

    def _kind_fact(self, one: str) -> str:
        kind = self._kind_of[one]
        if one in self._names:
            return f"{self._subject(one)} is {'an' if kind[0] in 'aeiou' else 'a'} {kind}."
        return f"{self._subject(one).capitalize()} are {_plurals()[kind]}."

    def _trait_fact(self, about: str, form: str, word: str) -> str:
        holds, is_plural = self._holds[about, form, word], about not in self._names
        subject = self._subject(about)
        subject = subject[:1].upper() + subject[1:]
        match form:
            case "can":
                return f"{subject} {'can' if holds else 'cannot'} {word}."
            case "is":
                return f"{subject} {'are' if is_plural else 'is'}{'' if holds else ' not'} {word}."
            case _:
                has = ("have", "do not have") if is_plural else ("has a", "does not have a")
                return f"{subject} {has[not holds]} {_plurals()[word] if is_plural else word}."

    def _asks(self, about: str, form: str, word: str) -> str:
        subject, is_plural = self._subject(about), about not in self._names
        match form:
            case "can":
                return f"Can {subject} {word}?"
            case "is":
                return f"{'Are' if is_plural else 'Is'} {subject} {word}?"
            case _:
                return f"Do {subject} have {_plurals()[word]}?" if is_plural else f"Does {subject} have a {word}?"


@cache
def _frequent() -> tuple[Word, ...]:
    return tuple(lexicon().frequent(_RAREST))[_FREQUENT // 3 :]


@cache
def _of_part(part: str) -> list[str]:
    return [
        word.text
        for word in _frequent()
        if word.parts == part and word.text.isalpha() and not word.base and _SHORTEST <= len(word.text) <= _LONGEST
    ]


@cache
def _plurals() -> dict[str, str]:
    return {word.base: word.text for word in _frequent() if word.base and word.parts == "n"}


@cache
def _nouns() -> list[str]:
    return [text for text in _of_part("n") if text in _plurals()]
