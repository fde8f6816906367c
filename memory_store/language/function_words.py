"""Split texts into words with their kinds: those of `words.toml` shape a question, others are its content. Pure."""

import tomllib
from collections.abc import Iterable
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from assistant.language.asked_word import EDGES
from memory_store.language.normalize import fold, is_variant, latin

_WORDS = Path(__file__).with_name("lists") / "words.toml"
_SHORT = 2  # letters


class WordKind(StrEnum):
    """What a word does in a question. `words.toml` has the words of each kind: of several, the first one counts."""

    CONTENT = "content"  # every word that is not listed
    NEGATION = "negation"
    ASKING = "asking"  # word, meaning, shabd, matlab: how a question about words is put
    COMMON = "common"
    REQUEST = "request"  # what, kya: says that an answer is wanted, not which
    LIGHT = "light"
    LINK = "link"  # of, to, ka, nu: between the word asked about and the rest
    PERSON = "person"
    QUESTION = "question"


# Words of asking are in every correction ("I meant a word that …"), so they say nothing about what was misunderstood.
_MISUNDERSTOOD = frozenset({WordKind.NEGATION, WordKind.CONTENT})


class TextWord(NamedTuple):
    """A word of a text."""

    folded: str  # in the form in which spellings and scripts compare
    written: str  # as the person wrote it, without the signs around it
    kind: WordKind


class FunctionWords:
    """The table of `words.toml`, with its words folded."""

    def __init__(self) -> None:
        table: dict[str, dict[str, list[str]]] = tomllib.loads(_WORDS.read_text(encoding="utf-8"))
        self._kinds: dict[str, WordKind] = {}
        for kind in WordKind:
            for words in table.get(kind, {}).values():
                self._kinds = dict.fromkeys(_folded(words), kind) | self._kinds
        listed = {name: [word for row in section.values() for word in row] for name, section in table.items()}
        self.times, self.a_word, self.tasks = (_folded(listed[name]) for name in ("times", "a_word", "tasks"))
        self.plain_tasks = self.tasks | _folded(listed["plain_tasks"])
        self._written = frozenset(part for words in listed.values() for word in words for part in word.split())

    def kind(self, word: str) -> WordKind:
        return self._kinds.get(word, WordKind.CONTENT)

    def is_written(self, word: str) -> bool:
        """Return True if this table or that of spellings has a word with just these letters, not folded."""
        return word in self._written or is_variant(word)

    def is_time(self, word: str) -> bool:
        """Return True for a folded word that says when: tomorrow, kal, aaj."""
        return word in self.times

    def is_about_words(self, words: Iterable[str]) -> bool:
        """Return True if folded words name what can be wanted of a word: synonym, arth."""
        return not self.tasks.isdisjoint(words)

    def word(self, folded: str, written: str) -> TextWord:
        """Return a word with its kind. Folding makes one of short words that are two: "kha" (eat) is no "ka" (of)."""
        if len(folded) <= _SHORT and not self.is_written(latin(written)):
            return TextWord(folded, written, WordKind.CONTENT)
        return TextWord(folded, written, self.kind(folded))


@lru_cache(maxsize=16_384)
def written_words(text: str) -> tuple[TextWord, ...]:
    """Return the words of a text, one by one."""
    pieces = text.split()
    if pieces and pieces[0].istitle():
        pieces[0] = pieces[0].lower()  # the large letter of the first word says nothing
    word = function_words().word
    return tuple(word(folded, piece.strip(EDGES) or piece) for piece in pieces for folded in folded_words(piece))


@lru_cache(maxsize=16_384)
def folded_words(text: str) -> tuple[str, ...]:
    """Return the words of a text in the form in which they are compared."""
    return tuple(fold(text).split())


@lru_cache(maxsize=16_384)
def repeated_words(question: str, said: str) -> frozenset[str]:
    """Return the folded words of a question that its correction repeats, as misunderstood: "by kal I mean …"."""
    repeated = frozenset(folded_words(question)) & frozenset(folded_words(said))
    return frozenset(word for word in repeated if function_words().kind(word) in _MISUNDERSTOOD)


@lru_cache(maxsize=16_384)
def explained_words(question: str, said: str) -> frozenset[str]:
    """Return the folded words of a question that its correction explains ("the brick is my old phone").

    Empty where it wants something of a word, or only says when.
    """
    if function_words().is_about_words(folded_words(said)):
        return frozenset()
    return repeated_words(question, said) - function_words().times


def _folded(words: Iterable[str]) -> frozenset[str]:
    return frozenset(token for word in words for token in fold(word).split())


@cache
def function_words() -> FunctionWords:
    """Return the table, read once."""
    return FunctionWords()
