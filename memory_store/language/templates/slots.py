"""The slot of a question: which of its words it asks about. "what is akin to quick ?" asks about "quick".

People mark that word with brackets or quotes, or the assistant names it when it says how it understood them, or what
they say to correct it repeats all the rest. Where none of this tells, the slot stays unknown. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby

from assistant.retelling import retelling
from memory_store.alignment import LONGEST_FRAME, LONGEST_SLOT
from memory_store.fillers import is_only_english
from memory_store.function_words import WordKind, folded_words, function_words
from memory_store.surface import SLOT, fold

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
_ENOUGH_IF_TOLD = 0.5
_ENOUGH = 0.8
_FEWEST_REPEATED = 2  # words
_Run = tuple[int, int]  # first word, one past the last


def mask_slot(question: str, hint: str = "", said: str = "") -> str | None:
    """The question with `SLOT` in place of the word it asks about, or None where that word cannot be told.

    The word is: what stands in brackets or quotes; else the one place that the person leaves out who repeats the
    question when they correct it; else what the hint also names, in quotes or where it is about words; else what is
    left of the question beside all the words that the person has too; else the only word that is not one of asking;
    else the only such word that a linking word marks ("of ▢", "▢ ka"). A word that the person repeats ("by kal I mean
    tomorrow") is what was misunderstood, not what was asked about, unless the hint names it.

    Args:
        question: a question as a person wrote it.
        hint: the understanding that was wrong; it often names the word in quotes.
        said: what the person said to correct it.
    """
    if len(question) > _LONGEST_TEXT or len(hint) > _LONGEST_TEXT or len(said) > _LONGEST_TEXT:
        return None
    return _mask_slot(question, hint, said)


def quoted_in(text: str) -> Iterator[str]:
    """What stands in brackets or quotes."""
    return (_inside(found) for found in _MARKED.finditer(text))


def tells(words: Iterable[str], enough: float = _ENOUGH) -> bool:
    """Whether these folded words say enough to be a way of asking."""
    return sum(_TELLS.get(function_words().kind(word), 0.0) for word in words) >= enough


@lru_cache(maxsize=16_384)
def is_told(question: str, said: str) -> bool:
    """Whether the person says which word the question asks about, so that it need not be guessed.

    What the hint says may be as wrong as the understanding that it is.
    """
    return (
        mask_marked(question) != question
        or _left_by_retelling(question, said) is not None
        or (_left_over(question.split(), said) is not None)
    )


@lru_cache(maxsize=16_384)
def _mask_slot(question: str, hint: str, said: str) -> str | None:
    marked = mask_marked(question)
    if marked != question:
        return marked
    pieces = question.split()
    if len(pieces) > LONGEST_FRAME:
        return None
    told = _told_slot(question, hint, said)
    chosen = told or _plain_slot(pieces, said)
    if chosen is None:
        return None
    masked = _replace(pieces, chosen)
    words = folded_words(masked)
    return masked if (tells(words, _ENOUGH_IF_TOLD) if told else _is_about_something(words)) else None


def _is_about_something(words: Sequence[str]) -> bool:
    return any(function_words().kind(word) in _MATTERS for word in words) or function_words().names_somebody(words)


@lru_cache(maxsize=16_384)
def _told_slot(question: str, hint: str, said: str) -> _Run | None:
    """What is known to be asked about: the person repeats the rest as it stands, or the hint names it, or the person
    has all the rest in some order.
    """
    if (left := _left_by_retelling(question, said)) is not None:
        return left
    pieces = question.split()
    named = list(_named_in(hint, pieces, said))
    return named[0] if len(named) == 1 else _left_over(pieces, said)


def _plain_slot(pieces: Sequence[str], said: str) -> _Run | None:
    """The only word that may be asked about, or the only one that a linking word marks."""
    repeated = frozenset(folded_words(said))
    runs = list(_runs_of_content(pieces, repeated))
    if function_words().is_about_words(folded_words(said)) and (only := _only_english(pieces, runs)):
        return only
    # What is left beside repeated words need not be what was asked about, unless a linking word says so.
    is_alone = len(runs) == 1 and runs == list(_runs_of_content(pieces, frozenset()))
    chosen = runs if is_alone else [run for run in runs if _is_linked(pieces, run)]
    # Of several neighbouring words, any one may be meant.
    return chosen[0] if len(chosen) == 1 and chosen[0][1] - chosen[0][0] == 1 else None


def _only_english(pieces: Sequence[str], runs: Iterable[_Run]) -> _Run | None:
    """The only English word of a question in Hindi or Punjabi: likelier to be asked about than a marked one."""
    words = [_strip_punctuation(piece) for piece in pieces]
    alone = [(first, last) for first, last in runs if last - first == 1]
    return next((run for run in alone if is_only_english(words[slice(*run)], _around(words, run))), None)


def _around(words: Sequence[str], run: _Run) -> Sequence[str]:
    first, last = run
    return [*words[:first], *words[last:]]


@lru_cache(maxsize=16_384)
def _left_by_retelling(question: str, said: str) -> _Run | None:
    """The one place that the person leaves out where they repeat the rest as it stands."""
    folded = [(place, word) for place, piece in enumerate(question.split()) if (word := fold(piece))]
    places, words = [place for place, _ in folded], tuple(word for _, word in folded)
    words_said = folded_words(said)
    repeated = retelling(words, words_said)
    if repeated is None or repeated.left_out[0] == repeated.left_out[1]:
        return None
    first, last = repeated.left_out
    rest = (*words[:first], *words[last:])
    if not tells(token for word in rest for token in word.split()):
        return None
    unsaid = set(rest).difference(words_said[slice(*repeated.told)])
    if _has_content(unsaid) and not _has_content(words[first:last]):
        return None  # "quick jaisa koi shabd", put right by "sunne mein is jaisa shabd", does not ask about "koi"
    return places[first], places[last - 1] + 1


def _has_content(words: Iterable[str]) -> bool:
    return any(function_words().kind(token) is WordKind.CONTENT for word in words for token in word.split())


def _left_over(pieces: Sequence[str], said: str) -> _Run | None:
    """The one place of the question that the person's words leave out, where they repeat all else."""
    repeated = frozenset(folded_words(said))
    words = [folded_words(piece) for piece in pieces]
    shared = [place for place, tokens in enumerate(words) if tokens and repeated.issuperset(tokens)]
    left = [place for place, tokens in enumerate(words) if tokens and not repeated.issuperset(tokens)]
    is_one_place = bool(left) and left[-1] - left[0] < min(LONGEST_SLOT, len(left))
    repeats_enough = len(shared) >= _FEWEST_REPEATED and tells(token for place in shared for token in words[place])
    if not is_one_place or not repeats_enough:
        return None
    return left[0], left[-1] + 1


def _replace(pieces: Sequence[str], run: _Run) -> str:
    """The words with one run of them masked; punctuation around it stays."""
    first, last = run
    start = _strip_punctuation(pieces[first])
    end = _strip_punctuation(pieces[last - 1])
    before, after = pieces[first].partition(start)[0], pieces[last - 1].rpartition(end)[2]
    return " ".join([*pieces[:first], f"{before}{SLOT}{after}", *pieces[last:]])


@lru_cache(maxsize=16_384)
def written_forms(question: str) -> Mapping[str, str]:
    """The folded words of a question, each with how the person wrote it; the first with a small letter, for its large
    one says nothing.
    """
    pieces = question.split()
    if pieces and pieces[0].istitle():
        pieces[0] = pieces[0].lower()
    return {token: _strip_punctuation(piece) for piece in pieces for token in folded_words(piece)}


def _strip_punctuation(piece: str) -> str:
    outside = "".join({letter for letter in piece if unicodedata.category(letter)[0] in "PS"})
    return piece.strip(outside) or piece


@lru_cache(maxsize=16_384)
def mask_marked(question: str) -> str:
    """Brackets and quotes with at most a few words in them become slots."""

    def mask(found: re.Match[str]) -> str:
        inside = folded_words(_inside(found))
        return SLOT if 0 < len(inside) <= LONGEST_SLOT else found[0]

    return _MARKED.sub(mask, question)


def _runs_of_content(pieces: Sequence[str], repeated: frozenset[str]) -> Iterator[_Run]:
    """Where neighbouring words that are about something stand, as (first, one past the last)."""

    def is_about(place: int) -> bool:
        tokens = folded_words(pieces[place])
        return bool(tokens) and repeated.isdisjoint(tokens) and all(map(_is_content, tokens))

    for about, group in groupby(range(len(pieces)), key=is_about):
        places = list(group)
        if about and len(places) <= LONGEST_SLOT:
            yield places[0], places[-1] + 1


def _named_in(hint: str, pieces: Sequence[str], said: str) -> Iterator[_Run]:
    """Where words stand that the hint names, each phrase once: those in quotes, or else, where it is about words, any.

    A word that shapes questions is named as well, unless the person repeats it.
    """
    words = [folded_words(piece) for piece in pieces]
    repeated = frozenset(folded_words(said))
    hinted = folded_words(hint)
    phrases = [folded_words(text) for text in quoted_in(hint)]
    if not phrases and function_words().is_about_words(hinted):
        phrases = [(token,) for token in hinted if _is_content(token)]
        repeated |= set(hinted)
    for phrase in dict.fromkeys(phrases):
        if not phrase or not all(_is_content(token) or token not in repeated for token in phrase):
            continue
        named = [(token,) for token in phrase]
        for first in range(len(words) - len(phrase) + 1):
            if words[first : first + len(phrase)] == named:
                yield first, first + len(phrase)
                break


def _inside(found: re.Match[str]) -> str:
    return next(group for group in found.groups() if group is not None)


def _is_linked(pieces: Sequence[str], run: _Run) -> bool:
    first, last = run
    before = [token for piece in pieces[:first] for token in folded_words(piece)]
    after = [token for piece in pieces[last:] for token in folded_words(piece)]
    return function_words().links(before, after)


def _is_content(token: str) -> bool:
    return function_words().kind(token) is WordKind.CONTENT
