"""Split texts into words with their kinds: function words of `words.toml`, or content. Pure."""

import re
import tomllib
from collections.abc import Iterable
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path

from assistant.language.asked_word import EDGES
from assistant.language.languages import TextWord
from memory_store.language.normalize import fold, to_latin

_SHORT = 2  # letters; folding leaves out the h of "kha"
_DOUBLED = re.compile(r"(.)\1+")
_WORDS = Path(__file__).with_name("lists") / "words.toml"


class WordKind(StrEnum):
    """Role of a word in a question; the first kind in `words.toml` that lists the word applies."""

    CONTENT = "content"  # every word that is not listed
    NEGATION = "negation"
    ASKING = "asking"  # word, meaning, shabd, matlab: of questions about words
    COMMON = "common"
    REQUEST = "request"  # what, kya: asks for an answer, whatever it is about
    LIGHT = "light"
    LINK = "link"  # of, to, ka, nu: between the word that is asked about and the rest
    PERSON = "person"
    QUESTION = "question"


# Words of asking are in every correction ("I meant a word that …"), so they do not mark what was misunderstood.
_MISUNDERSTOOD = frozenset({WordKind.NEGATION, WordKind.CONTENT})


class FunctionWords:
    """The table of `words.toml`, with its words folded."""

    def __init__(self) -> None:
        table: dict[str, dict[str, list[str]]] = tomllib.loads(_WORDS.read_text(encoding="utf-8"))
        self._kinds: dict[str, WordKind] = {}
        self._written = set[str]()
        for kind in WordKind:
            for words in table.get(kind, {}).values():
                self._kinds = dict.fromkeys(_fold_words(words), kind) | self._kinds
                self._written.update(_DOUBLED.sub(r"\1", to_latin(word)) for word in words)
        listed = {name: [word for row in section.values() for word in row] for name, section in table.items()}
        self.times, self.a_word, self.tasks = (_fold_words(listed[name]) for name in ("times", "a_word", "tasks"))
        self.plain_tasks = self.tasks | _fold_words(listed["plain_tasks"])

    def kind(self, folded: str, written: str = "") -> WordKind:
        """Return the kind of a word; a short one must be written as listed: "kha" (eat) is not "ka" (of)."""
        is_other = len(folded) <= _SHORT and "h" in written and _DOUBLED.sub(r"\1", written) not in self._written
        return WordKind.CONTENT if is_other else self._kinds.get(folded, WordKind.CONTENT)

    def is_about_words(self, words: Iterable[str]) -> bool:
        """Return True if folded words name a task about a word: synonym, arth."""
        return not self.tasks.isdisjoint(words)


@lru_cache(maxsize=16_384)
def split_words(text: str) -> tuple[TextWord, ...]:
    """Return the words of a text in order."""
    pieces = text.split()
    if pieces and pieces[0].istitle():
        pieces[0] = pieces[0].lower()  # the capital of a first word says nothing
    kind = function_words().kind
    words = ((folded, piece.strip(EDGES) or piece) for piece in pieces for folded in fold_words(piece))
    return tuple(TextWord(folded, written, kind(folded, to_latin(written))) for folded, written in words)


@lru_cache(maxsize=16_384)
def fold_words(text: str) -> tuple[str, ...]:
    """Return the folded words of a text."""
    return tuple(fold(text).split())


@lru_cache(maxsize=16_384)
def find_repeated_words(question: str, said: str) -> frozenset[str]:
    """Return the folded words of a question that its correction repeats as misunderstood: "by kal I mean …"."""
    repeated = frozenset(fold_words(question)) & frozenset(fold_words(said))
    return frozenset(word for word in repeated if function_words().kind(word) in _MISUNDERSTOOD)


@lru_cache(maxsize=16_384)
def find_explained_words(question: str, said: str) -> frozenset[str]:
    """Return the folded words of a question that its correction explains ("the brick is my old phone").

    Empty if the correction names a task about a word, or only a time.
    """
    if function_words().is_about_words(fold_words(said)):
        return frozenset()
    return find_repeated_words(question, said) - function_words().times


def _fold_words(words: Iterable[str]) -> frozenset[str]:
    return frozenset(token for word in words for token in fold(word).split())


@cache
def function_words() -> FunctionWords:
    """Return the cached table."""
    return FunctionWords()
