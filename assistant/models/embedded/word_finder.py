"""Finds the word that a question in a prompt asks about, and where its letters are asked for, their positions.

In brackets or quotes it is marked. A clarification may tell: it repeats the question but for that word ("by take for a
walk I mean …"), or the earlier question that it was said about differs in that word only. Else it is the likeliest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from enum import IntEnum
from itertools import pairwise

from assistant.language.asked_word import differing_places, marked_words, told_places, words_in
from assistant.language.lexicon import lexicon
from assistant.models.embedded.glossary import Glossary, words_of
from assistant.models.embedded.prompt_reader import PromptQuestion
from assistant.models.embedded.word_tasks import ENGLISH, Subject, WordTask

_PREPOSITIONS = frozenset(["of", "to", "for", "with", "about", "on", "like", "as", "from", "than", "into"])
_BEFORE = _PREPOSITIONS | {"define", "word", "use", "using", "letters", "mean"}
_AFTER = frozenset(["of", "to", "from", "in", "like", "meaning", "means", "mean", "same", "different", "use", "as"])
ARTICLES = frozenset(["a", "an", "the"])
# "tell me a joke" asks for a thing, not about a word; "the opposite of a joke" asks about one.
_INDEFINITE = frozenset(["a", "an"])
_NEVER_BEFORE = frozenset(["my", "your", "his", "her", "our", "their"])
_BEFORE_VERB = frozenset(["to", "word"])
_NUMBER = re.compile(r"\d+")
_COUNTED = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_ORDINALS = {"last": -1} | {name: number for number, name in enumerate(_COUNTED, start=1)}
_HOLDS_SYMBOLS, _BESIDE_PARTICLE, _LEAST = 2, 2, 2


class WordClass(IntEnum):
    """How likely a word is the one that a question asks about, by itself."""

    PHRASING = 0
    EVERYDAY = 2
    CONTENT = 3


class WordFinder:
    """See the module. `fold` brings spellings and scripts of a text together."""

    def __init__(self, fold: Callable[[str], str], glossary: Glossary) -> None:
        self._fold = fold
        self._glossary = glossary

    def find(self, asked: PromptQuestion, phrasing: frozenset[str], meant: Callable[[], WordTask | None]) -> str | None:
        """The word that the question marks, or a clarification tells, or the likeliest; None where there is none.

        The likeliest is not one with which the examples ask (`phrasing`, folded), unless there is no other: an example
        that a person confirmed may hold any word. Nor is it one that the question shares with an earlier one of its
        kind, which asks about another word. `meant` says which task was meant, where a clarification does.
        """
        if word := marked_word(asked.question) or self._told(asked):
            return word
        known = phrasing | self._shared(asked)
        task = meant() if asked.said else None
        if task and (word := self._fitting(asked.question, known, task)):
            return word
        attempts = (known, phrasing, frozenset[str]())
        return next(filter(None, (self.likeliest(asked.question, each) for each in attempts)), None)

    def likeliest(self, question: str, phrasing: Collection[str]) -> str | None:
        """The word that by itself is likeliest to be asked about, if any. `phrasing`, folded, is how it is asked."""
        return asked_word(question, self._glossary, lambda word: self.kind(word, phrasing))

    def kind(self, word: str, phrasing: Collection[str]) -> WordClass:
        """How likely a word is asked about, by itself."""
        if self._glossary.is_phrasing(word) or self._fold(word) in phrasing:
            return WordClass.PHRASING
        known = lexicon().find(word)
        base = known.base if known and known.base else word
        everyday = self._glossary.is_everyday(word) or self._glossary.is_everyday(base)
        return WordClass.EVERYDAY if everyday or self._glossary.is_phrasing(base) else WordClass.CONTENT

    def folded(self, words: Sequence[str]) -> tuple[str, ...]:
        """Words in the form in which they are compared."""
        return tuple(self._fold(word) for word in words)

    def _told(self, asked: PromptQuestion) -> str | None:
        words = words_in(asked.question)
        question = self.folded(words)
        for about, said in zip(asked.about, asked.said, strict=True):
            told = told_places([word.split() for word in question], self._fold(said).split())
            if places := told or differing_places(question, self.folded(words_in(about))):
                word = max((words[place] for place in places), key=lambda word: self.kind(word, ()))
                # One with which people ask in Hindi or Punjabi only joins, beside one that can be asked about: "koi" is
                # left out where "quick jaisa koi shabd" is put right by "sunne mein is jaisa shabd".
                joins = self._glossary.is_foreign([word]) and self.likeliest(asked.question, ()) not in {None, word}
                return None if joins else word
        return None

    def _fitting(self, question: str, phrasing: Collection[str], task: WordTask) -> str | None:
        """Of the words with which the task can be done, the likeliest. People put no article before a word as such."""
        words = words_in(question)
        fitting = {
            word: self.kind(word, phrasing)
            for before, word in pairwise(["", *words])
            if before.casefold() not in ARTICLES and task.solve(Subject(word, positions_in(question, word)), ENGLISH)
        }
        is_plain = WordClass.CONTENT in fitting.values() or self._glossary.is_foreign(words)
        most = WordClass.PHRASING if is_plain else WordClass.EVERYDAY

        def kind(word: str) -> WordClass:
            return fitting[word] if word in fitting else min(self.kind(word, phrasing), most)

        chosen = asked_word(question, self._glossary, kind)
        return chosen if chosen in fitting else None

    def _shared(self, asked: PromptQuestion) -> frozenset[str]:
        """The words that a question shares with an earlier one, where each also has a word of its own to ask about."""
        ours = frozenset(self.folded(words_of(asked.question)))
        theirs = frozenset(self.folded(words_of(next(iter(asked.about), ""))))
        ask_about_another = any(not self._glossary.is_phrasing(word) for word in theirs - ours)
        return ours & theirs if ask_about_another else frozenset()


def asked_word(question: str, glossary: Glossary, kind: Callable[[str], WordClass]) -> str | None:
    """The word a question asks about, as it is written there; None where there is none.

    In brackets or quotes it is marked. Otherwise it is the word that is least part of how people ask: next to a
    preposition (English) or postposition (Hindi, Punjabi), and near the end or the beginning. It is never an article;
    what stands before the article counts for the noun.
    """
    if marked := marked_word(question):
        return marked
    words = words_in(question)
    if not words:
        return None
    foreign = glossary.is_foreign(words)
    scores = [_score(words, at, glossary, kind(words[at]), foreign=foreign) for at in range(len(words))]
    best = max(scores)
    if best < _LEAST:
        return None
    return words[scores.index(best) if foreign else len(scores) - 1 - scores[::-1].index(best)]


def marked_word(text: str) -> str | None:
    """The word or letters that stand in brackets or quotes, if any."""
    return next(iter(marked_words(text)), None)


def positions_in(question: str, word: str) -> tuple[int, ...]:
    """Letter positions that a question names, from 1, in digits or as English ordinals; -1 is the last letter."""
    rest = question.replace(word, " ").lower()
    found = [(match.start(), int(match[0][:6])) for match in _NUMBER.finditer(rest)]
    found += [(at, number) for name, number in _ORDINALS.items() if (at := rest.find(name)) >= 0]
    return tuple(number for _, number in sorted(found))


def _score(words: list[str], at: int, glossary: Glossary, kind: WordClass, *, foreign: bool) -> int:
    word = words[at]
    article = words[at - 1].lower() if at > 0 and words[at - 1].lower() in ARTICLES else ""
    before = [word.lower() for word in words[: at - 1 if article else at]]
    if word.lower() in ARTICLES or not any(character.isalpha() for character in word):
        return 0
    if not foreign and before and before[-1] in _NEVER_BEFORE:
        return 0
    signs = _BESIDE_PARTICLE if not foreign and _marks(before, kind) else 0
    follows = at + 1 < len(words) and glossary.says(words[at + 1], _AFTER)
    if follows and (kind is WordClass.CONTENT or (kind and foreign)):  # an English verb takes these itself: "hides in"
        signs += _BESIDE_PARTICLE
    if article in _INDEFINITE and not (kind and signs):
        return 0
    if word.isascii() and any(not character.isalnum() and character != "'" for character in word):
        signs += _HOLDS_SYMBOLS
    return kind + signs


def _marks(before: list[str], kind: WordClass) -> bool:
    """Whether the word after these is marked by the last of them as the one that is asked about."""
    if not before or before[-1] not in _BEFORE:
        return False
    if kind is WordClass.CONTENT:
        return True
    # "something to put", "which word matches": a verb follows here. "the word put": none does.
    return before[-1] not in _BEFORE_VERB or before[-2:] == ["the", "word"]
