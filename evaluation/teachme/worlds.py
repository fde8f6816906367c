"""Small worlds, made of words of the lexicon: who is of which kind, and what kinds and some of them can, are and have.

The truth of a question is worked out here, from the world and not from its sentences: what is said of a thing itself
holds, else what is said of its kind, else of the kind of that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random

from assistant.language.lexicon import Word, lexicon

DEPTHS = (1, 2, 3)
_FREQUENT, _RAREST = 3_000, 20_000  # among the words of the lexicon, by how frequent they are
_SHORTEST, _LONGEST = 4, 9  # letters
_TOPS, _MIDDLES, _THINGS, _SAID = 10, 30, 120, 150  # kinds, kinds of these, things, and what is said: 300 facts in all
_NEGATIVE = 0.5  # share of what is said that denies something


@dataclass(frozen=True, slots=True)
class Trait:
    """Something that can be said of a thing or a kind."""

    form: str  # can, is or has
    word: str

    def asked(self, subject: str, *, plural: bool) -> str:
        """Whether it is so, as a question."""
        does, article = ("Do", "") if plural else ("Does", "a ")
        match self.form:
            case "can":
                return f"Can {subject} {self.word}?"
            case "is":
                return f"{'Are' if plural else 'Is'} {subject} {self.word}?"
            case _:
                return f"{does} {subject} have {article}{_many(self.word) if plural else self.word}?"

    def said(self, subject: str, *, plural: bool, holds: bool) -> str:
        """That it is so, or is not so."""
        match self.form:
            case "can":
                return f"{subject} {'can' if holds else 'cannot'} {self.word}."
            case "is":
                return f"{subject} {'are' if plural else 'is'}{'' if holds else ' not'} {self.word}."
            case _:
                has = ("have", "do not have") if plural else ("has a", "does not have a")
                return f"{subject} {has[not holds]} {_many(self.word) if plural else self.word}."


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a world."""

    text: str
    answer: str  # yes or no
    facts: tuple[str, ...]  # from which it follows: the core facts

    @property
    def depth(self) -> int:
        """How many facts it takes."""
        return len(self.facts)


class World:
    """A world of 300 facts and the yes/no questions that they settle, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311  a world is no secret
        names, kinds, verbs, adjectives, parts = self._words()
        tops, middles = kinds[:_TOPS], kinds[_TOPS:]
        self._kind_of = {kind: self._random.choice(tops) for kind in middles}
        self._kind_of |= {name: self._random.choice(middles) for name in names}
        self._names = frozenset(names)
        words = {"can": verbs, "is": adjectives, "has": parts}
        self._traits = [Trait(form, word) for form, some in words.items() for word in some]
        self._holds: dict[tuple[str, Trait], bool] = {}
        # Most is said of kinds, so that much follows.
        subjects = [*tops] * 12 + [*middles] * 3 + names[: len(names) // 4]
        while len(self._holds) < _SAID:
            about, trait = self._random.choice(subjects), self._random.choice(self._traits)
            self._holds.setdefault((about, trait), self._random.random() >= _NEGATIVE)

    def facts(self) -> list[str]:
        """All that is so, as sentences."""
        return [*map(self.kind_fact, self._kind_of), *(self.trait_fact(*said) for said in self._holds)]

    def kind_fact(self, one: str) -> str:
        """Of which kind something is."""
        kind = self._kind_of[one]
        return self._is_a(one, kind)

    def trait_fact(self, about: str, trait: Trait) -> str:
        """What is said of something itself."""
        return self._says(about, trait, holds=self._holds[about, trait])

    def questions(self, count: int) -> list[Question]:
        """So many different questions, of each depth alike many as far as there are any, in random order."""
        by_depth = {depth: [one for one in self._all_questions() if one.depth == depth] for depth in DEPTHS}
        for some in by_depth.values():
            self._random.shuffle(some)
        chosen: list[Question] = []
        while len(chosen) < count and any(by_depth.values()):
            chosen += [some.pop() for some in by_depth.values() if some]
        self._random.shuffle(chosen)
        return chosen[:count]

    def opposites(self, count: int) -> list[tuple[str, str, str]]:
        """What is said of something, what contradicts it, and the question whether it is so."""
        said = self._random.sample([*self._holds], count)
        return [(self.trait_fact(*one), self._says(*one, holds=not self._holds[one]), self._asks(*one)) for one in said]

    def wrong(self, facts: list[str], share: float) -> dict[str, str]:
        """For some of these facts a wrong one in its place: another kind, or the opposite."""
        kinds = {self.kind_fact(one): one for one in self._kind_of}
        traits = {self.trait_fact(*said): said for said in self._holds}
        chosen = self._random.sample(facts, round(share * len(facts)))
        return {
            fact: self._wrong_kind(kinds[fact]) if fact in kinds else self._opposite(traits[fact]) for fact in chosen
        }

    def _wrong_kind(self, one: str) -> str:
        kinds = sorted(
            {kind for other, kind in self._kind_of.items() if (other in self._names) == (one in self._names)}
        )
        return self._is_a(one, self._random.choice([kind for kind in kinds if kind not in {one, self._kind_of[one]}]))

    def _opposite(self, said: tuple[str, Trait]) -> str:
        return self._says(*said, holds=not self._holds[said])

    def _all_questions(self) -> Iterator[Question]:
        for one in self._kind_of:
            path = [one, self._kind_of[one]]
            if path[-1] in self._kind_of:
                path.append(self._kind_of[path[-1]])
            for trait in self._traits:
                depth = next((at for at, about in enumerate(path) if (about, trait) in self._holds), None)
                if depth is None:
                    continue
                core = (*map(self.kind_fact, path[:depth]), self.trait_fact(path[depth], trait))
                yield Question(self._asks(one, trait), "yes" if self._holds[path[depth], trait] else "no", core)

    def _subject(self, one: str) -> str:
        return one.capitalize() if one in self._names else _many(one)

    def _is_a(self, one: str, kind: str) -> str:
        if one in self._names:
            return f"{self._subject(one)} is {'an' if kind[0] in 'aeiou' else 'a'} {kind}."
        return f"{self._subject(one).capitalize()} are {_many(kind)}."

    def _says(self, about: str, trait: Trait, *, holds: bool) -> str:
        subject = self._subject(about)
        return trait.said(subject[:1].upper() + subject[1:], plural=about not in self._names, holds=holds)

    def _asks(self, about: str, trait: Trait) -> str:
        return trait.asked(self._subject(about), plural=about not in self._names)

    def _words(self) -> tuple[list[str], list[str], list[str], list[str], list[str]]:
        """Names, kinds, verbs, adjectives and nouns for parts: all different."""
        nouns = self._random.sample(_nouns(), _TOPS + _MIDDLES + _THINGS + 12)
        kinds, parts, names = nouns[: _TOPS + _MIDDLES], nouns[_TOPS + _MIDDLES :][:12], nouns[-_THINGS:]
        return names, kinds, self._random.sample(_of_part("v"), 14), self._random.sample(_of_part("a"), 14), parts


def _usual(word: Word) -> bool:
    return word.text.isalpha() and not word.base and _SHORTEST <= len(word.text) <= _LONGEST


@cache
def _frequent() -> tuple[Word, ...]:
    return tuple(lexicon().frequent(_RAREST))[_FREQUENT // 3 :]


@cache
def _of_part(part: str) -> list[str]:
    return [word.text for word in _frequent() if word.parts == part and _usual(word)]


@cache
def _plurals() -> dict[str, str]:
    return {word.base: word.text for word in _frequent() if word.base and word.parts == "n"}


@cache
def _nouns() -> list[str]:
    return [text for text in _of_part("n") if text in _plurals()]


def _many(noun: str) -> str:
    """Its plural."""
    return _plurals()[noun]
