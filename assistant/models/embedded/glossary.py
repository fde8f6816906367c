"""The words with which people ask about words, in three languages, put into plain English word by word.

A dictionary, not a list of questions: it knows that "ulta" is "opposite", not what "X ka ulta kya hai" asks. So a
question in Hindi or Punjabi, in any script, can be compared with an English example. What is in it is data:
`data/glossary.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from pathlib import Path

_FILE = Path(__file__).with_name("data") / "glossary.toml"
_LONGEST_EXPRESSION = 4  # words
_CLAUSE_ENDS = re.compile(r"[,;:.!?…।॥|=\n—–]+")
_BETWEEN_WORDS = re.compile(r"""[\s"“”„‘«»<>()\[\]{}/\\*_]+|(?<!\w)['’-]|['’-](?!\w)""")
_PUTS_RIGHT = "puts-right"
# "not a synonym" denies what follows, "matlab nahi" what went before. "when I ask …" only repeats the question.
_NEW_CLAUSE, _NOT, _NOT_SO, _WHEN = _SIGNS = ("|", "not", "not-so", "when")

Words = tuple[str, ...]


def words_of(text: str) -> list[str]:
    """The words of a text as they are written, in any script, without the punctuation around them."""
    return [word for clause in _CLAUSE_ENDS.split(text) for word in _BETWEEN_WORDS.split(clause) if word]


class Glossary:
    """Puts questions and clarifications into comparable English tokens.

    An English word is translated only among foreign ones ("main" is "I" in "main vakya mangda si", and itself in "the
    opposite of main").
    """

    def __init__(self, fold: Callable[[str], str], is_english: Callable[[str], bool]) -> None:
        self._fold = fold
        self._is_english = is_english

    def question(self, text: str, leave_out: Collection[str] = ()) -> Words:
        """The tokens of a question, less the words to leave out, folded: the one it asks about."""
        return self._replaced(self._translated(self._kept(text, leave_out)), "names")

    def clarification(self, text: str, leave_out: Collection[str] = ()) -> Words:
        """The tokens that say which task a person meant: no fillers, no denied clauses, nothing that only repeats."""
        tokens: list[str] = []
        for clause in _CLAUSE_ENDS.split(text):
            translated = self._translated(self._kept(clause, leave_out))
            tokens += [*self._replaced(translated, "turns"), _NEW_CLAUSE]
        named = self._replaced(_affirmed(tokens), "names")
        return self._replaced(self._replaced(named, "fillers"), "explained")

    def is_phrasing(self, word: str) -> bool:
        """Whether a word belongs to how people ask, in one of the languages, rather than to what they ask about."""
        key = (self._fold(word),)
        foreign = not self._is_english(word) and key in self._tables["translations"]
        return foreign or any(key in self._tables[name] for name in ("names", "explained", "fillers", "turns"))

    def is_everyday(self, word: str) -> bool:
        """Whether an English word is one with which people also ask, or could be (part of) a Hindi or Punjabi one."""
        folded = self._fold(word)
        return (folded,) in self._tables["everyday"] or folded in self._foreign_words

    def puts_right(self, text: str, leave_out: Collection[str] = ()) -> bool:
        """Whether a text has a sign that it puts something right: a denial, a past wish, "I meant"."""
        return _PUTS_RIGHT in self._replaced(self._kept(text, leave_out), "corrections")

    def is_filler(self, word: str) -> bool:
        """Whether an English word says little about what is asked."""
        return (self._fold(word),) in self._tables["fillers"]

    def is_foreign(self, words: Sequence[str]) -> bool:
        """Whether some word can only be Hindi or Punjabi."""
        table = self._tables["translations"]
        return any((self._fold(word),) in table for word in words if not self._is_english(word))

    def language(self, words: Sequence[str]) -> str:
        """The language of a text: "English", "Hindi" or "Punjabi"."""
        if not self.is_foreign(words):
            return "English"
        return "Punjabi" if any((self._fold(word),) in self._tables["only Punjabi"] for word in words) else "Hindi"

    def says(self, word: str, english: Collection[str]) -> bool:
        """Whether a word, of either language, is one of these English words."""
        tokens = self._tables["translations"].get((self._fold(word),), (word.casefold(),))
        return not set(english).isdisjoint(tokens)

    def _kept(self, text: str, leave_out: Collection[str]) -> Words:
        kept = (word.casefold() for word in words_of(text) if self._fold(word) not in leave_out)
        return tuple("number" if word.isdigit() else word for word in kept)

    def _translated(self, words: Words) -> Words:
        return self._replaced(words, "translations") if self.is_foreign(words) else words

    def _replaced(self, tokens: Sequence[str], section: str) -> Words:
        """The tokens with every expression of the section replaced, the longest first, once from left to right."""
        table = self._tables[section]
        folded = [self._fold(token) for token in tokens]
        result: list[str] = []
        at = 0
        while at < len(tokens):
            for length in range(min(_LONGEST_EXPRESSION, len(tokens) - at), 0, -1):
                if (english := table.get(tuple(folded[at : at + length]))) is not None:
                    result += english
                    at += length
                    break
            else:
                result.append(tokens[at])
                at += 1
        return tuple(result)

    @cached_property
    def _foreign_words(self) -> frozenset[str]:
        return frozenset(word for expression in self._tables["translations"] for word in expression)

    @cached_property
    def _tables(self) -> dict[str, dict[Words, Words]]:
        return {
            name: {
                tuple(self._fold(word) for word in expression.split()): tuple(english.split())
                for english, expressions in section.items()
                for expression in expressions
            }
            for name, section in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
        }


def _affirmed(tokens: Sequence[str]) -> Words:
    """What is left when the denied clauses and those that only repeat the question are gone."""
    kept: list[str] = []
    clause: list[str] = []
    counts = True
    for token in tokens:
        if token in _SIGNS and (token != _WHEN or not clause):
            if counts and (token != _NOT_SO or not clause):
                kept += clause
            clause = []
            counts = token not in {_NOT, _WHEN}
        else:
            clause.append(token)
    return tuple(kept)
