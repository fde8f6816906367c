"""Ways of asking: what is left of a question without the word that it asks about.

"what is akin to quick ?" and "what is akin to enormous ?" share the frame "what is akin to ▢ ?", and a clarification
given for one is wanted for the other. "what is unlike quick ?" looks nearly the same and has another frame. So small
words may differ, the others must be there, in order (`alignment.py`). `words.toml` says which words are small; nothing
here knows any particular question. Pure, but for the word lists, which are read once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache

from assistant.language.asked_word import LONGEST_SLOT
from assistant.language.lexicon import lexicon
from assistant.types import Key, KeyOrigin, Turn
from memory_store.language.function_words import TextWord, WordKind, folded_words, function_words, words_of
from memory_store.language.normalize import SLOT
from memory_store.language.templates.alignment import A_WORD, LONGEST_TEXT, Alignment, Gap, align
from memory_store.language.templates.slots import is_told, mask_marked, mask_slot, tells
from memory_store.language.word_lists import FOLDER
from memory_store.language.word_translation import glossary

ALIKE = 0.6  # similarity from which two frames may be the same one
_DOUBTFUL = 0.3  # what a doubt leaves of it that one word may stand for another
_DETERMINERS = {"a", "an", "the", "this", "that", "these", "those", "is", "us", "ye", "yeh", "vo", "voh", "woh"}
_SAYS_LITTLE = frozenset({WordKind.LIGHT, WordKind.REQUEST})
_ASKED_ABOUT = frozenset({WordKind.CONTENT, WordKind.COMMON, WordKind.LIGHT})
_NO_FILLER = frozenset({WordKind.PERSON, WordKind.QUESTION})


@dataclass(frozen=True, slots=True)
class FrameMatch:
    """How a question goes with a key beside the word that each asks about; all numbers in [0, 1]."""

    similarity: float = 0.0  # of the frames; below `ALIKE` the other numbers say nothing
    filler: float = 1.0  # whether the word asked about may stand for that of the key; 1 where there is no slot
    # Where nobody has said which word the key asks about and the two differ in one place: whether that may be the word.
    substitution: float | None = None


def match_frame(question: str, key: str, asked_first: str = "", hint: str = "", said: str = "") -> FrameMatch:
    """Compare a question with a `key`, one that was asked before or a masked one, beside the word asked about.

    A masked key was made from the question `asked_first`; `hint` and `said` help to find its slot, see `mask_slot`.
    """
    is_masked = SLOT in key
    masked = key if is_masked else mask_slot(key, hint, said)
    forms = [] if is_masked else [(question, key)]
    if masked is not None:
        forms += [(question, masked), (mask_marked(question), masked)]
    matches = [(align(asked, known), known) for asked, known in dict.fromkeys(forms)]
    best, known = max(matches, key=lambda match: match[0].similarity)
    if best.similarity >= ALIKE:
        stored = align(asked_first if is_masked else key, known)
        return FrameMatch(best.similarity, _filler_fit(best, stored, known, said) if SLOT in known else 1.0)
    guess = not is_masked and not is_told(key, said)
    return FrameMatch(best.similarity, substitution=single_substitution(question, key, said) if guess else None)


def single_substitution(question: str, known: str, said: str) -> float | None:
    """Whether what stands in the one place where two questions differ may be asked about in both, in [0, 1].

    What the person `said` to correct the known one repeats what was misunderstood, and that is to be there again. None
    where the two do not differ in one place, or the person wanted nothing of a word.
    """
    meant = folded_words(said)
    if max(len(question), len(known)) > LONGEST_TEXT or not function_words().is_about_words(meant):
        return None
    found = align(question, known)
    gaps = [gap for gap in found.gaps if not all(_says_little(word) for word in (*gap.asked, *gap.known))]
    if len(gaps) != 1:
        return None
    inserted, replaced = (_about(row) for row in (gaps[0].asked, gaps[0].known))
    if not (_may_fill(inserted) and _may_fill(replaced)) or not {word.folded for word in replaced}.isdisjoint(meant):
        return None
    rest = [word for word in folded_words(known) if word not in {word.folded for word in replaced}]
    if not tells(rest):
        return None
    fit = _fit(inserted, replaced, about_words=True)
    if _is_a_thing(gaps[0], inserted) or len(inserted) > 1 or len(replaced) > 1:
        fit *= _DOUBTFUL
    return fit * (_DOUBTFUL if _another_is_marked(known, said, replaced) else 1.0)


def _another_is_marked(known: str, said: str, replaced: Sequence[TextWord]) -> bool:
    """Whether the known question asks about another word, as far as its wording tells: "dil se tuk", "dil se haath".

    To be English where the marked word is not says more than that.
    """
    masked = folded_words(mask_slot(known, said=said) or "")
    if not {word.folded for word in replaced}.issubset(masked):
        return False
    if not function_words().links((), masked[masked.index(SLOT) + 1 :]):
        return False
    marked = {_sort(word, about_words=True) for word in words_of(known) if word.folded not in masked}
    return not any(_sort(word, about_words=True) in _FOREIGN - marked for word in replaced)


def masked_key(turn: Turn, words: str) -> tuple[Key, ...]:
    """The question of a turn without the word that it asks about, as a further key; none where that is unknown."""
    masked = mask_slot(turn.question, turn.reply.understanding, words)
    return (Key(masked, KeyOrigin.RULE),) if masked else ()


_INDIC = ("hi", "pa")
_TELLS = frozenset({WordKind.CONTENT, WordKind.ASKING, WordKind.NEGATION, WordKind.COMMON})


class _Sort(StrEnum):
    NUMBER = "number"
    TIME = "time"
    NAME = "name"
    ENGLISH = "english"
    INDIC = "indic"
    UNKNOWN = "unknown"


# What may stand where such a word stood: in Hindi people ask about English words as well, hardly the reverse.
_FITS = {
    _Sort.NUMBER: {_Sort.NUMBER},
    _Sort.TIME: {_Sort.TIME},
    _Sort.NAME: {_Sort.NAME, _Sort.INDIC, _Sort.ENGLISH, _Sort.UNKNOWN},
    _Sort.ENGLISH: {_Sort.ENGLISH, _Sort.UNKNOWN},
    _Sort.INDIC: {_Sort.INDIC, _Sort.ENGLISH, _Sort.UNKNOWN, _Sort.NAME},
    _Sort.UNKNOWN: {_Sort.UNKNOWN, _Sort.ENGLISH},
}
_FOREIGN = frozenset({_Sort.ENGLISH, _Sort.UNKNOWN})  # in a question in Hindi or Punjabi


def _filler_fit(found: Alignment, stored: Alignment, known: str, said: str) -> float:
    """Whether what a slot holds may stand for what it was made for, as far as that is known."""
    now, then = _slot_gap(found), _slot_gap(stored)
    frame = words_of(known)
    # "▢ jaisa shabd" says itself that it asks about a word, of whatever sort.
    says_word = any(A_WORD in word.groups for word in frame)
    if now is None or then is None or not found.filler or not stored.filler or says_word:
        return 1.0
    tells_something = any(word.kind in _TELLS for word in frame)
    about_words = tells_something and function_words().is_about_words(folded_words(said))
    fit = _fit(found.filler, stored.filler, about_words=about_words)
    return fit * (_DOUBTFUL if _is_a_thing(now, found.filler) and not _is_a_thing(then, stored.filler) else 1.0)


def _slot_gap(found: Alignment) -> Gap | None:
    """Where the slot is that holds the filler; a key may have several, as where a word was marked twice."""
    slots = (gap for gap in found.gaps if any(word.kind is WordKind.SLOT for word in gap.known))
    return next((gap for gap in slots if set(found.filler) <= set(gap.asked)), None)


def _fit(new: Sequence[TextWord], stored: Sequence[TextWord], *, about_words: bool) -> float:
    """Whether words may stand in the place of others; where a word is asked about, "tomorrow" is no day."""
    if [word.folded for word in new] == [word.folded for word in stored]:
        return 1.0
    allowed = set().union(*(_FITS[_sort(word, about_words=about_words)] for word in stored))
    return 1.0 if all(_sort(word, about_words=about_words) in allowed for word in new) else 0.0


@lru_cache(maxsize=16_384)
def _sort(word: TextWord, *, about_words: bool) -> _Sort:
    written = word.written
    if any(letter.isdigit() for letter in written):
        return _Sort.NUMBER
    if function_words().is_time(word.folded) and not about_words:
        return _Sort.TIME
    lower = written.lower()
    if written.istitle() or lower in _names():
        return _Sort.NAME
    # A rare English word that Hindi or Punjabi has in another spelling is still an English one.
    if lexicon().find(lower) or (lexicon().is_rare(lower) and not glossary().has(lower, _INDIC)):
        return _Sort.ENGLISH
    return _Sort.INDIC if not written.isascii() or glossary().has_alike(lower, _INDIC) else _Sort.UNKNOWN


@cache  # they are often typed without a large letter
def _names() -> frozenset[str]:
    lines = (FOLDER / "names.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(name for line in lines if not line.startswith("#") for name in line.split())


def _is_a_thing(gap: Gap, filler: Sequence[TextWord]) -> bool:
    """Whether an article stands before it: people say "in the dark", but "akin to quick"."""
    before = gap.asked[: gap.asked.index(filler[0])][-1:]
    return bool(before) and before[0].written.lower() in _DETERMINERS


def _about(words: Sequence[TextWord]) -> tuple[TextWord, ...]:
    """The words without those that say little, where there are others."""
    return tuple(word for word in words if not _says_little(word)) or tuple(words)


def _may_fill(words: Sequence[TextWord]) -> bool:
    if not 0 < len(words) <= LONGEST_SLOT or any(word.kind not in _ASKED_ABOUT for word in words):
        return False
    return _NO_FILLER.isdisjoint(kind for word in words for kind, _ in word.groups)


def _says_little(word: TextWord) -> bool:
    return word.kind in _SAYS_LITTLE
