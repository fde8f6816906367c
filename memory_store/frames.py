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

from memory_store.alignment import LONGEST_SLOT, Alignment, align
from memory_store.chatter import chatter_costs, without_chatter
from memory_store.fillers import ARTICLE, BEFORE_A_THING, filler_likeness
from memory_store.function_words import WordKind, folded_words, function_words
from memory_store.gaps import one_gap
from memory_store.slips import mended
from memory_store.slots import is_told, mask_marked, mask_slot, quoted_in, written_forms
from memory_store.surface import SLOT

ALIKE = 0.6  # likeness from which two frames may be the same one
_WORD = "word"
_CLEARLY_ALIKE = 0.9
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
    if SLOT not in key and _is_far(plain := _aligned(question, mask_marked(key)), hint):
        return FrameMatch(plain.likeness)
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
    return FrameMatch(best.likeness, _filler_likeness(best, question, known, first, said))


def _is_far(found: Alignment, hint: str) -> bool:
    """Whether more words are missing than a slot holds. Most keys end here, before their slot is looked for."""
    return found.missing > LONGEST_SLOT and all(len(folded_words(text)) <= LONGEST_SLOT for text in quoted_in(hint))


def _aligned(asked: str, known: str) -> Alignment:
    """The best alignment, with slips of typing mended and chatter left out, which cost a little."""
    meant, slips = mended(asked, known)
    found = align(_frame_words(meant), _frame_words(known))
    # Around a question without a slot it may be no chatter, but what tells the two apart: "card", "ration card".
    if SLOT in known and not found.missing and found.likeness < _CLEARLY_ALIKE:
        found = max(found, _without_chatter(meant, known), key=_likeness)
    return found._replace(likeness=found.likeness * _SLIP**slips) if slips else found


def _without_chatter(asked: str, known: str) -> Alignment:
    rest, left_out = without_chatter(asked, known)
    found = align(_frame_words(rest), _frame_words(known))
    return found._replace(likeness=found.likeness * chatter_costs(left_out))


def _likeness(found: Alignment) -> float:
    return found.likeness


def _filler_likeness(found: Alignment, question: str, known: str, first: str, said: str) -> float:
    if (
        SLOT not in known
        or not first
        or found.filler == (SLOT,)
        or (_says_word(found.asked) and _says_word(found.known))
    ):
        return 1.0
    stored = align(_frame_words(first), _frame_words(known))
    asked, expected = _as_written(found.filler, question), _as_written(stored.filler, first)
    likeness = filler_likeness(asked, expected, folded_words(said), _as_written(found.asked, question))
    (before,), (before_then,) = _as_written([found.before], question), _as_written([stored.before], first)
    is_new = any(before.casefold() in words and before_then.casefold() not in words for words in BEFORE_A_THING)
    # In "the word quick" the article belongs to "word".
    is_a_thing = is_new and function_words().kind(found.filler[0]) is not WordKind.ASKING
    return likeness * (ARTICLE if is_a_thing else 1.0)


def _says_word(words: Sequence[str]) -> bool:
    """Whether the words around a slot say themselves that it holds a word, of whatever kind: "▢ jaisa shabd"."""
    return any(function_words().representative(word) == _WORD for word in words)


def _as_written(filler: Sequence[str], question: str) -> tuple[str, ...]:
    """Folded words of a question, in the script and with the letters that the person used."""
    written = written_forms(question)
    return tuple(written.get(token, token) for token in filler)


@lru_cache(maxsize=16_384)
def _frame_words(text: str) -> tuple[str, ...]:
    return function_words().plain(folded_words(text))
