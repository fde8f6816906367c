"""Tasks of MemPrompt: questions about words that do not name the task, and users' corrections.

    x   take bridge for a walk
    u   You want a word that sounds the same as "bridge".
    fb  by take for a walk I mean make a sentence
    u   You want a sentence with the word "bridge".
    y   We walked across the bridge at sunset.

`lexical` and `described` (section 3.3 and appendix C): five ways to ask for each of five relations in English,
romanized Hindi and romanized Punjabi (`data/ways.toml`). People who knew neither model nor app wrote the corrections
(`data/wordings`), which name the task ("a synonym") or only describe it. Words come from the embedded model's lexicon.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import islice
from random import Random
from typing import NamedTuple

from assistant.language.lexicon import Lexicon, lexicon
from assistant.text.words import as_words
from assistant.types import Turn
from evaluation.harness.dataset import DATA

ENGLISH, HINDI, PUNJABI = "en", "hi-latn", "pa-latn"
MIXED = "mixed"
"""Questions in random languages."""
TYPES = {"synonym": "syn", "antonym": "ant", "homophone": "hom", "sentence": "sent", "definition": "defn"}
_LANGS = {"en": ENGLISH, "hi": HINDI, "pa": PUNJABI, "mixed": MIXED}
_SAID_IN_ANOTHER_LANGUAGE = 0.25
_FEWEST_WORDS = 3  # in a sentence or definition
_FREQUENT = 8_000  # questions are about words up to this frequency rank
_SHORTEST = 3  # letters

# The first pattern that an understanding matches is its type, as in the paper (section 4.1.2).
_PATTERNS = {
    "hom": r"sound|homophone|homonym|pronounc|sunn?[ae]|suna[ni]|uccharan|awaa?z|सुन|ਸੁਣ",
    "ant": r"opposite|antonym|contrary|reverse|ulta?\b|vilom|vipreet|उल्ट|उलट|विलोम|ਉਲਟ",
    "syn": r"same|similar|synonym|like|samanarthi|iko|jaisa|समानार्थ|ਸਮਾਨਾਰਥੀ",
    "sent": r"sentence|vaa?k(ya)?\b|example of|used?\b|वाक्य|ਵਾਕ",
    "defn": r"mean|defin|explain|matlab|arth\b|paribhasha|मतलब|अर्थ|ਮਤਲਬ|ਅਰਥ",
}


@dataclass(frozen=True, slots=True)
class WordPattern:
    """A way to ask."""

    id: str
    type: str  # the task that is meant, one of the values of `TYPES`
    lang: str
    template: str  # question with `{word}`

    @property
    def phrase(self) -> str:
        """Return the words that a correction quotes: the template without the word."""
        return " ".join(self.template.replace("{word}", " ").replace("?", " ").split())


@dataclass(frozen=True)
class WordItem:
    """A question about a word, asked in one of the ways of its task."""

    question: str
    type: str  # the task that is meant; entries of another type mislead
    lang: str
    way: str  # entries of the same way help
    answers: tuple[str, ...] = ()  # accepted answers, ignoring case
    groups: tuple[str, ...] = ()  # for counting
    phrase: str = ""  # the question without the word
    about: str = ""  # the word


class TurnVerdict(NamedTuple):
    """Verdict on a turn: `understood` is Acc(u), `answered` Acc(y)."""

    understood: bool
    answered: bool


class Brackets(StrEnum):
    """Share of questions with the word in brackets: < word >. In the paper, all have them."""

    ALL = "all"
    HALF = "half"
    NONE = "none"

    def around(self, word: str, random: Random) -> str:
        """Return the word, perhaps in brackets."""
        share = {Brackets.ALL: 1.0, Brackets.HALF: 0.5, Brackets.NONE: 0.0}[self]
        return f"< {word} >" if random.random() < share else word


@dataclass(frozen=True)
class LexicalTask:
    """Asks for five relations between words, judges answers, and corrects with prepared wordings."""

    brackets: Brackets = Brackets.HALF
    name: str = "lexical"  # of `TASKS`

    def items(self, lang: str, seed: int, length: int) -> Iterator[WordItem]:
        """Yield that many questions; deterministic by seed."""
        return islice(self._endless(lang, seed), length)

    def _endless(self, lang: str, seed: int) -> Iterator[WordItem]:
        random = Random(f"{self.name} {lang} {seed}")  # noqa: S311  a repeatable choice is wanted
        known = [way for way in _load_patterns() if lang in (way.lang, MIXED)]
        while True:  # in rounds of all ways in random order, so that each way recurs soon
            for way in random.sample(known, len(known)):
                about = random.choice([word for word in _group_words()[way.type] if word not in way.template.split()])
                shown = self.brackets.around(about, random)
                question = way.template.format(word=shown)
                groups = (way.type,) if shown == about else (way.type, "in brackets")
                answers = find_answers(way.type, about)
                yield WordItem(question, way.type, way.lang, way.id, answers, groups, way.phrase, about)

    def verdict(self, item: WordItem, turn: Turn) -> TurnVerdict:
        """Judge whether a turn shows the right understanding, and a right answer."""
        understood = find_type(turn.reply.understanding, item.about) == item.type
        return TurnVerdict(understood, is_answered(item, turn.reply.answer))

    def said(self, item: WordItem, random: Random, *, wrongly: bool = False) -> str:
        """Return a correction; one in four is in another language."""
        by_lang = _load_corrections()[TASKS[self.name]]
        others = [other for other in by_lang if other != item.lang]
        said = by_lang[random.choice(others) if random.random() < _SAID_IN_ANOTHER_LANGUAGE else item.lang]
        kind = random.choice([other for other in said if other != item.type]) if wrongly else item.type
        return random.choice(said[kind]).replace("{phrase}", item.phrase)


def find_type(understanding: str, about: str) -> str | None:
    """Return the type that an understanding names; None if it names none or is about another word."""
    text = understanding.casefold()
    if about:
        named = as_words(about)
        if not named.search(text):
            return None
        text = named.sub(" ", text)  # the word may look like a type: "a synonym of "sentence""
    return next((kind for kind, pattern in _PATTERNS.items() if re.search(pattern, text)), None)


def is_answered(item: WordItem, answer: str) -> bool:
    """Return True if an answer has a related word; definitions must be longer, and sentences contain the word."""
    is_long = len(answer.split()) >= _FEWEST_WORDS
    if item.type == "sent":
        return item.about in answer.casefold() and is_long
    has_word = any(as_words(one).search(answer.casefold()) for one in item.answers)
    return has_word and (item.type != "defn" or is_long)


def find_answers(kind: str, text: str) -> tuple[str, ...]:
    """Return the accepted answers about a word, from the lexicon."""
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
def _load_patterns() -> Sequence[WordPattern]:
    """Return all ways to ask, by language and type."""
    by_lang = tomllib.loads((DATA / "ways.toml").read_text(encoding="utf-8"))
    return [
        WordPattern(f"{kind}-{lang}-{number}", kind, lang, template)
        for lang, types in by_lang.items()
        for kind in ("syn", "ant", "hom", "defn", "sent")
        for number, template in enumerate(types[kind], 1)
    ]


@cache
def _group_words() -> Mapping[str, Sequence[str]]:
    """Return frequent words by the types of questions that they allow."""
    words = [word for word in Lexicon().frequent(_FREQUENT) if len(word.text) >= _SHORTEST and not word.base]
    needed = {"syn": "synonyms", "ant": "antonyms", "hom": "homophones", "defn": "general", "sent": "parts"}
    return {kind: [word.text for word in words if getattr(word, name)] for kind, name in needed.items()}


@cache
def _load_corrections() -> Mapping[bool, Mapping[str, Mapping[str, Sequence[str]]]]:
    """Return corrections by whether they name the task, then by language and type."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((DATA / "wordings").glob("wordings_*.jsonl"))]
    said: dict[bool, dict[str, dict[str, list[str]]]] = {
        named: {lang: {kind: [] for kind in TYPES.values()} for lang in _LANGS.values()} for named in (True, False)
    }
    for row in (json.loads(line) for text in texts for line in text.splitlines()):
        said[row["names_task"]][_LANGS[row["lang"]]][TYPES[row["task"]]].append(row["text"])
    return said


LANGS = (ENGLISH, HINDI, PUNJABI, MIXED)
TASKS = {"lexical": True, "described": False}
"""Task to True if users name the task, False if they describe it."""
