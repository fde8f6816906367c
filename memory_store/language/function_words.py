"""Texts as words with their kinds: which shape a question, from `words.toml`, and which are what it is about. Pure."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple

from assistant.language.asked_word import EDGES
from memory_store.language.normalize import SLOT, fold, is_variant, latin

_WORDS = Path(__file__).with_name("lists") / "words.toml"
# A word with symbols between its letters in two places or more, and how long its parts are on average at most. Signs of
# Indic scripts are no symbols, though they are no letters either.
_SYMBOLS = re.compile(r"[!#$%&()*+,./:;=?@^_|~-]+")
_STREWN = re.compile(rf"(?<![^\W\d_])[^\W\d_]+(?:{_SYMBOLS.pattern}[^\W\d_]+){{2,}}")
_LONGEST_PART = 2.6
_SHORT = 2  # letters


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


Group = tuple[WordKind, str]


# Words of asking are in every correction ("I meant a word that …"), so they say nothing about what was misunderstood.
_MISUNDERSTOOD = frozenset({WordKind.NEGATION, WordKind.CONTENT})


class TextWord(NamedTuple):
    """A word of a text."""

    folded: str  # in the form in which spellings and scripts compare
    written: str  # as the person wrote it, without the signs around it
    kind: WordKind
    groups: frozenset[Group]  # of words that mean the same


class FunctionWords:
    """The table of `words.toml`."""

    def __init__(self) -> None:
        table = tomllib.loads(_WORDS.read_text(encoding="utf-8"))
        # A word that stands in two lists is of the weightier kind.
        flat = (WordKind.LIGHT, WordKind.REQUEST, WordKind.COMMON, WordKind.ASKING, WordKind.NEGATION)
        self._kinds = {word: kind for kind in flat for word in _folded(table[kind].values())}
        self._kinds[SLOT] = WordKind.SLOT
        self._written = frozenset(
            word for section in table.values() for row in section.values() for phrase in row for word in phrase.split()
        )
        self._groups: dict[str, frozenset[Group]] = {}
        grouped = {
            "relations": WordKind.ASKING,
            "before": WordKind.LINK,
            "after": WordKind.LINK,
            "persons": WordKind.PERSON,
            "questions": WordKind.QUESTION,
        }
        for section, kind in grouped.items():
            for group, words in table[section].items():
                for word in _folded([words]):
                    self._groups[word] = self.groups(word) | {(kind, group)}
                    self._kinds.setdefault(word, kind)
        self._phrases = {
            tuple(fold(phrase).split()): tuple(fold(plain).split())
            for plain, phrases in table["phrases"].items()
            for phrase in phrases
        }
        self._longest_from: dict[str, int] = {}  # first word of phrases to the length of the longest
        for phrase in self._phrases:
            self._longest_from[phrase[0]] = max(len(phrase), self._longest_from.get(phrase[0], 0))
        self._times = _folded(table["times"].values())
        self._comparing = _folded(table["comparing"].values())
        self._counting = _folded(table["counting"].values())
        alike = table["tasks_alike"].items()
        self._tasks_alike: dict[str, str] = {word: name for name, words in alike for word in _folded([words])}
        self._tasks = _folded(table["tasks"].values())
        self._task_pairs = {tuple(fold(pair).split()) for row in table["task_pairs"].values() for pair in row}
        in_pairs = {word for pair in self._task_pairs for word in pair if self.kind(word) is WordKind.ASKING}
        self._named = self._tasks | in_pairs | _folded(table["plainly"].values())
        self._before = _folded(table["before"].values())
        self._after = _folded(table["after"].values())
        self._articles = _folded([("a", "an", "the", "word", "term")])

    def kind(self, word: str) -> WordKind:
        return self._kinds.get(word, WordKind.CONTENT)

    def is_written(self, word: str) -> bool:
        """Whether this table or that of spellings has a word with just these letters, not folded."""
        return word in self._written or is_variant(word)

    def groups(self, word: str) -> frozenset[Group]:
        return self._groups.get(word, frozenset())

    def is_time(self, word: str) -> bool:
        """Whether a folded word says when: tomorrow, kal, aaj."""
        return word in self._times

    def compares(self, word: str) -> bool:
        """Whether a question with this folded word asks for something else than without it: another, same, Hindi."""
        return word in self._comparing

    def counts(self, word: str) -> bool:
        """Whether this folded word only says which or how many of the parts of a word are asked for: third, starts."""
        return word in self._counting

    def task(self, word: str) -> str:
        """What is asked of a word by this folded one, the same for all that ask for the same; else empty."""
        return self._tasks_alike.get(word, "")

    def is_about_words(self, words: Sequence[str]) -> bool:
        """Whether these folded words name what can be wanted of a word: synonym, arth, "matlab batao"."""
        return not (self._tasks.isdisjoint(words) and self._task_pairs.isdisjoint(pairwise(words)))

    def names_task(self, word: str) -> bool:
        """Whether a folded word names by itself, in a question, what can be wanted of a word, as most people would."""
        return word in self._named

    def links(self, before: Sequence[str], after: Sequence[str]) -> bool:
        """Whether what stands between these folded words is linked to one of them: "of the ▢", "▢ ka"."""
        behind = [word for word in before if word not in self._articles][-1:]
        return bool(self._before.intersection(behind) or self._after.intersection(after[:1]))

    def plain(self, words: Sequence[TextWord]) -> tuple[TextWord, ...]:
        """The words with every known phrase in its plain form: "which word" as "what", "can you" left out."""
        if self._longest_from.keys().isdisjoint(word.folded for word in words):
            return tuple(words)
        plain: list[TextWord] = []
        place = 0
        while place < len(words):
            longest = self._longest_from.get(words[place].folded, 0)
            for length in range(min(longest, len(words) - place), 0, -1):
                meant = self._phrases.get(tuple(word.folded for word in words[place : place + length]))
                if meant is not None:
                    plain += [self.word(token, token) for token in meant]
                    place += length
                    break
            else:
                plain.append(words[place])
                place += 1
        # A text of nothing but polite words stays what it is.
        return tuple(plain or words)

    def word(self, folded: str, written: str) -> TextWord:
        """Return a word with its kind. Folding makes one of short words that are two: "kha" (eat) is no "ka" (of)."""
        if len(folded) <= _SHORT and not self.is_written(latin(written)):
            return TextWord(folded, written, WordKind.CONTENT, frozenset())
        return TextWord(folded, written, self.kind(folded), self.groups(folded))


@lru_cache(maxsize=16_384)
def words_of(text: str) -> tuple[TextWord, ...]:
    return function_words().plain(written_words(text))


@lru_cache(maxsize=16_384)
def written_words(text: str) -> tuple[TextWord, ...]:
    """The words of a text, one by one."""
    pieces = text.split()
    if pieces and pieces[0].istitle():
        pieces[0] = pieces[0].lower()  # the large letter of the first word says nothing
    word = function_words().word
    return tuple(word(folded, piece.strip(EDGES) or piece) for piece in pieces for folded in folded_words(piece))


@lru_cache(maxsize=16_384)
def folded_words(text: str) -> tuple[str, ...]:
    """The words of a text in the form in which they are compared. Symbols strewn into a word do not cut it apart."""
    return tuple(fold(_STREWN.sub(_gathered, text)).split())


@lru_cache(maxsize=16_384)
def repeated_words(question: str, said: str) -> frozenset[str]:
    """What a person repeats of a question when they correct it ("by kal I mean …"), folded: it was misunderstood."""
    repeated = frozenset(folded_words(question)) & frozenset(folded_words(said))
    return frozenset(word for word in repeated if function_words().kind(word) in _MISUNDERSTOOD)


@lru_cache(maxsize=16_384)
def explained_words(question: str, said: str) -> frozenset[str]:
    """What a person repeats of a question to say what it stands for ("the brick is my old phone"), folded.

    Empty where they want something of a word, or only say when.
    """
    if function_words().is_about_words(folded_words(said)):
        return frozenset()
    return frozenset(word for word in repeated_words(question, said) if not function_words().is_time(word))


def _gathered(found: re.Match[str]) -> str:
    """`t!r/e/a-s.ure` as one word; what has longer parts (state-of-the-art) stays as it is."""
    parts = [part for part in _SYMBOLS.split(found[0]) if part]
    return "".join(parts) if sum(map(len, parts)) <= _LONGEST_PART * len(parts) else found[0]


def _folded(rows: Iterable[Iterable[str]]) -> frozenset[str]:
    return frozenset(token for word in chain.from_iterable(rows) for token in fold(word).split())


@cache
def function_words() -> FunctionWords:
    """The table, read once."""
    return FunctionWords()
