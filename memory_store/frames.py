"""The frame of a question: what is left of it without the word that it asks about.

"what is akin to quick ?" and "what is akin to enormous ?" share the frame "what is akin to ▢ ?", and a clarification
given for one is wanted for the other. "what is unlike quick ?" looks nearly the same and has another frame. So frames
are compared word by word (`memory_store.alignment`): small words may differ, the others must be there, in order, and
negations and question words must agree. `words.toml` says which words are small; nothing here knows any particular
question. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from memory_store.alignment import Alignment, align
from memory_store.fillers import ARTICLE, ARTICLES, filler_likeness
from memory_store.function_words import WordKind, folded_words, function_words
from memory_store.gaps import one_gap
from memory_store.slips import mended
from memory_store.slots import is_told, mask_marked, mask_slot, written_forms
from memory_store.surface import SLOT

ALIKE = 0.6  # likeness from which two frames may be the same one
_WORD = "word"
_SLIP = 0.96  # what one slip of typing leaves of the likeness


@dataclass(frozen=True, slots=True)
class FrameMatch:
    """How a question goes with a key beside the word that each asks about; all numbers in [0, 1].

    Args:
        likeness: of the frames, 1 for the same. Below `ALIKE` the other numbers say nothing.
        filler: of the word asked about and the one that the key was made for: whether the first may stand for the
            second. 1 where there is no slot: then nothing differs.
        gap: where nobody has said which word the key asks about and the two differ in one place only: whether that may
            be the word. None elsewhere.
    """

    likeness: float = 0.0
    filler: float = 1.0
    gap: float | None = None


def match_frame(question: str, key: str, asked_first: str = "", hint: str = "", said: str = "") -> FrameMatch:
    """Compare two questions beside the word that each asks about.

    Args:
        question: the new question. Its slot need not be marked.
        key: a question that was asked before, or a masked one.
        asked_first: the question that a masked key was made from; it has the word that stood in the slot.
        hint: helps to find the slot of the key, see `mask_slot`.
        said: helps as well.
    """
    masked = key if SLOT in key else mask_slot(key, hint, said)
    forms = [(question, key)] if SLOT not in key else []
    if masked is not None:
        forms += [(question, masked), (mask_marked(question), masked)]
    matches = [(_aligned(asked, known), known) for asked, known in dict.fromkeys(forms)]
    best, known = max(matches, key=lambda match: match[0].likeness)
    if best.likeness < ALIKE:
        guess = SLOT not in key and not is_told(key, said)
        return FrameMatch(best.likeness, gap=one_gap(question, key, said) if guess else None)
    first = asked_first if SLOT in key else key
    return FrameMatch(best.likeness, _filler_likeness(best, question, known, first))


def _aligned(asked: str, known: str) -> Alignment:
    """The best alignment, with slips of typing mended, which cost a little."""
    meant, slips = mended(asked, known)
    found = align(_frame_words(meant), _frame_words(known))
    return found._replace(likeness=found.likeness * _SLIP**slips) if slips else found


def _filler_likeness(found: Alignment, question: str, known: str, first: str) -> float:
    if (
        SLOT not in known
        or not first
        or found.filler == (SLOT,)
        or (_says_word(found.asked) and _says_word(found.known))
    ):
        return 1.0
    stored = align(_frame_words(first), _frame_words(known))
    likeness = filler_likeness(_as_written(found.filler, question), _as_written(stored.filler, first))
    return likeness * (ARTICLE if _has_article(found) and not _has_article(stored) else 1.0)


def _says_word(words: Sequence[str]) -> bool:
    """Whether the words around a slot say themselves that it holds a word, of whatever kind: "▢ jaisa shabd"."""
    return any(function_words().representative(word) == _WORD for word in words)


def _has_article(found: Alignment) -> bool:
    """Whether an article belongs to the filler itself; in "the word quick" it belongs to "word"."""
    return found.before in ARTICLES and function_words().kind(found.filler[0]) is not WordKind.ASKING


def _as_written(filler: Sequence[str], question: str) -> tuple[str, ...]:
    """Folded words of a question, in the script and with the letters that the person used."""
    written = written_forms(question)
    return tuple(written.get(token, token) for token in filler)


@lru_cache(maxsize=16_384)
def _frame_words(text: str) -> tuple[str, ...]:
    return function_words().plain(folded_words(text))
