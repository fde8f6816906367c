"""Words that shape a question but are not what it asks about, from `words.toml`, in folded form. Pure."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

from memory_store.surface import SLOT, fold

_WORDS = Path(__file__).with_name("words.toml")
_ARTICLES = ("a", "an", "the", "word", "term")


# A word with symbols between its letters in two places or more, and how long its parts are on average at most. Signs of
# Indic scripts are no symbols, though they are no letters either.
_SYMBOLS = re.compile(r"[!#$%&()*+,./:;=?@^_|~-]+")
_STREWN = re.compile(rf"(?<![^\W\d_])[^\W\d_]+(?:{_SYMBOLS.pattern}[^\W\d_]+){{2,}}")
_LONGEST_PART = 2.6


class WordKind(StrEnum):
    """What a word does in a question. `words.toml` has the words of each kind; all others are content."""

    CONTENT = "content"
    NEGATION = "negation"
    ASKING = "asking"  # word, meaning, shabd, matlab: how a question about words is put
    COMMON = "common"
    LINK = "link"  # of, to, ka, nu: between the word asked about and the rest
    PERSON = "person"
    QUESTION = "question"
    REQUEST = "request"  # what, kya: says that an answer is wanted, not which
    LIGHT = "light"
    SLOT = "slot"


_NOBODY_HAS = frozenset({WordKind.LIGHT, WordKind.LINK, WordKind.REQUEST, WordKind.QUESTION})
_NO_GROUPS: frozenset[tuple[WordKind, str]] = frozenset()


class FunctionWords:
    """The table of `words.toml`.

    Args:
        path: the file.
    """

    def __init__(self, path: Path = _WORDS) -> None:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        # A word that stands in two lists is of the weightier kind.
        flat = (WordKind.LIGHT, WordKind.REQUEST, WordKind.COMMON, WordKind.ASKING, WordKind.NEGATION)
        self._calls = _folded(table["calls"].values())
        self._kinds = dict.fromkeys(self._calls, WordKind.LIGHT)
        self._kinds |= {word: kind for kind in flat for word in _folded(table[kind].values())}
        self._kinds[SLOT] = WordKind.SLOT
        self._written = frozenset(
            word for section in table.values() for row in section.values() for phrase in row for word in phrase.split()
        )
        self._groups: dict[str, frozenset[tuple[WordKind, str]]] = {}
        sections = (
            ("questions", WordKind.QUESTION),
            ("persons", WordKind.PERSON),
            ("persons_in_hindi", WordKind.PERSON),
            ("relations", WordKind.ASKING),
        )
        for section, kind in (*sections, ("before", WordKind.LINK), ("after", WordKind.LINK)):
            for group, words in table[section].items():
                for word in _folded([words]):
                    self._groups[word] = self.groups(word) | {(kind, group)}
        for word, belongs in self._groups.items():
            # The same for a word of two groups every time.
            self._kinds.setdefault(word, min(kind for kind, _ in belongs))
        self._phrases = {
            tuple(fold(phrase).split()): tuple(fold(plain).split())
            for plain, phrases in table["phrases"].items()
            for phrase in phrases
        }
        self._longest_phrase: dict[str, int] = {}
        """By first word."""
        for first, *more in self._phrases:
            self._longest_phrase[first] = max(self._longest_phrase.get(first, 0), 1 + len(more))
        self._times = _folded(table["times"].values())
        self._tasks = _folded(table["tasks"].values())
        self._task_pairs = {tuple(fold(pair).split()) for row in table["task_pairs"].values() for pair in row}
        self._owners = _folded(table["owners"].values())
        self._english_persons = _folded(table["persons"].values()) - _folded(table["persons_in_hindi"].values())
        self._before = _folded(table["before"].values())
        self._after = _folded(table["after"].values())
        self._articles = _folded([_ARTICLES])

    def kind(self, word: str) -> WordKind:
        """What a folded word does."""
        return self._kinds.get(word, WordKind.CONTENT)

    def is_written(self, word: str) -> bool:
        """Whether the table has a word with just these letters, not folded."""
        return word in self._written

    def groups(self, word: str) -> frozenset[tuple[WordKind, str]]:
        """The groups of words that mean the same, to which a folded word belongs."""
        return self._groups.get(word, _NO_GROUPS)

    def is_somebody(self, word: str, behind: Iterable[str] = ()) -> bool:
        """Whether a folded word stands for somebody or something: me, them, it.

        With a linking word of Hindi or Punjabi behind it, an English one is only a word: "their ka ulta"; so is "their"
        where nobody has anything: "what sounds like their?"
        """
        is_mentioned = word in self._english_persons and not self._after.isdisjoint(behind)
        is_mentioned |= word in self._owners and all(self.kind(other) in _NOBODY_HAS for other in behind)
        return not is_mentioned and any(kind is WordKind.PERSON for kind, _ in self.groups(word))

    def is_time(self, word: str) -> bool:
        """Whether a folded word says when: tomorrow, kal, aaj."""
        return word in self._times

    def is_about_words(self, words: Sequence[str]) -> bool:
        """Whether these folded words name what can be wanted of a word: synonym, arth, "matlab batao"."""
        return not (self._tasks.isdisjoint(words) and self._task_pairs.isdisjoint(pairwise(words)))

    def plain(self, words: Sequence[str]) -> tuple[str, ...]:
        """Folded words with every known phrase in its plain form: "which word" as "what", "can you" left out."""
        plain: list[str] = []
        place = 0
        while place < len(words):
            longest = self._longest_phrase.get(words[place], 0)
            for length in range(min(longest, len(words) - place), 0, -1):
                if (meant := self._phrases.get(tuple(words[place : place + length]))) is not None:
                    plain += meant
                    place += length
                    break
            else:
                plain.append(words[place])
                place += 1
        # A text of nothing but polite words stays what it is.
        return tuple(plain) or tuple(words)

    def representative(self, word: str) -> str:
        """One name for all folded words that mean the same: "of" for ka, da and for; the word itself if it has none."""
        return min(self.groups(word), default=("", word))[1]

    def clashes(self, left: Iterable[str], right: Iterable[str]) -> int:
        """Of question word, person and link: how many stand, unmatched, on both sides."""
        ours, theirs = ({kind for word in words for kind, _ in self.groups(word)} for words in (left, right))
        return len(ours & theirs)

    def follows(self, words: Sequence[str], marked: str) -> bool:
        """Whether one of these folded words has a linking word behind it, as in Hindi and Punjabi: "▢ ka"."""
        return any(word == marked and behind in self._after for word, behind in pairwise(words))

    def names_somebody(self, words: Sequence[str]) -> bool:
        """Whether one of these folded words is asked about where it else calls somebody: "▢ ka bhai kaun hai"."""
        return any(before in self._after and word in self._calls for before, word in pairwise(words))

    def links(self, before: Sequence[str], after: Sequence[str]) -> bool:
        """Whether what stands between these folded words is linked to one of them: "of the ▢", "▢ ka"."""
        behind = [word for word in before if word not in self._articles][-1:]
        return bool(self._before.intersection(behind) or self._after.intersection(after[:1]))


@lru_cache(maxsize=16_384)
def folded_words(text: str) -> tuple[str, ...]:
    """The words of a text in the form in which they are compared. Symbols strewn into a word do not cut it apart."""
    return tuple(fold(_STREWN.sub(_gathered, text)).split())


def _gathered(found: re.Match[str]) -> str:
    """`t!r/e/a-s.ure` as one word; what has longer parts (state-of-the-art) stays as it is."""
    parts = [part for part in _SYMBOLS.split(found[0]) if part]
    return "".join(parts) if sum(map(len, parts)) <= _LONGEST_PART * len(parts) else found[0]


@lru_cache(maxsize=16_384)
def folded_set(text: str) -> frozenset[str]:
    """The words of a text, for looking up whether one is there."""
    return frozenset(folded_words(text))


def _folded(rows: Iterable[Iterable[str]]) -> frozenset[str]:
    return frozenset(token for row in rows for word in row for token in fold(word).split())


@cache
def function_words() -> FunctionWords:
    """The table, read once."""
    return FunctionWords()
