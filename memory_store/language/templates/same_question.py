"""Whether two questions are the same one, in whatever wording, spelling, script or mix of languages. Pure.

Each word that tells what is asked must have one that means the same in the other question: the same in another spelling
or form, a typo of it, or what a glossary says for it. When it is may stand on one side only ("… today"), but nothing
else may: "what does light mean" is not "what does dark mean", nor "what is the opposite of light".
"""

from collections.abc import Iterable
from functools import cached_property, lru_cache

from memory_store.language.function_words import TextWord, WordKind, function_words, words_of
from memory_store.language.templates.alignment import A_WORD, LONGEST_TEXT
from memory_store.language.templates.alike_words import AlikeWords, number
from memory_store.language.word_translation import in_english, in_english_spelling

_TELLS = frozenset({WordKind.CONTENT, WordKind.ASKING, WordKind.NEGATION})
_ASKED_OF_MUCH = {"what", "how"}  # one may go without these where the other has them


class _Question:
    """A question, taken apart; only as far as that is asked for, since most differ in the first word compared."""

    def __init__(self, text: str) -> None:
        self._words = words_of(in_english_spelling(text))
        self.telling = _telling(self._words)
        self.asking = _groups(self._words, WordKind.QUESTION)  # when, where
        self.persons = _groups(self._words, WordKind.PERSON)  # me, you

    @cached_property
    def words(self) -> AlikeWords:
        """All of it, with what it says in English."""
        return AlikeWords(reading for word in self._words for reading in _readings(word))


@lru_cache(maxsize=16_384)
def same_question(question: str, known: str) -> bool:
    """Whether a question is a known one; longer ones than `LONGEST_TEXT` only where they are equal."""
    if question == known:
        return True
    if max(len(question), len(known)) > LONGEST_TEXT:
        return False
    asked, before = _read(question), _read(known)
    if _clash(asked, before):
        return False
    fewer = _times_without_partner(before, asked)  # first, for the other one is compared with many
    more = None if fewer is None else _times_without_partner(asked, before)
    return more is not None and fewer is not None and len(asked.telling) > more and not (more and fewer)


_read = lru_cache(maxsize=4_096)(_Question)


def _clash(asked: _Question, known: _Question) -> bool:
    """Whether one asks when and the other where, or one of me and the other of you."""
    for ours, theirs in ((asked.asking, known.asking), (asked.persons, known.persons)):
        if ours and theirs and ours.isdisjoint(theirs):
            return True
    return asked.asking - _ASKED_OF_MUCH != known.asking - _ASKED_OF_MUCH


def _groups(words: Iterable[TextWord], kind: WordKind) -> frozenset[str]:
    return frozenset(name for word in words for of, name in word.groups if of is kind)


def _telling(words: Iterable[TextWord]) -> tuple[TextWord, ...]:
    return tuple(word for word in words if _tells(word) and A_WORD not in word.groups)


def _tells(word: TextWord) -> bool:
    words = function_words()
    return word.kind in _TELLS or number(word) is not None or words.compares(word.folded) or words.is_time(word.folded)


def _times_without_partner(asked: _Question, known: _Question) -> int | None:
    """How many of the words that tell something have no partner; None where one of them says anything but when."""
    without = 0
    for word in asked.telling:
        if not any(known.words.has(reading) for reading in _readings(word)):
            if not function_words().is_time(word.folded):
                return None
            without += 1
    return without


@lru_cache(maxsize=16_384)
def _readings(word: TextWord) -> tuple[TextWord, ...]:
    """A word, and what it says in English where it is of another language."""
    english = in_english(word.written)
    return (word, *_telling(words_of(english))) if english != word.written else (word,)
