"""Whether two questions are the same one, in whatever wording, spelling, script or mix of languages. Pure.

Each word that tells what is asked must have one that means the same in the other question: the same in another spelling
or form, a typo of it, or what a glossary says for it. When it is may stand on one side only ("… today"), but nothing
else may: "what does light mean" is not "what does dark mean", nor "what is the opposite of light".
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from Levenshtein import ratio

from assistant.language.arguments import COUNTS
from assistant.language.lexicon import lexicon
from memory_store.language.function_words import TextWord, WordKind, function_words, words_of
from memory_store.language.templates.alignment import A_WORD, LONGEST_TEXT, is_typo
from memory_store.language.word_translation import glossary, in_english, in_english_spelling

_TELLS = frozenset({WordKind.CONTENT, WordKind.ASKING, WordKind.NEGATION})
_ASKED_OF_MUCH = {"what", "how"}  # one may go without these where the other has them
# Endings of forms of one English word, each with what its other forms have in its place.
_ENDINGS = {"ies": ("y",), "es": ("", "e"), "s": ("",), "ed": ("", "e"), "ing": ("", "e")}
_SHORTEST_STEM = 3
_NEARLY = 0.7  # so alike are two spellings of one word, of which one is no word
_SOUNDS = {"w": "v", "ph": "f", "x": "ks", "z": "s", "q": "k", "c": "k"}  # letters that stand for the same sound
_SILENT = re.compile(r"(?<!^)[aeiouyh]|(.)(?=\1)")
_FEWEST_SOUNDS = 2
_LONGEST_NUMBER = 18  # digits; Python refuses to read some thousand


@lru_cache(maxsize=16_384)
def same_question(question: str, known: str) -> bool:
    """Whether a question is a known one; longer ones than `LONGEST_TEXT` only where they are equal."""
    if question == known:
        return True
    if max(len(question), len(known)) > LONGEST_TEXT:
        return False
    asked, before = _words(question), _words(known)
    if _clash(asked, before):
        return False
    more = _times_without_partner(asked, before)
    fewer = None if more is None else _times_without_partner(before, asked)
    return more is not None and fewer is not None and len(_telling(asked)) > more and not (more and fewer)


def _clash(asked: Sequence[TextWord], known: Sequence[TextWord]) -> bool:
    """Whether one asks when and the other where, or one of me and the other of you."""
    for kind in (WordKind.QUESTION, WordKind.PERSON):
        ours, theirs = (_groups(words, kind) for words in (asked, known))
        if ours and theirs and ours.isdisjoint(theirs):
            return True
    ours, theirs = (_groups(words, WordKind.QUESTION) - _ASKED_OF_MUCH for words in (asked, known))
    return ours != theirs


def _groups(words: Iterable[TextWord], kind: WordKind) -> set[str]:
    return {name for word in words for of, name in word.groups if of is kind}


def _telling(words: Iterable[TextWord]) -> list[TextWord]:
    return [word for word in words if _tells(word) and A_WORD not in word.groups]


def _tells(word: TextWord) -> bool:
    words = function_words()
    return word.kind in _TELLS or _number(word) is not None or words.compares(word.folded) or words.is_time(word.folded)


def _times_without_partner(words: Sequence[TextWord], others: Sequence[TextWord]) -> int | None:
    """How many of the words that tell something have no partner; None where one of them says anything but when."""
    folded = {word.folded for word in others}
    without = 0
    for word in _telling(words):
        if word.folded not in folded and not any(_is_partner(word, other) for other in others):
            if not function_words().is_time(word.folded):
                return None
            without += 1
    return without


def _is_partner(word: TextWord, other: TextWord) -> bool:
    return any(alike(one, another) for one in _readings(word) for another in _readings(other))


def alike(word: TextWord, other: TextWord) -> bool:
    """Whether two words are one, in another spelling or form, or mean the same as words that shape questions."""
    if word.folded == other.folded or not word.groups.isdisjoint(other.groups):
        return True
    if (number := _number(word)) is not None and number == _number(other):
        return True
    if (task := function_words().task(word.folded)) and task == function_words().task(other.folded):
        return True
    here, there = word.written.lower(), other.written.lower()
    if here in _other_forms(there) or there in _other_forms(here):
        return True
    is_slip = is_typo(here, there) or is_typo(word.folded, other.folded) or _is_misspelt(word.folded, other.folded)
    return is_slip and not (_is_word(word) and _is_word(other))


@lru_cache(maxsize=65_536)
def _is_misspelt(typed: str, meant: str) -> bool:
    """Whether two folded words begin alike and have the same consonants, or most letters: rowter, router."""
    if typed[0] != meant[0] or min(len(typed), len(meant)) < _SHORTEST_STEM:
        return False
    sounds = _consonants(typed)
    return (len(sounds) >= _FEWEST_SOUNDS and sounds == _consonants(meant)) or ratio(typed, meant) >= _NEARLY


def _consonants(folded: str) -> str:
    for letters, sound in _SOUNDS.items():
        folded = folded.replace(letters, sound)
    return _SILENT.sub("", folded)


def _number(word: TextWord) -> int | None:
    if word.folded.isdecimal():
        return int(word.folded) if len(word.folded) <= _LONGEST_NUMBER else None
    return COUNTS.get(word.written.lower())


@lru_cache(maxsize=16_384)
def _is_word(word: TextWord) -> bool:
    """Whether it is a known word, so that it is no typo of another one; in another script by how it sounds."""
    written = word.written.lower() if word.written.isascii() else word.folded
    is_listed = glossary().has(written, ("hi", "pa")) or function_words().is_written(written)
    return is_listed or bool(lexicon().find(written)) or lexicon().is_rare(written)


@lru_cache(maxsize=16_384)
def _other_forms(written: str) -> frozenset[str]:
    """What an English word may be a form of, and the other forms of that."""
    bases = {
        written.removesuffix(ending) + instead
        for ending, others in _ENDINGS.items()
        if written.endswith(ending) and len(written) - len(ending) >= _SHORTEST_STEM
        for instead in others
    }
    known = {base for base in bases if lexicon().find(base)}
    return frozenset(known or bases)


@lru_cache(maxsize=16_384)
def _readings(word: TextWord) -> tuple[TextWord, ...]:
    """A word, and what it says in English where it is of another language."""
    english = in_english(word.written)
    return (word, *_telling(words_of(english))) if english != word.written else (word,)


@lru_cache(maxsize=4_096)
def _words(text: str) -> tuple[TextWord, ...]:
    return words_of(in_english_spelling(text))
