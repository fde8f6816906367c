"""Keys that need no model: the question without the word it asks about, and the phrase that was cleared up. Pure.

The phrase is what the person quotes from the question when they correct (`by "lit" I mean …`), or the one run of words
with something to say that both plainly share ("lit se mera matlab …"). What the question only asks about is none, so
it is looked for when that word is known, or when the answer with the clarification does not name it either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.types import Key, KeyOrigin, Turn
from memory_store.function_words import WordKind, function_words
from memory_store.slots import mask_slot, quoted_in
from memory_store.surface import SLOT, fold

_LONGEST_PHRASE = 4  # words
_LONGEST_TEXT = 500  # characters


def rule_keys(turn: Turn, words: str) -> tuple[Key, ...]:
    """The keys for a clarification, beside the question.

    Args:
        turn: the question and how it was understood: wrongly, or with the clarification (`turn.clarified_with`).
        words: what the person said about it.
    """
    masked = mask_slot(turn.question, turn.reply.understanding, words)
    phrase = cleared_up(masked or turn.question, words) if masked or turn.clarified_with else None
    return tuple(Key(text, KeyOrigin.RULE) for text in (masked, phrase) if text)


def cleared_up(question: str, words: str) -> str | None:
    """The phrase of the question that the person's words are about, as the question has it; None where it is not plain.

    Args:
        question: the question, with `SLOT` for the word it asks about where that is known.
        words: what the person said about it.
    """
    if max(len(question), len(words)) > _LONGEST_TEXT:
        return None
    pieces = question.split()
    tokens = [fold(piece) for piece in pieces]
    quoted = {fold(text) for text in quoted_in(words)}
    found = [run for run in _runs(tokens) if _text(tokens, run) in quoted and _says_something(tokens, run)]
    found = found or list(_shared(tokens, fold(words).split()))
    phrases = {_text(tokens, run): run for run in found}
    if len(phrases) != 1:
        return None
    ((folded, (first, last)),) = phrases.items()
    return None if folded == fold(question) else " ".join(pieces[first:last]).strip("\"'“”‘’<>«»`?!.,;:। ")


def _shared(tokens: Sequence[str], said: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The longest runs of the question that the person's words repeat."""
    text = f" {' '.join(said)} "
    runs = [run for run in _runs(tokens) if f" {_text(tokens, run)} " in text and _says_something(tokens, run)]
    for run in runs:
        if not any(other[0] <= run[0] and run[1] <= other[1] for other in runs if other != run):
            yield run


def _runs(tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Neighbouring words of the question, without the slot, as (first, one past the last)."""
    for first in range(len(tokens)):
        for last in range(first + 1, min(first + _LONGEST_PHRASE, len(tokens)) + 1):
            if not tokens[last - 1] or SLOT in tokens[last - 1]:
                break
            yield first, last


def _text(tokens: Sequence[str], run: tuple[int, int]) -> str:
    return " ".join(tokens[run[0] : run[1]])


def _says_something(tokens: Sequence[str], run: tuple[int, int]) -> bool:
    """Whether the words begin and end with one that is about something: "lit", "set on fire", not "the" or "of it"."""
    words = _text(tokens, run).split()
    return all(function_words().kind(word) is WordKind.CONTENT for word in (words[0], words[-1]))
