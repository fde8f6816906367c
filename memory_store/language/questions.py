"""Compare two questions word by word: whether they are one, or are asked in the same way about another word. Pure.

Words are the same in another spelling, script or form, with a typo, and where word lists give the same English. "what
does light mean" is not "what does dark mean", but both are asked in the same way; "what is unlike quick" is neither to
"what is like quick": a word that tells what is wanted must stand in both.
"""

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from Levenshtein import ratio

from assistant.language.arguments import COUNTS
from assistant.language.asked_word import LONGEST_SLOT
from assistant.language.lexicon import lexicon
from memory_store.language.function_words import TextWord, WordKind, function_words, written_words
from memory_store.language.normalize import SLOT
from memory_store.language.word_translation import compared, consonants, glossary, in_english, in_english_spelling

LONGEST_TEXT = 500  # characters; longer questions are the same only where they are equal
LONGEST_QUESTION = 32  # words
_LIGHT = frozenset({WordKind.LIGHT, WordKind.REQUEST})
_SAYS_WHAT = frozenset({WordKind.ASKING, WordKind.NEGATION})
_TELLS = _SAYS_WHAT | {WordKind.CONTENT}
_ASKED_ABOUT = frozenset({WordKind.CONTENT, WordKind.COMMON, WordKind.SLOT})
_ASKED_OF_MUCH = frozenset((WordKind.QUESTION, name) for name in ("what", "how"))  # one question may go without these
_HAI = "hai"
_MISSING, _MORE, _OTHER_SORT = 0.7, 0.8, 0.3  # what is left of "the same way" for each small word, or another sort
_ENDING = re.compile("(?<=...)(?:ing|ies|y|ed|es|e|s)$")
_SHORTEST = 3  # letters of a word that may be mistyped
_NEARLY = 0.7  # so alike are two spellings of one word, of which one is no word


class _Text:
    """The words of a text, to look up another text's words among them."""

    def __init__(self, words: Sequence[TextWord]) -> None:
        self.words = words
        self._by_meaning = {meaning: word for word in reversed(words) for meaning in _meanings(word)}

    def find(self, word: TextWord) -> TextWord | None:
        """Return the word that is this one: in another spelling or form, with a typo, or of one meaning in English."""
        for meaning in _meanings(word):
            if meaning in self._by_meaning:
                return self._by_meaning[meaning]
        near = (other for other in self.words if other.folded[:1] == word.folded[:1])  # which is seldom mistyped
        return next((other for other in near if _is_slip(word, other)), None)


@lru_cache(maxsize=16_384)
def same_question(question: str, known: str) -> bool:
    """Return True if both ask for the same; when it is may stand in one of them only ("… today"), nothing else may."""
    if question == known or max(len(question), len(known)) > LONGEST_TEXT:
        return question == known
    joined = compared(question).replace(" ", "")
    if joined and joined == compared(known).replace(" ", ""):
        return True  # "kya horaha hai" is "kya ho raha hai"
    asked, before = _whole(question), _whole(known)
    more = _times_without_partner(asked, before)
    fewer = _times_without_partner(before, asked) if more is not None else None
    if more is None or fewer is None or (more and fewer) or sum(map(_tells, asked.words)) <= more:
        return False
    persons, theirs = _persons(asked.words), _persons(before.words)
    return not (persons and theirs and persons.isdisjoint(theirs))


def same_way(question: str, known: str) -> float:
    """Return how surely both are asked in the same way, each about a word of its own: 1 where all the rest is the same.

    In the known one a slot may stand for the word.
    """
    return _aligned(question, known).likeness


def wants_other(question: str, known: str) -> bool:
    """Return True if something else is wanted of a word: "unlike quick" where the known one is "like quick"."""
    return _aligned(question, known).wants_other


def asked_about(question: str, known: str) -> str:
    """Return what a question has in the place where a known one has its slot, or another word; empty where unknown."""
    return " ".join(word.written for word in _aligned(question, known).filler)


def has_alike(words: Iterable[TextWord], word: TextWord) -> bool:
    """Return True if one of the words is this one."""
    return _Text(tuple(words)).find(word) is not None


class _Aligned(NamedTuple):
    likeness: float = 0.0
    wants_other: bool = False
    filler: Sequence[TextWord] = ()  # what the question is about, where the known one is about another word


@lru_cache(maxsize=16_384)
def _aligned(question: str, known: str) -> _Aligned:
    """Align the words of two questions, of which one run may be what each is about."""
    asked, before = _way_of(question), _way_of(known)
    names = [(before.find(word) or word).folded for word in asked.words]
    matched = SequenceMatcher(None, names, [word.folded for word in before.words], autojunk=False)
    shared: set[WordKind] = set()
    filler: Sequence[TextWord] = ()
    likeness, wants_other = 1.0, False
    for tag, start, end, known_start, known_end in matched.get_opcodes():
        more, missing = asked.words[start:end], before.words[known_start:known_end]
        kinds = {word.kind for word in (*more, *missing)}
        if tag == "equal":
            shared |= kinds
        elif not filler and _may_fill(more) and _may_fill(missing):
            filler, likeness = more, likeness * _sort_likeness(more, missing, known)
        elif kinds & _SAYS_WHAT and WordKind.CONTENT not in kinds:
            wants_other = True
        elif kinds & {*_TELLS, WordKind.SLOT}:
            return _Aligned()
        else:
            likeness *= _MORE ** len(more) * _MISSING ** len(missing)
    if wants_other:
        return _Aligned(wants_other=bool(shared and (filler or shared & _ASKED_ABOUT)))
    # Beside words of content alone ("item 3", "item 5") nobody knows which of them is asked about, unless a slot tells.
    is_told = bool(shared & (_TELLS | _ASKED_ABOUT)) and shared != {WordKind.CONTENT}
    return _Aligned(likeness, filler=filler) if is_told or (shared and SLOT in known) else _Aligned()


@lru_cache(maxsize=4_096)
def _whole(text: str) -> _Text:
    return _Text(written_words(in_english_spelling(text)))


@lru_cache(maxsize=4_096)
def _way_of(text: str) -> _Text:
    """Return the words by which ways of asking are compared; none where there are too many."""
    words = written_words(text) if len(text) <= LONGEST_TEXT else ()
    words = tuple(word for word in words if word.kind not in _LIGHT and word.folded not in function_words().a_word)
    return _Text(words if len(words) <= LONGEST_QUESTION else ())


def _may_fill(words: Sequence[TextWord]) -> bool:
    return 0 < len(words) <= LONGEST_SLOT and all(word.kind in _ASKED_ABOUT for word in words)


def _sort_likeness(words: Sequence[TextWord], stood: Sequence[TextWord], known: str) -> float:
    """Return less than 1 for a time where there was none, or the other way round, and for an Indic word for English.

    "quick jaisa shabd" says itself that it asks about a word, of whatever sort.
    """
    if any(word.folded in function_words().a_word for word in written_words(known)):
        return 1.0
    is_time, was_time = (any(word.folded in function_words().times for word in some) for some in (words, stood))
    is_foreign, was_foreign = (
        any(in_english(word.written) != word.written for word in some) for some in (words, stood)
    )
    return _OTHER_SORT if is_time != was_time or (is_foreign and not was_foreign) else 1.0


def _persons(words: Iterable[TextWord]) -> frozenset[str]:
    """Return the groups of persons that a text names; "hai" is none, though "he" folds to it."""
    groups = (group for word in words if word.written.lower() == "he" or word.folded != _HAI for group in word.groups)
    return frozenset(name for kind, name in groups if kind is WordKind.PERSON)


def _times_without_partner(asked: _Text, known: _Text) -> int | None:
    """Count the telling words without a partner, which all say when; None where one of them says anything else."""
    without = 0
    for word in asked.words:
        if _tells(word) and not known.find(word):
            if not function_words().is_time(word.folded):
                return None
            without += 1
    return without


@lru_cache(maxsize=16_384)
def _tells(word: TextWord) -> bool:
    """Return True for a word that both questions must have, to be the same."""
    if word.kind is WordKind.QUESTION:
        return not word.groups <= _ASKED_OF_MUCH
    says = word.kind in _TELLS or _number(word) is not None or function_words().is_time(word.folded)
    return says and word.folded not in function_words().a_word


@lru_cache(maxsize=16_384)
def _meanings(word: TextWord) -> Sequence[object]:
    """Return what a word shares with every other one of the same meaning: its form first, then what says less."""
    english = (each for each in written_words(in_english(word.written)) if each.kind not in _LIGHT)
    stems = (_ENDING.sub("", each.written.lower()) for each in english if len(each.written) >= _SHORTEST)
    number = _number(word)
    return [word.folded, *([] if number is None else [number]), *stems, *sorted(word.groups)]


@lru_cache(maxsize=65_536)
def _is_slip(word: TextWord, other: TextWord) -> bool:
    """Return True if one of two words is the other with a typo; two known words are two, but "khan" is "kahan"."""
    typed, meant = word.folded, other.folded
    if min(len(typed), len(meant)) < _SHORTEST:
        return False
    if list(filter(str.isdigit, typed)) != list(filter(str.isdigit, meant)):  # "iphone14" is no typo of "iphone15"
        return False
    sounds = [consonants(each).replace("h", "") for each in (typed, meant)]
    is_same_sound = len(sounds[0]) > 1 and sounds[0] == sounds[1]
    if _is_word(word) and _is_word(other):
        return is_same_sound and WordKind.QUESTION in {word.kind, other.kind}
    return is_same_sound or ratio(typed, meant) >= _NEARLY


def _number(word: TextWord) -> int | None:
    return int(word.folded[:18]) if word.folded.isdecimal() else COUNTS.get(word.written.lower())


@lru_cache(maxsize=16_384)
def _is_word(word: TextWord) -> bool:
    """Return True for a known word, which is no typo of another one; in another script by how it sounds."""
    written = word.written.lower() if word.written.isascii() else word.folded
    is_listed = glossary().has(written, ("hi", "pa")) or function_words().is_written(written)
    return is_listed or bool(lexicon().find(written)) or lexicon().is_rare(written)
