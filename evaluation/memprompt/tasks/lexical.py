"""Lexical relations (MemPrompt, section 3.3 and appendix C): a word that is like, unlike, sounds like another one, …

    x   take bridge for a walk
    u   You want a word that sounds the same as "bridge".
    fb  by take for a walk I mean make a sentence
    u   You want a sentence with the word "bridge".
    y   We walked across the bridge at sunset.

Five ways to ask for each of five types in English, romanized Hindi and romanized Punjabi (`data/templates.toml`), none
of which says plainly what is meant. The words come from the lexicon of the embedded model. What the simulated person
says who puts it right was written by people who had seen neither model nor app (`data/wordings`); it names the task ("a
synonym"), or describes it only.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from assistant.language.lexicon import lexicon
from evaluation.benchmarks.templates import Way, ways, words_by_type
from evaluation.memprompt.tasks.word_tasks import ENGLISH, HINDI, MIXED, PUNJABI, Judge, WordItem, WordTask
from evaluation.streams.experiment import has_answer

JUDGE = Judge(
    {
        "hom": r"sound|homophone|homonym|pronounc|sunn?[ae]|suna[ni]|uccharan|awaa?z|सुन|ਸੁਣ",
        "ant": r"opposite|antonym|contrary|reverse|ulta?\b|vilom|vipreet|उल्ट|उलट|विलोम|ਉਲਟ",
        "syn": r"same|similar|synonym|like|samanarthi|iko|jaisa|समानार्थ|ਸਮਾਨਾਰਥੀ",
        "sent": r"sentence|vaa?k(ya)?\b|example of|used?\b|वाक्य|ਵਾਕ",
        "defn": r"mean|defin|explain|matlab|arth\b|paribhasha|मतलब|अर्थ|ਮਤਲਬ|ਅਰਥ",
    }
)
_WORDINGS = Path(__file__).parents[2] / "data" / "wordings"
_TYPES = {"synonym": "syn", "antonym": "ant", "homophone": "hom", "sentence": "sent", "definition": "defn"}
_LANGS = {"en": ENGLISH, "hi": HINDI, "pa": PUNJABI, "mixed": MIXED}
_SAID_IN_ANOTHER_LANGUAGE = 0.25
_SHORTEST_SENTENCE = _SHORTEST_DEFINITION = 3  # words


@dataclass(frozen=True)
class Lexical(WordTask):
    """Five relations between words, asked for in words that do not name them."""

    judge = JUDGE
    langs = (ENGLISH, HINDI, PUNJABI, MIXED)
    name: str = "lexical"
    names_task: bool = True  # whether they say what the task is called; else they describe it

    def ways(self, lang: str) -> Sequence[Way]:
        return [way for way in ways() if lang in (way.lang, MIXED)]

    def item(self, way: Way, random: Random) -> WordItem:
        word = random.choice([word for word in words_by_type()[way.type] if word not in way.template.split()])
        return self.ask(way, word, self.answers(way.type, word), random)

    def answered(self, item: WordItem, answer: str) -> bool:
        """A related word of the lexicon is right; a definition says more than that, and a sentence holds the word."""
        if item.type == "sent":
            return item.about in answer.casefold() and len(answer.split()) >= _SHORTEST_SENTENCE
        return has_answer(item, answer) and (item.type != "defn" or len(answer.split()) >= _SHORTEST_DEFINITION)

    def sayings(self, lang: str, random: Random) -> Mapping[str, Sequence[str]]:
        said = _wordings()[self.names_task]
        others = [other for other in said if other != lang]
        return said[random.choice(others) if random.random() < _SAID_IN_ANOTHER_LANGUAGE else lang]

    def answers(self, kind: str, text: str) -> tuple[str, ...]:
        """What counts as an answer about a word, by the lexicon."""
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
    """By whether they name the task, then by language and type."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(_WORDINGS.glob("wordings_*.jsonl"))]
    rows = [json.loads(line) for text in texts for line in text.splitlines()]
    return {
        named: {
            lang: {
                kind: [
                    row["text"] for row in rows if (row["names_task"], row["lang"], row["task"]) == (named, short, task)
                ]
                for task, kind in _TYPES.items()
            }
            for short, lang in _LANGS.items()
        }
        for named in (True, False)
    }
