"""Everyday questions of MemPrompt: the published misunderstandings, corrected in their own words.

    x   what time does the press open on sunday
    u   You want to know when a newspaper office opens on Sunday.
    fb  by press I mean the ironing man's stall in our lane
    x'  the press lost my husband's white kurta, should he pay me for it

Each misunderstanding is asked about once, then twice more in other words; for each, a question that needs no note is
asked as well. Questions of all misunderstandings are mixed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random

from assistant.language.lexicon import lexicon
from assistant.types import Turn
from evaluation.decisions.benchmark import DecisionCase, StoredEntry
from evaluation.decisions.misunderstandings import KeysLine, load
from evaluation.memprompt.word_tasks import ENGLISH, HINDI, MIXED, PUNJABI, TurnVerdict
from memory_store.language.function_words import WordKind, split_words

EVERYDAY: Mapping[str, Sequence[str]] = {"everyday": ("fifth", "fourth"), "everyday-dev": ("third",)}
"""Sets of misunderstandings by task. Prompts are changed by what is seen on `everyday-dev` only."""
FIRST, AGAIN, OTHER = "first time", "again", "needs no note"
_AGAIN = 2  # questions for each misunderstanding, after the first one
_LANGS = {"en": ENGLISH, "hinglish": HINDI, "pa-latn": PUNJABI}
_MEANING = 1  # place among the keys of an entry
_STEM, _SHORTEST = 5, 3  # letters
_FREQUENT = 300  # words that are too common to tell a meaning


@dataclass(frozen=True)
class EverydayItem:
    """A question; `meant` and `wrong` say how it is understood rightly and wrongly, `said` corrects it."""

    question: str
    type: str  # the misunderstanding; entries of others mislead
    groups: tuple[str, ...]
    said: str = ""
    meant: tuple[str, ...] = ()
    wrong: str = ""

    def is_shown(self, text: str) -> bool:
        """Return True if a text has a telling word of the meaning that neither question nor misunderstanding has."""
        known = stems(self.question) | stems(self.wrong)
        return not (stems(" ".join(self.meant)) - known).isdisjoint(stems(text))

    def judge(self, turn: Turn) -> TurnVerdict:
        """Judge an answer by words of the meaning or, if no note is needed, by the notes that were used."""
        texts = (turn.reply.understanding, turn.reply.answer)
        if self.said:
            return TurnVerdict(*map(self.is_shown, texts))
        used = tuple(one.entry.text for one in turn.decisions if one.entry.id in turn.used)
        mislead = replace(self, meant=used)
        return TurnVerdict(*(not mislead.is_shown(text) for text in texts))

    def correct(self, random: Random) -> str:  # noqa: ARG002
        """Return the stored correction; empty where no note is needed."""
        return self.said


def ask_everyday(task: str, lang: str, seed: int, length: int) -> Iterator[EverydayItem]:
    """Yield up to `length` questions, mixing the misunderstandings; the first of each is its own question."""
    random = Random(f"{task} {lang} {seed}")  # noqa: S311  a repeatable choice is wanted
    groups = [group for part in EVERYDAY[task] for group in _groups(part, lang, random)]
    random.shuffle(groups)
    places: list[int] = []
    for number, group in enumerate(groups):
        if len(places) < length:
            places += [number] * len(group)
    random.shuffle(places)
    rest = [iter(group) for group in groups]
    for place in places[:length]:
        yield next(rest[place])


def stems(text: str) -> set[str]:
    """Return the first letters of the telling words of a text."""
    words = (word for word in split_words(text) if word.kind is WordKind.CONTENT)
    return {word.folded[:_STEM] for word in words if len(word.folded) >= _SHORTEST} - _common()


@cache
def _common() -> frozenset[str]:
    return frozenset(word.text[:_STEM] for word in lexicon().frequent(_FREQUENT))


def _groups(part: str, lang: str, random: Random) -> Iterator[list[EverydayItem]]:
    """Yield the questions for each misunderstanding in a language."""
    questions: Sequence[DecisionCase] = load("questions", part)
    keys: Mapping[object, KeysLine] = {one.id: one for one in load("keys", part)}

    def known(one: StoredEntry | DecisionCase) -> bool:
        return lang in (MIXED, _LANGS.get(one.lang))

    others = [one for one in questions if one.applies is None and known(one)]
    random.shuffle(others)
    for entry in filter(known, load("entries", part)):
        like = [one for one in questions if one.applies == entry.id and known(one)]
        meant = (entry.feedback, keys[entry.id].keys[_MEANING])
        asked = [(entry.question, FIRST), *((one.question, AGAIN) for one in like[:_AGAIN])]
        needed = [
            EverydayItem(text, str(entry.id), (group,), entry.feedback, meant, entry.wrong_understanding)
            for text, group in asked
        ]
        if others:
            needed.insert(random.randrange(len(needed) + 1), EverydayItem(others.pop().question, OTHER, (OTHER,)))
        yield needed
