"""Finds the word that a question in a prompt asks about, with all that the prompt says of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

from assistant.models.asked_word import ARTICLES, Kind, asked_word, marked_word, positions_in, words_in
from assistant.models.glossary import Glossary, words_of
from assistant.models.lexicon import Lexicon
from assistant.models.prompt_reader import Asked
from assistant.models.told_word import told_places
from assistant.models.word_tasks import Subject, WordTask


class WordFinder:
    """Finds the word that a question asks about.

    Args:
        lexicon: the words it knows.
        fold: brings spellings and scripts of a text together.
        glossary: words for asking about words.
    """

    def __init__(self, lexicon: Lexicon, fold: Callable[[str], str], glossary: Glossary) -> None:
        self._lexicon = lexicon
        self._fold = fold
        self._glossary = glossary

    def find(self, asked: Asked, phrasing: frozenset[str], meant: Callable[[], WordTask | None]) -> str | None:
        """The word that the question marks, or a clarification tells, or the likeliest; None where there is none.

        The likeliest is not one with which the examples ask, unless there is no other: an example that a person
        confirmed may hold any word. Nor is it one that the question shares with an earlier one of its kind, which asks
        about another word.

        Args:
            asked: the question.
            phrasing: the words with which the examples ask, folded.
            meant: the task that was meant, where a clarification says so.
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
        """The word that by itself is likeliest to be asked about, if any.

        Args:
            question: the question.
            phrasing: words that are part of how it is asked, folded.
        """
        return asked_word(question, self._glossary, lambda word: self.kind(word, phrasing))

    def kind(self, word: str, phrasing: Collection[str]) -> Kind:
        """How likely a word is asked about, by itself."""
        if self._glossary.is_phrasing(word) or self._fold(word) in phrasing:
            return Kind.PHRASING
        known = self._lexicon.find(word)
        base = known.base if known and known.base else word
        everyday = self._glossary.is_everyday(word) or self._glossary.is_everyday(base)
        return Kind.EVERYDAY if everyday or self._glossary.is_phrasing(base) else Kind.CONTENT

    def folded(self, words: Sequence[str]) -> tuple[str, ...]:
        """Words in the form in which they are compared."""
        return tuple(self._fold(word) for word in words)

    def _told(self, asked: Asked) -> str | None:
        words = words_in(asked.question)
        for about, said in zip(asked.about, asked.said, strict=True):
            places = told_places(self.folded(words), self.folded(words_in(about)), self.folded(words_of(said)))
            if places:
                told = max((words[place] for place in places), key=lambda word: self.kind(word, ()))
                return None if self._only_joins(told, asked.question) else told
        return None

    def _only_joins(self, word: str, question: str) -> bool:
        """Whether a word is one of those with which people ask in Hindi or Punjabi, beside one that can be asked about.

        "koi" is left out where "quick jaisa koi shabd" is put right by "sunne mein is jaisa shabd".
        """
        return self._glossary.is_foreign([word]) and self.likeliest(question, ()) not in {None, word}

    def _fitting(self, question: str, phrasing: Collection[str], task: WordTask) -> str | None:
        """Of the words with which the task can be done, the likeliest. People put no article before a word as such."""
        words = words_in(question)
        fitting = {
            word: self.kind(word, phrasing)
            for before, word in pairwise(["", *words])
            if before.casefold() not in ARTICLES
            and task.has_answer(Subject(word, positions_in(question, word)), self._lexicon)
        }
        is_plain = Kind.CONTENT in fitting.values() or self._glossary.is_foreign(words)
        most = Kind.PHRASING if is_plain else Kind.EVERYDAY

        def kind(word: str) -> Kind:
            return fitting[word] if word in fitting else min(self.kind(word, phrasing), most)

        chosen = asked_word(question, self._glossary, kind)
        return chosen if chosen in fitting else None

    def _shared(self, asked: Asked) -> frozenset[str]:
        """The words that a question shares with an earlier one, where each also has a word of its own to ask about."""
        ours = frozenset(self.folded(words_of(asked.question)))
        theirs = frozenset(self.folded(words_of(next(iter(asked.about), ""))))
        ask_about_another = any(not self._glossary.is_phrasing(word) for word in theirs - ours)
        return ours & theirs if ask_about_another else frozenset()
