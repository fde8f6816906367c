"""The tasks of MemPrompt: questions about words that do not say what is wanted, and what people say who meant it.

    x   take bridge for a walk
    u   You want a word that sounds the same as "bridge".
    fb  by take for a walk I mean make a sentence
    u   You want a sentence with the word "bridge".
    y   We walked across the bridge at sunset.

`lexical` and `described` (section 3.3 and appendix C): five ways to ask for each of five relations in English,
romanized Hindi and romanized Punjabi (`data/templates.toml`). What the simulated user says was written by people who
had seen neither model nor app (`data/wordings`); it names the task ("a synonym"), or only describes it. `scramble`
(table 4): find the word that was scrambled in one of five ways. Words come from the lexicon of the embedded model.
"""

import json
import re
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, partial
from random import Random
from typing import Any, ClassVar, NamedTuple

from assistant.language.lexicon import lexicon
from assistant.text.words import as_words
from assistant.types import Turn
from evaluation.decide.templates import Way, ways, words_by_type
from evaluation.harness.dataset import DATA, BadInput

ENGLISH, HINDI, PUNJABI = "en", "hi-latn", "pa-latn"
MIXED = "mixed"
"""Every question in a language by chance."""
TYPES = {"synonym": "syn", "antonym": "ant", "homophone": "hom", "sentence": "sent", "definition": "defn"}
_LANGS = {"en": ENGLISH, "hi": HINDI, "pa": PUNJABI, "mixed": MIXED}
_SAID_IN_ANOTHER_LANGUAGE = 0.25
_FEWEST_WORDS = 3  # of a sentence and of a definition
_FREQUENT = 8_000
_LENGTHS = range(6, 11)
_SYMBOLS = ".!/-"

# An understanding is of the first type whose pattern it matches, as the paper tells them (section 4.1.2).
_LEXICAL = {
    "hom": r"sound|homophone|homonym|pronounc|sunn?[ae]|suna[ni]|uccharan|awaa?z|सुन|ਸੁਣ",
    "ant": r"opposite|antonym|contrary|reverse|ulta?\b|vilom|vipreet|उल्ट|उलट|विलोम|ਉਲਟ",
    "syn": r"same|similar|synonym|like|samanarthi|iko|jaisa|समानार्थ|ਸਮਾਨਾਰਥੀ",
    "sent": r"sentence|vaa?k(ya)?\b|example of|used?\b|वाक्य|ਵਾਕ",
    "defn": r"mean|defin|explain|matlab|arth\b|paribhasha|मतलब|अर्थ|ਮਤਲਬ|ਅਰਥ",
}
_SCRAMBLES = {
    "anag2": r"first two|anagram 2",
    "anag1": r"first and (the |its )?last|anagram 1",
    "cyc": r"rotat|cycl|shift",
    "rand": r"symbol|punctuation",
    "rev": r"backward|revers",
}


@dataclass(frozen=True)
class WordItem:
    """A question about a word, asked in one of the ways of its task."""

    question: str
    type: str  # what is meant; what was said about another type misleads
    lang: str
    way: str  # what was said about one question of a way serves all others of it
    answers: tuple[str, ...] = ()  # what counts as an answer, in any case
    groups: tuple[str, ...] = ()  # in which it is counted, beside those of its type
    phrase: str = ""  # its way of asking in words, without the thing asked about
    about: str = ""  # the thing asked about


class Verdict(NamedTuple):
    """Of a turn: `understood` counts for Acc(u), `answered` for Acc(y)."""

    understood: bool
    answered: bool


class Brackets(StrEnum):
    """How many of the questions have the word asked about in brackets, as all have in the paper: < word >."""

    ALL = "all"
    HALF = "half"
    NONE = "none"

    def around(self, word: str, random: Random) -> str:
        """Return the word as it is written in a question."""
        share = {Brackets.ALL: 1.0, Brackets.HALF: 0.5, Brackets.NONE: 0.0}[self]
        return f"< {word} >" if random.random() < share else word


@dataclass(frozen=True)
class WordTask(ABC):
    """Asks in ways that are written down, judges, and corrects in words that are written down."""

    patterns: ClassVar[Mapping[str, str]]
    langs: ClassVar[Sequence[str]] = (ENGLISH,)
    brackets: Brackets = Brackets.HALF
    name: str = ""

    @abstractmethod
    def ways(self, lang: str) -> Sequence[Way]:
        """Return the ways to ask in a language."""

    @abstractmethod
    def word(self, way: Way, random: Random) -> tuple[str, tuple[str, ...]]:
        """Return a word to ask about in this way, and what counts as an answer."""

    @abstractmethod
    def sayings(self, lang: str, random: Random) -> Mapping[str, Sequence[str]]:
        """Return what a user says who was asked in this language, by what they mean."""

    def items(self, lang: str, seed: int) -> Iterator[WordItem]:
        """Yield questions without end; the same seed gives the same ones."""
        random = Random(f"{self.name} {lang} {seed}")  # noqa: S311  a repeatable choice is wanted
        known = self.ways(lang)
        while True:  # all ways in one order by chance, then in another: none has to wait long for its turn
            for way in random.sample(known, len(known)):
                about, answers = self.word(way, random)
                shown = self.brackets.around(about, random)
                question = way.template.format(word=shown)
                groups = () if shown == about else ("in brackets",)
                yield WordItem(question, way.type, way.lang, way.id, answers, groups, way.phrase, about)

    def verdict(self, item: WordItem, turn: Turn) -> Verdict:
        """Judge whether a turn shows that a question was understood as meant, and is answered."""
        understood = self.type_of(turn.reply.understanding, item.about) == item.type
        return Verdict(understood, self.answered(item, turn.reply.answer))

    def type_of(self, understanding: str, about: str) -> str | None:
        """Return the type that an understanding speaks of; None where it names none, or is about another thing."""
        text = understanding.casefold()
        if about:
            named = as_words(about)
            if not named.search(text):
                return None
            text = named.sub(" ", text)  # the thing may be such a word itself: "a synonym of "sentence""
        return next((kind for kind, pattern in self.patterns.items() if re.search(pattern, text)), None)

    def answered(self, item: WordItem, answer: str) -> bool:
        """Return True if one of the answers stands in the text as words."""
        return any(as_words(one).search(answer.casefold()) for one in item.answers)

    def said(self, item: WordItem, random: Random, *, wrongly: bool = False) -> str:
        """Return what a user says who was misunderstood."""
        said = self.sayings(item.lang, random)
        kind = random.choice([other for other in said if other != item.type]) if wrongly else item.type
        return random.choice(said[kind]).replace("{phrase}", item.phrase)


@dataclass(frozen=True)
class Lexical(WordTask):
    """Five relations between words."""

    patterns = _LEXICAL
    langs = (ENGLISH, HINDI, PUNJABI, MIXED)
    name: str = "lexical"
    names_task: bool = True  # whether users say what the task is called; else they describe it

    def ways(self, lang: str) -> Sequence[Way]:
        return [way for way in ways() if lang in (way.lang, MIXED)]

    def word(self, way: Way, random: Random) -> tuple[str, tuple[str, ...]]:
        word = random.choice([word for word in words_by_type()[way.type] if word not in way.template.split()])
        return word, self.answers(way.type, word)

    def answered(self, item: WordItem, answer: str) -> bool:
        """A related word of the lexicon is right; a definition says more than that, and a sentence holds the word."""
        is_long = len(answer.split()) >= _FEWEST_WORDS
        if item.type == "sent":
            return item.about in answer.casefold() and is_long
        return super().answered(item, answer) and (item.type != "defn" or is_long)

    def sayings(self, lang: str, random: Random) -> Mapping[str, Sequence[str]]:
        said = _wordings()[self.names_task]
        others = [other for other in said if other != lang]
        return said[random.choice(others) if random.random() < _SAID_IN_ANOTHER_LANGUAGE else lang]

    def answers(self, kind: str, text: str) -> tuple[str, ...]:
        """Return what counts as an answer about a word, by the lexicon."""
        word = lexicon().find(text)
        if word is None:
            return ()
        base = lexicon().base_of(word)
        found = {
            "syn": base.synonyms,
            "ant": base.antonyms,
            "hom": word.homophones,
            "defn": tuple(dict.fromkeys(word for sense in lexicon().senses(text) for word in sense.words)),
        }
        return found.get(kind, ())


@cache
def _wordings() -> Mapping[bool, Mapping[str, Mapping[str, Sequence[str]]]]:
    """Return what people say by whether it names the task, then by language and type."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((DATA / "wordings").glob("wordings_*.jsonl"))]
    said: dict[bool, dict[str, dict[str, list[str]]]] = {
        named: {lang: {kind: [] for kind in TYPES.values()} for lang in _LANGS.values()} for named in (True, False)
    }
    for row in (json.loads(line) for text in texts for line in text.splitlines()):
        said[row["names_task"]][_LANGS[row["lang"]]][TYPES[row["task"]]].append(row["text"])
    return said


@dataclass(frozen=True)
class Scramble(WordTask):
    """Scrambled words. The questions of the paper say how they are scrambled; these do not."""

    patterns = _SCRAMBLES
    name: str = "scramble"

    def ways(self, lang: str) -> Sequence[Way]:
        return [
            Way(f"{kind}-{number}", kind, lang, template, ())
            for kind, templates in _scrambles()["ways"].items()
            for number, template in enumerate(templates, 1)
        ]

    def word(self, way: Way, random: Random) -> tuple[str, tuple[str, ...]]:
        word = random.choice(_scrambled_words())
        return _SCRAMBLED[way.type](word, random), (word,)

    def sayings(self, lang: str, random: Random) -> Mapping[str, Sequence[str]]:  # noqa: ARG002
        said: Mapping[str, Sequence[str]] = _scrambles()["said"]
        return said


@cache
def _scrambles() -> Mapping[str, Any]:
    """Return the ways to ask, and what people say, by type."""
    return tomllib.loads((DATA / "scramble.toml").read_text(encoding="utf-8"))


@cache
def _scrambled_words() -> Sequence[str]:
    """Return words of whose letters no other word is made, so that there is one answer."""
    found = (word.text for word in lexicon().frequent(_FREQUENT) if len(word.text) in _LENGTHS)
    return [word for word in found if len(set(word[2:-2])) > 1 and lexicon().spelled_with(word) == (word,)]


def shuffled(word: str, random: Random, kept: int) -> str:
    """Return it with the letters between the first and the last `kept` in another order. They must differ."""
    middle = list(word[kept : len(word) - kept])
    while "".join(middle) == word[kept : len(word) - kept]:
        random.shuffle(middle)
    return word[:kept] + "".join(middle) + word[len(word) - kept :]


def rotated(word: str, random: Random) -> str:
    """Return it with some letters moved from its front to its end."""
    at = random.randrange(1, len(word))
    return word[at:] + word[:at]


def peppered(word: str, random: Random) -> str:
    """Return it with a symbol after some letters."""
    places = set(random.sample(range(1, len(word)), len(word) // 2))
    return "".join((random.choice(_SYMBOLS) if place in places else "") + letter for place, letter in enumerate(word))


_SCRAMBLED: Mapping[str, Callable[[str, Random], str]] = {
    "anag1": lambda word, random: shuffled(word, random, 1),
    "anag2": lambda word, random: shuffled(word, random, 2),
    "cyc": rotated,
    "rand": peppered,
    "rev": lambda word, _random: word[::-1],
}
TASKS: Mapping[str, Callable[[Brackets], WordTask]] = {
    "lexical": Lexical,
    "described": partial(Lexical, name="described", names_task=False),
    "scramble": Scramble,
}


def task_named(name: str, brackets: str) -> WordTask:
    """Return one of `TASKS`. Raises BadInput: there is no such task, or no such number of brackets."""
    if name not in TASKS:
        raise BadInput(f"There is no task {name}; choose of {', '.join(TASKS)}.")
    try:
        return TASKS[name](Brackets(brackets))
    except ValueError:
        raise BadInput(f'Brackets are all, half or none, not "{brackets}".') from None
