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
_CLAUSE_ENDS = re.compile(r"[,;:.!?…।॥|=\n—–]+")
_BETWEEN_WORDS = re.compile(r"""[\s"“”„‘«»<>()\[\]{}/\\*_]+|(?<!\w)['’-]|['’-](?!\w)""")
# "not a synonym" denies what follows, "matlab nahi" what went before. "when I ask …" only repeats the question.
_NEW_CLAUSE, _NOT, _NOT_SO, _WHEN = _SIGNS = ("|", "not", "not-so", "when")

Tokens = tuple[str, ...]
_Table = dict[Tokens, Tokens]


def words_of(text: str) -> list[str]:
    """The words of a text as they are written, in any script, without the punctuation around them."""
    return [word for clause in _CLAUSE_ENDS.split(text) for word in _BETWEEN_WORDS.split(clause) if word]


class Glossary:
    """Puts questions and clarifications into comparable English tokens.

    Args:
        fold: brings spellings and scripts of a word together.
        is_english: whether an English word is written so. An English word is translated only among foreign ones
            ("main" is "I" in "main vakya mangda si", and itself in "the opposite of main").
    """

    def __init__(self, fold: Callable[[str], str], is_english: Callable[[str], bool]) -> None:
        self._fold = fold
        self._is_english = is_english

    def question(self, text: str, leave_out: Collection[str] = ()) -> Tokens:
        """The tokens of a question, less the words to leave out: the one it asks about.

        Args:
            text: the question.
            leave_out: words, folded.
        """
        return _replaced(self._translated(self._kept(text, leave_out)), self._tables["names"])

    def clarification(self, text: str, leave_out: Collection[str] = ()) -> Tokens:
        """The tokens that say which task a person meant: no fillers, no denied clauses, nothing that only repeats.

        Args:
            text: what the person said.
            leave_out: words, folded: the word that was asked about.
        """
        tokens: list[str] = []
        for clause in _CLAUSE_ENDS.split(text):
            translated = self._translated(self._kept(clause, leave_out))
            tokens += [*_replaced(translated, self._tables["turns"]), _NEW_CLAUSE]
        named = _replaced(_affirmed(tokens), self._tables["names"])
        return _replaced(_replaced(named, self._tables["fillers"]), self._tables["explained"])

    def is_phrasing(self, word: str) -> bool:
        """Whether a word belongs to how people ask, in one of the languages, rather than to what they ask about."""
        key = (self._fold(word),)
        foreign = not self._is_english(word) and key in self._tables["translations"]
        return foreign or any(key in self._tables[name] for name in ("names", "explained", "fillers", "turns"))

    def is_foreign(self, words: Sequence[str]) -> bool:
        """Whether some word can only be Hindi or Punjabi."""
        table = self._tables["translations"]
        return any((self._fold(word),) in table for word in words if not self._is_english(word))

    def english(self, word: str) -> Tokens:
        """A single foreign word in English; itself, folded, where it is not in the dictionary."""
        folded = self._fold(word)
        return self._tables["translations"].get((folded,), (folded,))

    def _kept(self, text: str, leave_out: Collection[str]) -> list[str]:
        return [word for word in words_of(text) if self._fold(word) not in leave_out]

    def _translated(self, words: Sequence[str]) -> Tokens:
        folded = tuple(token for word in words for token in self._fold(word).split())
        return _replaced(folded, self._tables["translations"]) if self.is_foreign(words) else folded

    @cached_property
    def _tables(self) -> dict[str, _Table]:
        return {
            name: {
                tuple(self._fold(expression).split()): self._english_tokens(english)
                for english, expressions in section.items()
                for expression in expressions
            }
            for name, section in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
        }

    def _english_tokens(self, english: str) -> Tokens:
        return tuple(token if token in _SIGNS else self._fold(token) for token in english.split())


def _replaced(tokens: Sequence[str], table: _Table) -> Tokens:
    """The tokens with every expression of the table replaced, the longest first, once through from left to right."""
    longest = max(map(len, table))
    result: list[str] = []
    at = 0
    while at < len(tokens):
        for length in range(min(longest, len(tokens) - at), 0, -1):
            expression = tuple(tokens[at : at + length])
            if expression in table:
                result += table[expression]
                at += length
                break
        else:
            result.append(tokens[at])
            at += 1
    return tuple(result)


def _affirmed(tokens: Sequence[str]) -> Tokens:
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
