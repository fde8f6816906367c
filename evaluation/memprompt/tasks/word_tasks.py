"""Tasks about words of the lexicon: ways to ask that say nothing plainly, and what people say who put it right."""

import re
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from random import Random
from typing import ClassVar

from assistant.language.lexicon import lexicon
from assistant.text.words import as_words
from assistant.types import Turn
from evaluation.benchmarks.templates import Way
from evaluation.streams.experiment import Item, Verdict, has_answer

ENGLISH, HINDI, PUNJABI = "en", "hi-latn", "pa-latn"
MIXED = "mixed"
"""Every question in a language by chance."""
_FILE = Path(__file__).parents[2] / "data" / "scramble.toml"
_FREQUENT = 8_000
_LENGTHS = range(6, 11)


@dataclass(frozen=True)
class WordItem(Item):
    """A question about a word, asked in one of the ways of its task."""

    phrase: str = ""  # its way of asking in words, without the thing asked about
    about: str = ""  # the thing asked about


class Brackets(StrEnum):
    """How many of the questions have the word asked about in brackets, as all have in the paper: < word >."""

    ALL = "all"
    HALF = "half"
    NONE = "none"

    def around(self, word: str, random: Random) -> str:
        """The word as it stands in a question."""
        share = {Brackets.ALL: 1.0, Brackets.HALF: 0.5, Brackets.NONE: 0.0}[self]
        return f"< {word} >" if random.random() < share else word


@dataclass(frozen=True, slots=True)
class Judge:
    """Tells which type an understanding speaks of, by what it says (the paper compares in the same way, 4.1.2).

    `patterns` has a regular expression for each type; the first that matches counts.
    """

    patterns: Mapping[str, str]

    def __call__(self, understanding: str, about: str) -> str | None:
        """The type; None where it names none, or is not about this thing."""
        text = understanding.casefold()
        if about and not (named := as_words(about)).search(text):
            return None
        # The thing asked about may be such a word itself: "You want a synonym of "sentence"".
        told = named.sub(" ", text) if about else text
        return next((kind for kind, pattern in self.patterns.items() if re.search(pattern, told)), None)


@dataclass(frozen=True)
class WordTask(ABC):
    """Asks in ways that are written down, and is put right in words that are written down."""

    judge: ClassVar[Judge]
    langs: ClassVar[Sequence[str]] = (ENGLISH,)
    brackets: Brackets = Brackets.HALF
    name: str = ""

    def items(self, lang: str, seed: int) -> Iterator[WordItem]:
        random = Random(f"{self.name} {lang} {seed}")  # noqa: S311  a repeatable choice is wanted
        ways = self.ways(lang)
        while True:  # all of them in one order by chance, then in another: none has to wait long for its turn
            for way in random.sample(ways, len(ways)):
                yield self.item(way, random)

    def verdict(self, item: WordItem, turn: Turn) -> Verdict:
        reply = turn.reply
        return Verdict(self.judge(reply.understanding, item.about) == item.type, self.answered(item, reply.answer))

    def said(self, item: WordItem, random: Random, *, wrongly: bool = False) -> str:
        said = self.sayings(item.lang, random)
        kind = random.choice([other for other in said if other != item.type]) if wrongly else item.type
        return random.choice(said[kind]).replace("{phrase}", item.phrase)

    @abstractmethod
    def item(self, way: Way, random: Random) -> WordItem:
        """A question, asked in this way."""

    def ask(self, way: Way, word: str, answers: tuple[str, ...], random: Random) -> WordItem:
        """The question about this word, perhaps with brackets."""
        shown = self.brackets.around(word, random)
        question = way.template.format(word=shown)
        groups = () if shown == word else ("in brackets",)
        return WordItem(question, way.type, way.lang, way.id, answers, groups, way.phrase, word)

    def answered(self, item: WordItem, answer: str) -> bool:
        """Whether this answers the question."""
        return has_answer(item, answer)

    @abstractmethod
    def ways(self, lang: str) -> Sequence[Way]:
        """The ways to ask in a language."""

    @abstractmethod
    def sayings(self, lang: str, random: Random) -> Mapping[str, Sequence[str]]:
        """What a person says who was asked in this language, by what they mean."""


_SCRAMBLES = Judge(
    {
        "anag2": r"first two|anagram 2",
        "anag1": r"first and (the |its )?last|anagram 1",
        "cyc": r"rotat|cycl|shift",
        "rand": r"symbol|punctuation",
        "rev": r"backward|revers",
    }
)
_SYMBOLS = ".!/-"


@dataclass(frozen=True)
class Scramble(WordTask):
    """Word scrambling (MemPrompt, section 3.3 and table 4): find the word that was scrambled, in one of five ways.

        x    < nglea > went round, bring it home
        u    You want "nglea" spelled backwards.
        fb   its letters were shifted round, it is a rotated word
        u    You want the word of which "nglea" is a rotation.
        y    angle

    The paper's questions say how the word was scrambled and are misread seldom; these do not say it.
    """

    judge = _SCRAMBLES
    name: str = "scramble"

    def ways(self, lang: str) -> Sequence[Way]:
        return [
            Way(f"{kind}-{number}", kind, lang, template, ())
            for kind, templates in self._file["ways"].items()
            for number, template in enumerate(templates, 1)
        ]

    def sayings(self, lang: str, random: Random) -> Mapping[str, Sequence[str]]:  # noqa: ARG002
        return self._file["said"]

    def item(self, way: Way, random: Random) -> WordItem:
        word = random.choice(self.words)
        asked = _SCRAMBLED[way.type](word, random)
        return self.ask(way, asked, (word,), random)

    @cached_property
    def words(self) -> Sequence[str]:
        """The words that are asked about: nothing else is made of their letters, so that there is one answer."""
        found = (word.text for word in lexicon().frequent(_FREQUENT) if len(word.text) in _LENGTHS)
        return [word for word in found if len(set(word[2:-2])) > 1 and lexicon().spelled_with(word) == (word,)]

    @cached_property
    def _file(self) -> Mapping[str, Mapping[str, Sequence[str]]]:
        """Type to ways to ask, and type to what people say who mean it."""
        return tomllib.loads(_FILE.read_text(encoding="utf-8"))


def shuffled(word: str, random: Random, kept: int) -> str:
    """With the letters between the first and the last `kept` ones in another order. They must not all be the same."""
    middle = list(word[kept : len(word) - kept])
    while "".join(middle) == word[kept : len(word) - kept]:
        random.shuffle(middle)
    return word[:kept] + "".join(middle) + word[len(word) - kept :]


def rotated(word: str, random: Random) -> str:
    """With some letters moved from its front to its end."""
    at = random.randrange(1, len(word))
    return word[at:] + word[:at]


def peppered(word: str, random: Random) -> str:
    """With a symbol after some letters."""
    places = set(random.sample(range(1, len(word)), len(word) // 2))
    return "".join((random.choice(_SYMBOLS) if place in places else "") + letter for place, letter in enumerate(word))


_SCRAMBLED: Mapping[str, Callable[[str, Random], str]] = {
    "anag1": lambda word, random: shuffled(word, random, 1),
    "anag2": lambda word, random: shuffled(word, random, 2),
    "cyc": rotated,
    "rand": peppered,
    "rev": lambda word, _random: word[::-1],
}
