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
from functools import cache
from itertools import islice
from random import Random
from typing import NamedTuple

from assistant.language.lexicon import Lexicon, lexicon
from assistant.text.sentences import as_words
from assistant.types import Turn
from evaluation.harness.dataset import DATA

ENGLISH, HINDI, PUNJABI = "en", "hi-latn", "pa-latn"
MIXED = "mixed"
"""Questions in random languages."""
LANGS = (ENGLISH, HINDI, PUNJABI, MIXED)
NAMING, DESCRIBING = "lexical", "described"
TYPES = {"synonym": "syn", "antonym": "ant", "homophone": "hom", "sentence": "sent", "definition": "defn"}
_LANGS = {"en": ENGLISH, "hi": HINDI, "pa": PUNJABI, "mixed": MIXED}
_IN_BRACKETS = 0.5  # share of questions with < the word > in brackets; in the paper, all have them
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


class WordPattern(NamedTuple):
    """A way to ask: a question with `{word}`, and the task that is meant, one of the values of `TYPES`."""

    type: str
    lang: str
    template: str


class WordCorrection(NamedTuple):
    """A correction by a user who meant the task."""

    text: str
    lang: str
    type: str
    names_task: bool


class TurnVerdict(NamedTuple):
    """Verdict on a turn: `understood` is Acc(u), `answered` Acc(y)."""

    understood: bool
    answered: bool


@dataclass(frozen=True)
class WordItem:
    """A question about a word, which does not name the task that is meant."""

    question: str
    type: str  # the task that is meant; entries of another type mislead
    about: str  # the word
    answers: tuple[str, ...] = ()  # accepted answers, ignoring case
    lang: str = ENGLISH
    groups: tuple[str, ...] = ()  # for counting
    phrase: str = ""  # the question without the word, as a correction quotes it
    task: str = NAMING

    def judge(self, turn: Turn) -> TurnVerdict:
        """Judge whether a turn shows the right understanding, and a right answer."""
        understood = find_type(turn.reply.understanding, self.about) == self.type
        return TurnVerdict(understood, self.is_answer(turn.reply.answer))

    def is_answer(self, answer: str) -> bool:
        """Return True if an answer has a related word; definitions must be longer, and sentences contain the word."""
        is_long = len(answer.split()) >= _FEWEST_WORDS
        if self.type == "sent":
            return self.about in answer.casefold() and is_long
        has_word = any(as_words(one).search(answer.casefold()) for one in self.answers)
        return has_word and (self.type != "defn" or is_long)

    def correct(self, random: Random) -> str:
        """Return a correction; one in four is in another language."""
        others = [other for other in LANGS if other != self.lang]
        lang = random.choice(others) if random.random() < _SAID_IN_ANOTHER_LANGUAGE else self.lang
        said = [one.text for one in _load_corrections() if one[1:] == (lang, self.type, self.task == NAMING)]
        return random.choice(said).replace("{phrase}", self.phrase)


def ask_words(task: str, lang: str, seed: int, length: int) -> Iterator[WordItem]:
    """Yield that many questions; deterministic by seed."""
    return islice(_ask_endlessly(task, lang, seed), length)


def _ask_endlessly(task: str, lang: str, seed: int) -> Iterator[WordItem]:
    random = Random(f"{task} {lang} {seed}")  # noqa: S311  a repeatable choice is wanted
    known = [way for way in _load_patterns() if lang in (way.lang, MIXED)]
    while True:  # in rounds of all ways in random order, so that each way recurs soon
        for way in random.sample(known, len(known)):
            about = random.choice([word for word in _group_words()[way.type] if word not in way.template.split()])
            is_bracketed = random.random() < _IN_BRACKETS
            question = way.template.format(word=f"< {about} >" if is_bracketed else about)
            groups = (way.type, "in brackets") if is_bracketed else (way.type,)
            phrase = " ".join(way.template.replace("{word}", " ").replace("?", " ").split())
            answers = find_answers(way.type, about)
            yield WordItem(question, way.type, about, answers, way.lang, groups, phrase, task)


def find_type(understanding: str, about: str) -> str | None:
    """Return the type that an understanding names; None if it names none or is about another word."""
    text, named = understanding.casefold(), as_words(about)
    if not named.search(text):
        return None
    text = named.sub(" ", text)  # the word may look like a type: "a synonym of "sentence""
    return next((kind for kind, pattern in _PATTERNS.items() if re.search(pattern, text)), None)


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
    kinds = ("syn", "ant", "hom", "defn", "sent")
    return [
        WordPattern(kind, lang, template)
        for lang, types in by_lang.items()
        for kind in kinds
        for template in types[kind]
    ]


@cache
def _group_words() -> Mapping[str, Sequence[str]]:
    """Return frequent words by the types of questions that they allow."""
    words = [word for word in Lexicon().frequent(_FREQUENT) if len(word.text) >= _SHORTEST and not word.base]
    needed = {"syn": "synonyms", "ant": "antonyms", "hom": "homophones", "defn": "general", "sent": "parts"}
    return {kind: [word.text for word in words if getattr(word, name)] for kind, name in needed.items()}


@cache
def _load_corrections() -> Sequence[WordCorrection]:
    paths = sorted((DATA / "wordings").glob("wordings_*.jsonl"))
    rows = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return [WordCorrection(row["text"], _LANGS[row["lang"]], TYPES[row["task"]], row["names_task"]) for row in rows]
