"""Two questions beside each other: whether they are one, or are asked in the same way about another word. Pure.

Words are the same in another spelling, script or form, with a typo, and where word lists give the same English. "what
does light mean" is not "what does dark mean", but both are asked in the same way; "what is unlike quick" is neither to
"what is like quick": a word that tells what is wanted must stand in both.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from Levenshtein import ratio

from assistant.language.arguments import COUNTS
from assistant.language.asked_word import LONGEST_SLOT
from assistant.language.lexicon import lexicon
from memory_store.language.function_words import TextWord, WordKind, function_words, words_of, written_words
from memory_store.language.normalize import SLOT
from memory_store.language.word_translation import glossary, in_english, in_english_spelling

LONGEST_TEXT = 500  # characters; longer questions are the same only where they are equal
LONGEST_QUESTION = 32  # words
A_WORD = (WordKind.ASKING, "word")  # in "the word quick" it says nothing
_LIGHT = frozenset({WordKind.LIGHT, WordKind.REQUEST})
_TELLS = frozenset({WordKind.CONTENT, WordKind.ASKING, WordKind.NEGATION})
_SAYS_WHAT = frozenset({WordKind.ASKING, WordKind.NEGATION})
_ASKED_ABOUT = frozenset({WordKind.CONTENT, WordKind.COMMON, WordKind.SLOT})
_ASKED_OF_MUCH = {"what", "how"}  # one may go without these where the other has them
_MISSING, _MORE, _OTHER_SORT = 0.7, 0.8, 0.3  # what is left of "the same way" for each small word, or another sort

_ENDINGS = ("ing", "ies", "ed", "es", "s")
_SHORTEST_STEM = 3
_NEARLY = 0.7  # so alike are two spellings of one word, of which one is no word
_SOUNDS = {"w": "v", "ph": "f", "x": "ks", "z": "s", "q": "k", "c": "k"}  # letters that stand for the same sound
_SILENT = re.compile(r"(?<!^)[aeiouyh]|(.)(?=\1)")
_NO_DIGITS = re.compile(r"\D")
_INDIC = ("hi", "pa")


class _Text:
    """The words of a text, to look up another text's words among them."""

    def __init__(self, words: Iterable[TextWord]) -> None:
        self.words = tuple(words)
        self.folded = tuple(word.folded for word in self.words)
        self._by_letter: dict[str, list[TextWord]] = defaultdict(list)
        for word in self.words:
            self._by_letter[word.folded[:1]].append(word)
        self._by_sign = {sign: word for word in reversed(self.words) for sign in _signs(word)}
        self._joined = {
            consonants: pair
            for pair in pairwise(self.words)
            if len(consonants := _consonants(pair[0].folded + pair[1].folded)) > 1
        }

    def find(self, word: TextWord) -> TextWord | None:
        """Return the word that is this one: in another spelling or form, with a typo, or of one meaning in a table."""
        for sign in _signs(word):
            if sign in self._by_sign:
                return self._by_sign[sign]
        return self._slip_of(word)

    def _slip_of(self, word: TextWord) -> TextWord | None:
        near = self._by_letter.get(word.folded[:1], ())  # the first letter is seldom mistyped
        return next((other for other in near if _is_slip(word, other)), None)

    def mended(self, other: _Text) -> _Text:
        """Return the text as another one is written: a slip as what was meant, what was joined ("horaha") in two."""
        if all(word.folded in other.folded for word in self.words):
            return self
        words = [written for word in self.words for written in self._as_in(other, word)]
        return self if words == list(self.words) else _Text(words)

    def _as_in(self, other: _Text, word: TextWord) -> tuple[TextWord, ...]:
        if word.folded in other.folded:
            return (word,)
        pair = other._joined.get(_consonants(word.folded))
        if pair and len(pair[0].folded + pair[1].folded) - len(word.folded) in {0, 1, 2}:
            return pair
        return (other._slip_of(word) or word,)


@lru_cache(maxsize=16_384)
def same_question(question: str, known: str) -> bool:
    """Return True if both ask for the same; when it is may stand in one of them only ("… today"), nothing else may."""
    if question == known:
        return True
    if max(len(question), len(known)) > LONGEST_TEXT:
        return False
    asked, before = _beside(_whole(question), _whole(known))
    if not any(map(_tells, (*asked.words, *before.words))):  # small words alone: all of them have to be there
        written, other = _beside(_written(question), _written(known))
        return bool(written.folded) and written.folded == other.folded
    for kind in (WordKind.QUESTION, WordKind.PERSON):  # one asks when and the other where, or one of me
        ours, theirs = _groups(asked, kind), _groups(before, kind)
        if ours and theirs and ours.isdisjoint(theirs):
            return False
        if kind is WordKind.QUESTION and ours - _ASKED_OF_MUCH != theirs - _ASKED_OF_MUCH:
            return False
    fewer = _times_without_partner(before, asked)
    more = None if fewer is None else _times_without_partner(asked, before)
    return more is not None and sum(map(_tells, asked.words)) > more and not (more and fewer)


def same_way(question: str, known: str) -> float:
    """Return how surely both are asked in the same way, each about a word of its own: 1 where all the rest is the same.

    In the known one a slot may stand for the word.
    """
    return _compared(question, known).likeness


def wants_other(question: str, known: str) -> bool:
    """Return True if something else is wanted of a word: "unlike quick" where the known one is "like quick"."""
    return _compared(question, known).wants_other


def asked_about(question: str, known: str) -> str:
    """Return what a question has in the place where a known one has its slot, or another word; empty where unknown."""
    found = _compared(question, known)
    return " ".join(word.written for word in found.filler) if found.likeness else ""


def has_alike(words: Iterable[TextWord], word: TextWord) -> bool:
    """Return True if one of the words is this one."""
    return _of(tuple(words)).find(word) is not None


class _Compared(NamedTuple):
    likeness: float = 0.0
    wants_other: bool = False
    filler: tuple[TextWord, ...] = ()  # what the question is about, where the known one is about another word


@lru_cache(maxsize=16_384)
def _compared(question: str, known: str) -> _Compared:
    if max(len(question), len(known)) > LONGEST_TEXT:
        return _Compared()
    asked, before = map(_without_light, _beside(_spoken(question), _spoken(known)))
    is_short = max(len(asked.words), len(before.words)) <= LONGEST_QUESTION
    names = [(before.find(word) or word).folded for word in asked.words] if is_short else []
    if set(names).isdisjoint(before.folded):
        return _Compared()
    # "quick jaisa shabd" says itself that it asks about a word, of whatever sort.
    names_word = any(A_WORD in word.groups for word in words_of(known))
    matched = SequenceMatcher(None, names, before.folded, autojunk=False)
    shared: list[TextWord] = []
    likeness, fillers, wants_other = 1.0, list[Sequence[TextWord]](), False
    for kind, start, end, known_start, known_end in matched.get_opcodes():
        more, missing = asked.words[start:end], before.words[known_start:known_end]
        if kind == "equal":
            shared += missing
        elif more and missing and _may_fill(more) and _may_fill(missing):
            fillers.append(more)
            likeness *= 1.0 if names_word or _is_of_sort(more, missing) else _OTHER_SORT
        elif _says_what((*more, *missing)) and not any(word.kind is WordKind.CONTENT for word in (*more, *missing)):
            wants_other = True
        elif (more and missing) or _says_what((*more, *missing)) or not all(map(_is_small, missing)):
            return _Compared()
        else:
            likeness *= _MORE ** len(more) * _MISSING ** len(missing)
    if wants_other:
        is_about_word = fillers or any(word.kind in _ASKED_ABOUT for word in shared)
        return _Compared(wants_other=len(fillers) < 2 and bool(is_about_word))
    # Beside words of content alone ("item 3", "item 5") nobody knows which of them is asked about, unless a slot tells.
    kinds = {word.kind for word in shared}
    is_told = kinds != {WordKind.CONTENT} and not kinds.isdisjoint(_TELLS | {WordKind.COMMON})
    if len(fillers) > 1 or not shared or not (is_told or SLOT in before.folded):
        return _Compared()
    return _Compared(likeness, filler=tuple(fillers[0]) if fillers else ())


def _beside(asked: _Text, known: _Text) -> tuple[_Text, _Text]:
    mended = asked.mended(known)
    return mended, known.mended(mended)


_of = lru_cache(maxsize=4_096)(_Text)


@lru_cache(maxsize=4_096)
def _whole(text: str) -> _Text:
    return _Text(words_of(in_english_spelling(text)))


@lru_cache(maxsize=4_096)
def _written(text: str) -> _Text:
    return _Text(written_words(in_english_spelling(text)))


@lru_cache(maxsize=4_096)
def _spoken(text: str) -> _Text:
    return _Text(words_of(text))


def _without_light(text: _Text) -> _Text:
    return _of(tuple(word for word in text.words if word.kind not in _LIGHT and A_WORD not in word.groups))


def _may_fill(words: Sequence[TextWord]) -> bool:
    return len(words) <= LONGEST_SLOT and all(word.kind in _ASKED_ABOUT for word in words)


def _says_what(words: Iterable[TextWord]) -> bool:
    return any(word.kind in _SAYS_WHAT for word in words)


def _is_of_sort(words: Sequence[TextWord], stood: Sequence[TextWord]) -> bool:
    """Return False if words hardly mean what others stood for: a time or not; where that was English, an Indic word."""
    if any(map(_is_time, words)) != any(map(_is_time, stood)):
        return False
    return not (all(map(_is_english, stood)) and any(map(_is_foreign, words)))


def _is_time(word: TextWord) -> bool:
    return function_words().is_time(word.folded)


def _is_english(word: TextWord) -> bool:
    return bool(lexicon().find(word.written.lower()))


def _is_foreign(word: TextWord) -> bool:
    """Return True for a word of Hindi or Punjabi, a name or a number."""
    written = word.written
    is_other = written.istitle() or not written.isascii() or any(map(str.isdigit, written))
    return is_other or (not _is_english(word) and glossary().has(written.lower(), _INDIC))


def _is_small(word: TextWord) -> bool:
    return word.kind not in _TELLS and word.kind is not WordKind.SLOT


def _groups(text: _Text, kind: WordKind) -> frozenset[str]:
    return frozenset(name for word in text.words for of, name in word.groups if of is kind)


@lru_cache(maxsize=16_384)
def _tells(word: TextWord) -> bool:
    known = function_words()
    says = word.kind in _TELLS or _number(word) is not None or known.compares(word.folded) or known.is_time(word.folded)
    return says and A_WORD not in word.groups


def _times_without_partner(asked: _Text, known: _Text) -> int | None:
    """Count the telling words without a partner, which all say when; None where one of them says anything else."""
    readings = _read(known.words)
    without = 0
    for word in asked.words:
        if _tells(word) and not any(readings.find(one) for one in _readings(word)):
            if not function_words().is_time(word.folded):
                return None
            without += 1
    return without


@lru_cache(maxsize=4_096)
def _read(words: tuple[TextWord, ...]) -> _Text:
    return _Text(reading for word in words for reading in _readings(word))


@lru_cache(maxsize=16_384)
def _readings(word: TextWord) -> tuple[TextWord, ...]:
    """Return a word, and what it says in English where it is of another language."""
    english = in_english(word.written)
    return (word, *filter(_tells, words_of(english))) if english != word.written else (word,)


@lru_cache(maxsize=16_384)
def _signs(word: TextWord) -> tuple[object, ...]:
    """Return what a word shares with every other one of the same meaning."""
    task, value, written = function_words().task(word.folded), _number(word), word.written.lower()
    signs: list[object] = [word.folded, *word.groups]
    signs += [("task", task)] if task else []
    signs += [] if value is None else [value]
    return tuple(signs + ([("stem", _stem(written))] if len(written) > _SHORTEST_STEM else []))


@lru_cache(maxsize=65_536)
def _is_slip(word: TextWord, other: TextWord) -> bool:
    """Return True if one of two words is the other with a typo; two known words are two, but "khan" is "kahan"."""
    typed, meant = word.folded, other.folded
    if min(len(typed), len(meant)) < _SHORTEST_STEM or typed[0] != meant[0]:
        return False
    if _NO_DIGITS.sub("", typed) != _NO_DIGITS.sub("", meant):  # "iphone14" is no typo of "iphone15"
        return False
    is_same_sound = len(_consonants(typed)) > 1 and _consonants(typed) == _consonants(meant)
    if _is_word(word) and _is_word(other):
        return is_same_sound and other.kind is WordKind.QUESTION and len(typed) < len(meant)
    return is_same_sound or ratio(typed, meant) >= _NEARLY


def _number(word: TextWord) -> int | None:
    return int(word.folded[:18]) if word.folded.isdecimal() else COUNTS.get(word.written.lower())


@lru_cache(maxsize=16_384)
def _is_word(word: TextWord) -> bool:
    """Return True for a known word, which is no typo of another one; in another script by how it sounds."""
    written = word.written.lower() if word.written.isascii() else word.folded
    is_listed = glossary().has(written, _INDIC) or function_words().is_written(written)
    return is_listed or bool(lexicon().find(written)) or lexicon().is_rare(written)


def _stem(written: str) -> str:
    for ending in _ENDINGS:
        if written.endswith(ending) and len(written) - len(ending) >= _SHORTEST_STEM:
            return written[: -len(ending)].rstrip("e") + ("y" if ending == "ies" else "")
    return written.rstrip("e")


@lru_cache(maxsize=16_384)
def _consonants(folded: str) -> str:
    for letters, sound in _SOUNDS.items():
        folded = folded.replace(letters, sound)
    return _SILENT.sub("", folded)
