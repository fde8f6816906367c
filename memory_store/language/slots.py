"""The slot of a question: which of its words it asks about. "what is akin to quick ?" asks about "quick".

People mark that word with brackets or quotes, or what they say to correct the assistant repeats all the rest, or the
assistant names it when it says how it understood them. Where none of this tells, the slot may stay unknown. Pure.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, groupby

from assistant.language.asked_word import EDGES, LONGEST_SLOT, MARKED, marked_words, told_places
from assistant.types import Key, KeyOrigin, Turn
from memory_store.language.function_words import WordKind, folded_words, function_words
from memory_store.language.normalize import SLOT
from memory_store.language.questions import LONGEST_QUESTION, LONGEST_TEXT

# How much a word tells about the way of asking. A frame that tells little ("what is ▢") is none.
_TELLS = {WordKind.NEGATION: 1.0, WordKind.ASKING: 1.0, WordKind.CONTENT: 1.0, WordKind.COMMON: 0.5}
_TELLS |= dict.fromkeys((WordKind.LINK, WordKind.QUESTION, WordKind.REQUEST), 0.3)
_ENOUGH_IF_TOLD, _ENOUGH = 0.5, 0.8
_ARTICLE = ("a",)  # for "the" would fold to "te", which is "on" in Punjabi
_MATTERS = frozenset({WordKind.NEGATION, WordKind.ASKING, WordKind.CONTENT})
_Words = Sequence[tuple[str, ...]]  # the folded words of each written one
_Run = tuple[int, int]  # first written word, one past the last


@lru_cache(maxsize=16_384)
def mask_slot(question: str, hint: str = "", said: str = "") -> str | None:
    """The question with `SLOT` in place of the word it asks about, or None where that word cannot be told.

    The word is: what stands in brackets or quotes; else what the person leaves out who repeats all the rest; else what
    the hint (the understanding that was wrong) names, in quotes or where it is about words; else the only word that is
    not one of asking and that the person does not repeat in what they `said`; else the only such word that a linking
    word marks ("of ▢", "▢ ka").
    """
    if max(map(len, (question, hint, said))) > LONGEST_TEXT:
        return None
    marked = mask_marked(question)
    if marked != question:
        return marked
    pieces = question.split()
    if len(pieces) > LONGEST_QUESTION:
        return None
    words = [folded_words(piece) for piece in pieces]
    told = _left_out(words, said) or _named(words, hint, said)
    plain = [_ARTICLE if piece.lower() == "the" else tokens for piece, tokens in zip(pieces, words, strict=True)]
    chosen = told or _only_content(plain, said)
    if chosen is None:
        return None
    masked = _replaced(pieces, chosen)
    rest = folded_words(masked)
    is_frame = _tells(rest, _ENOUGH_IF_TOLD) if told else any(function_words().kind(word) in _MATTERS for word in rest)
    return masked if is_frame else None


def masked_key(turn: Turn, words: str) -> tuple[Key, ...]:
    """Return the question of a turn without the word that it asks about, as a further key; none where it is unknown."""
    masked = mask_slot(turn.question, turn.reply.understanding, words)
    return (Key(masked, KeyOrigin.RULE),) if masked else ()


def _tells(words: Iterable[str], enough: float = _ENOUGH) -> bool:
    """Return True if these folded words say enough to be a way of asking."""
    return sum(_TELLS.get(function_words().kind(word), 0.0) for word in words) >= enough


@lru_cache(maxsize=16_384)
def mask_marked(question: str) -> str:
    """Brackets and quotes with at most a few words in them become slots."""

    def mask(found: re.Match[str]) -> str:
        return SLOT if 0 < len(folded_words(found[0][1:-1])) <= LONGEST_SLOT else found[0]

    return MARKED.sub(mask, question)


def _left_out(words: _Words, said: str) -> _Run | None:
    """What the person's words leave out of the question, where the rest of it, which they repeat, tells enough."""
    told = told_places(words, folded_words(said))
    return (told.start, told.stop) if told and _tells(chain(*words[: told.start], *words[told.stop :])) else None


def _named(words: _Words, hint: str, said: str) -> _Run | None:
    """The only place that the hint names: in quotes, or else, where it is about words, by any word.

    A word that shapes questions is named as well, unless the person repeats it.
    """
    hinted = folded_words(hint)
    repeated = frozenset(folded_words(said))
    phrases = [folded_words(quoted) for quoted in marked_words(hint)]
    if not phrases and function_words().is_about_words(hinted):
        phrases = [(token,) for token in hinted if _is_content(token)]
    found = set()
    for phrase in phrases:
        if phrase and all(_is_content(token) or token not in repeated for token in phrase):
            named = [(token,) for token in phrase]
            runs = ((first, first + len(phrase)) for first in range(len(words) - len(phrase) + 1))
            found.update([next((run for run in runs if list(words[slice(*run)]) == named), None)])
    found.discard(None)
    return found.pop() if len(found) == 1 else None


def _only_content(words: _Words, said: str) -> _Run | None:
    """The only word that may be asked about, or the only one that a linking word marks."""
    every, unsaid = list(_runs(words, frozenset())), list(_runs(words, frozenset(folded_words(said))))
    # What is left beside repeated words need not be what was asked about, unless a linking word says so.
    sides = ((run, chain(*words[: run[0]]), chain(*words[run[1] :])) for run in unsaid)
    linked = [run for run, before, after in sides if function_words().links([*before], [*after])]
    chosen = unsaid if len(unsaid) == 1 and unsaid == every else linked
    # Of several neighbouring words, any one may be meant.
    return chosen[0] if len(chosen) == 1 and chosen[0][1] - chosen[0][0] == 1 else None


def _runs(words: _Words, repeated: frozenset[str]) -> Iterator[_Run]:
    """Where neighbouring words that are about something stand."""

    def is_about(place: int) -> bool:
        return bool(words[place]) and repeated.isdisjoint(words[place]) and all(map(_is_content, words[place]))

    for about, group in groupby(range(len(words)), key=is_about):
        places = list(group)
        if about and len(places) <= LONGEST_SLOT:
            yield places[0], places[-1] + 1


def _replaced(pieces: Sequence[str], run: _Run) -> str:
    """The words with one run of them masked; the signs around it stay."""
    text = " ".join(pieces[slice(*run)])
    return " ".join([*pieces[: run[0]], text.replace(text.strip(EDGES) or text, SLOT), *pieces[run[1] :]])


def _is_content(token: str) -> bool:
    return function_words().kind(token) is WordKind.CONTENT
