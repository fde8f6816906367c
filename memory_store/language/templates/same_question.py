"""Whether two questions are the same one, in whatever wording, spelling, script or mix of languages. Pure.

Each word that tells what is asked must have one that means the same in the other question: the same in another spelling
or form, a typo of it, or what a glossary says for it. One thing more may stand on one side ("… today"), but nothing in
the place of something else: "what does light mean" is not "what does dark mean", nor "what is the opposite of light".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from assistant.language.lexicon import lexicon
from memory_store.language.function_words import TextWord, WordKind, function_words, words_of
from memory_store.language.templates.alignment import A_WORD, LONGEST_TEXT, is_typo
from memory_store.language.word_translation import glossary, in_english, in_english_spelling

_TELLS = frozenset({WordKind.CONTENT, WordKind.ASKING, WordKind.NEGATION})
_NEVER_MORE = frozenset({WordKind.ASKING, WordKind.NEGATION})  # of these, none may stand on one side only
_MORE_PER_WORD = 1 / 3  # one word more for so many that both have
_ENDINGS = ("ing", "ies", "ed", "es", "s", "e", "y")
_SHORTEST_STEM = 3


@lru_cache(maxsize=16_384)
def same_question(question: str, known: str) -> bool:
    """Whether a question is a known one; longer ones than `LONGEST_TEXT` only where they are equal."""
    if question == known:
        return True
    if max(len(question), len(known)) > LONGEST_TEXT:
        return False
    views = [(_spelled(question), _spelled(known)), (_english(question), _english(known))]
    return any(_same(asked, before) for asked, before in views)


def _same(asked: Sequence[TextWord], known: Sequence[TextWord]) -> bool:
    if _clash(asked, known):
        return False
    more, fewer = _without_partner(asked, known), _without_partner(known, asked)
    both = len(_telling(asked)) - len(more)
    extra = [*more, *fewer]
    if not both or (more and fewer) or any(word.kind in _NEVER_MORE for word in extra):
        return False
    return len(extra) <= both * _MORE_PER_WORD


def _clash(asked: Sequence[TextWord], known: Sequence[TextWord]) -> bool:
    """Whether one asks when and the other where, or one of me and the other of you."""
    for kind in (WordKind.QUESTION, WordKind.PERSON):
        ours, theirs = (_groups(words, kind) for words in (asked, known))
        if ours and theirs and ours.isdisjoint(theirs):
            return True
    return False


def _groups(words: Iterable[TextWord], kind: WordKind) -> set[str]:
    return {name for word in words for of, name in word.groups if of is kind}


def _telling(words: Iterable[TextWord]) -> list[TextWord]:
    return [word for word in words if word.kind in _TELLS and A_WORD not in word.groups]


def _without_partner(words: Sequence[TextWord], others: Sequence[TextWord]) -> list[TextWord]:
    return [word for word in _telling(words) if not any(alike(word, other) for other in others)]


def alike(word: TextWord, other: TextWord) -> bool:
    """Whether two words are one, in another spelling or form, or mean the same as words that shape questions."""
    if word.folded == other.folded or not word.groups.isdisjoint(other.groups):
        return True
    stem, its = _stem(word.folded), _stem(other.folded)
    if stem == its:
        return True
    here, there = word.written.lower(), other.written.lower()
    is_slip = is_typo(here, there) or is_typo(word.folded, other.folded)
    return is_slip and not (_is_word(here) and _is_word(there))


def _is_word(written: str) -> bool:
    """Whether it is a known word, so that it is no typo of another one."""
    is_listed = glossary().has(written, ("hi", "pa")) or function_words().is_written(written)
    return is_listed or bool(lexicon().find(written))


def _stem(folded: str) -> str:
    """An English word without its ending; what is no English word loses a letter at most that its forms differ in."""
    ending = next((end for end in _ENDINGS if folded.endswith(end) and len(folded) - len(end) >= _SHORTEST_STEM), "")
    return folded.removesuffix(ending)


@lru_cache(maxsize=4_096)
def _spelled(text: str) -> tuple[TextWord, ...]:
    return words_of(in_english_spelling(text))


@lru_cache(maxsize=4_096)
def _english(text: str) -> tuple[TextWord, ...]:
    return words_of(in_english(text))
