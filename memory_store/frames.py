"""The frame of a question: what is left of it without the word that it asks about.

"what is akin to quick ?" and "what is akin to enormous ?" share the frame "what is akin to ▢ ?", and a clarification
given for one is wanted for the other. "what is unlike quick ?" looks nearly the same and has another frame. So frames
are compared word by word (`memory_store.alignment`): small words may differ, the others must be there, in order, and
negations and question words must agree. `words.toml` says which words are small; nothing here knows any particular
question. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from memory_store.alignment import LONGEST_FRAME, LONGEST_SLOT, Alignment, align
from memory_store.fillers import filler_likeness
from memory_store.function_words import WordKind, function_words
from memory_store.surface import SLOT, fold, ngram_similarity, token_similarity

ALIKE = 0.6  # likeness from which two frames may be the same one
_LONGEST_TEXT = 500  # characters; a longer one is no short question with one word asked about
_MARKED = re.compile(
    r"""<\s*([^<>\n]{1,60}?)\s*>|“([^”\n]{1,60})”|"([^"\n]{1,60})"|«([^»\n]{1,60})»|`([^`\n]{1,60})`"""
    r"""|‘([^’\n]{1,60})’(?!\w)|(?<!\w)'([^'\n]{1,60})'(?!\w)"""
)
# How much a word tells about the way of asking. A frame that tells little ("what is ▢") is none.
_TELLS = {
    WordKind.NEGATION: 1.0,
    WordKind.ASKING: 1.0,
    WordKind.CONTENT: 1.0,
    WordKind.COMMON: 0.5,
    WordKind.LINK: 0.3,
    WordKind.QUESTION: 0.3,
    WordKind.REQUEST: 0.3,
    WordKind.LIGHT: 0.1,
}
_MATTERS = frozenset({WordKind.NEGATION, WordKind.ASKING, WordKind.CONTENT})
# Words of asking are in every correction ("I meant a word that ..."), so they say nothing about what was misunderstood.
_MISUNDERSTOOD = frozenset({WordKind.NEGATION, WordKind.CONTENT})
_POLITE = frozenset({WordKind.LIGHT, WordKind.REQUEST})
_ARTICLES = frozenset({"a", "an", "the", fold("the")})
_ARTICLE = 0.5
_WORD = "word"
_ENOUGH_TOLD_WITH_HINT = 0.5


def mask_slot(question: str, hint: str = "", said: str = "") -> str | None:
    """The question with `SLOT` in place of the word it asks about, or None where that word cannot be told.

    The word is: what stands in brackets or quotes; else what the hint also names in quotes; else the only word that is
    not one of asking; else the only such word that a linking word marks ("of ▢", "▢ ka"). A word that the person
    repeats when they correct ("by kal I mean tomorrow") is what was misunderstood, not what was asked about, unless the
    hint names it.

    Args:
        question: a question as a person wrote it.
        hint: the understanding that was wrong; it often names the word in quotes.
        said: what the person said to correct it.
    """
    if len(question) > _LONGEST_TEXT or len(hint) > _LONGEST_TEXT or len(said) > _LONGEST_TEXT:
        return None
    return _mask_slot(question, hint, said)


@dataclass(frozen=True, slots=True)
class FrameMatch:
    """How a question goes with a key beside the word that each asks about; all numbers in [0, 1].

    Args:
        likeness: of the frames, 1 for the same. Below `ALIKE` the other numbers say nothing.
        filler: of the word asked about and the one that the key was made for: whether the first may stand for the
            second. 1 where there is no slot: then nothing differs.
        ngrams: of the frames, without words that are only polite.
        wording: the same, of their words.
    """

    likeness: float = 0.0
    filler: float = 1.0
    ngrams: float = 0.0
    wording: float = 0.0


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
        forms += [(question, masked), (_mask_marked(question), masked)]
    matches = [(align(_frame_words(asked), _frame_words(known)), known) for asked, known in dict.fromkeys(forms)]
    if not matches:
        return FrameMatch()
    best, known = max(matches, key=lambda match: match[0].likeness)
    if best.likeness < ALIKE:
        return FrameMatch(best.likeness)
    first = asked_first if SLOT in key else key
    filler = _filler_likeness(best, question, known, first)
    texts = _telling(best.asked), _telling(best.known)
    return FrameMatch(best.likeness, filler, ngram_similarity(*texts), token_similarity(*texts))


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
    # People put no article before a word as such: "akin to quick", but "in the dark".
    return likeness * (_ARTICLE if _has_article(found) and not _has_article(stored) else 1.0)


def _says_word(words: Sequence[str]) -> bool:
    """Whether the words around a slot say themselves that it holds a word, of whatever kind: "▢ jaisa shabd"."""
    return any(function_words().representative(word) == _WORD for word in words)


def _has_article(found: Alignment) -> bool:
    """Whether an article belongs to the filler itself; in "the word quick" it belongs to "word"."""
    return found.before in _ARTICLES and function_words().kind(found.filler[0]) is not WordKind.ASKING


def _as_written(filler: Sequence[str], question: str) -> tuple[str, ...]:
    """Folded words of a question, in the script and with the letters that the person used."""
    written = _written_forms(question)
    return tuple(written.get(token, token) for token in filler)


@lru_cache(maxsize=16_384)
def _written_forms(question: str) -> Mapping[str, str]:
    return {token: _strip_punctuation(piece) for piece in question.split() for token in _tokens(piece)}


def _telling(words: Sequence[str]) -> str:
    """The words without those that only ask politely, unless there are no others; one word for all of its meaning."""
    telling = [word for word in words if function_words().kind(word) not in _POLITE] or words
    return " ".join(function_words().representative(word) for word in telling)


@lru_cache(maxsize=16_384)
def _frame_words(text: str) -> tuple[str, ...]:
    return function_words().plain(_tokens(text))


def shared_words(known: str, said: str, question: str) -> float:
    """Of the words that a correction repeats from the question it corrects, the share that a new question has too.

    What a person repeats ("by shabd batao I mean …") is what was misunderstood. 0 where nothing is repeated.

    Args:
        known: the question that was corrected.
        said: what the person said about it.
        question: the new question.
    """
    repeated = {token for token in _trigger(known, said) if function_words().kind(token) in _MISUNDERSTOOD}
    asked = set(_tokens(question))
    return len(repeated & asked) / len(repeated) if repeated else 0.0


@lru_cache(maxsize=16_384)
def _trigger(known: str, said: str) -> frozenset[str]:
    return frozenset(_tokens(known)) & frozenset(_tokens(said))


def quoted_in(text: str) -> Iterator[str]:
    """What stands in brackets or quotes."""
    return (_inside(found) for found in _MARKED.finditer(text))


@lru_cache(maxsize=16_384)
def _mask_slot(question: str, hint: str, said: str) -> str | None:
    marked = _mask_marked(question)
    if marked != question:
        return marked
    pieces = question.split()
    if len(pieces) > LONGEST_FRAME:
        return None
    named = list(_named_in(hint, pieces))
    repeated = frozenset(_tokens(said))
    runs = list(_runs_of_content(pieces, repeated))
    linked = [run for run in runs if _is_linked(pieces, run)]
    # What is left beside repeated words need not be what was asked about, unless a linking word says so.
    alone = runs if runs == list(_runs_of_content(pieces, frozenset())) else []
    chosen = next((choice[0] for choice in (named, alone, linked) if len(choice) == 1), None)
    if chosen is None:
        return None
    masked = _replace(pieces, chosen)
    told = [function_words().kind(token) for token in _tokens(masked)]
    enough = sum(_TELLS.get(kind, 0.0) for kind in told) >= _ENOUGH_TOLD_WITH_HINT if named else _MATTERS & set(told)
    return masked if enough else None


def _replace(pieces: Sequence[str], run: tuple[int, int]) -> str:
    """The words with one run of them masked; punctuation around it stays."""
    first, last = run
    start = _strip_punctuation(pieces[first])
    end = _strip_punctuation(pieces[last - 1])
    before, after = pieces[first].partition(start)[0], pieces[last - 1].rpartition(end)[2]
    return " ".join([*pieces[:first], f"{before}{SLOT}{after}", *pieces[last:]])


def _strip_punctuation(piece: str) -> str:
    outside = "".join({letter for letter in piece if unicodedata.category(letter)[0] in "PS"})
    return piece.strip(outside) or piece


@lru_cache(maxsize=16_384)
def _mask_marked(question: str) -> str:
    """Brackets and quotes with at most a few words in them become slots."""

    def mask(found: re.Match[str]) -> str:
        inside = _tokens(_inside(found))
        return SLOT if 0 < len(inside) <= LONGEST_SLOT else found[0]

    return _MARKED.sub(mask, question)


def _runs_of_content(pieces: Sequence[str], repeated: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Where neighbouring words that are about something stand, as (first, one past the last)."""

    def is_about(place: int) -> bool:
        tokens = _tokens(pieces[place])
        return bool(tokens) and all(_is_content(token) and token not in repeated for token in tokens)

    for about, group in groupby(range(len(pieces)), key=is_about):
        places = list(group)
        if about and len(places) <= LONGEST_SLOT:
            yield places[0], places[-1] + 1


def _named_in(hint: str, pieces: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where words stand that the hint names in quotes and that are about something, each phrase once."""
    words = [_tokens(piece) for piece in pieces]
    for phrase in dict.fromkeys(map(_tokens, quoted_in(hint))):
        if not phrase or not all(_is_content(token) for token in phrase):
            continue
        for first in range(len(words) - len(phrase) + 1):
            if words[first : first + len(phrase)] == [(token,) for token in phrase]:
                yield first, first + len(phrase)
                break


def _inside(found: re.Match[str]) -> str:
    return next(group for group in found.groups() if group is not None)


def _is_linked(pieces: Sequence[str], run: tuple[int, int]) -> bool:
    first, last = run
    before = [token for piece in pieces[:first] for token in _tokens(piece)]
    after = [token for piece in pieces[last:] for token in _tokens(piece)]
    return function_words().links(before, after)


def _is_content(token: str) -> bool:
    return function_words().kind(token) is WordKind.CONTENT


@lru_cache(maxsize=16_384)
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(fold(text).split())
