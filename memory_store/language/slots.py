"""Mask the word that a question asks about: "what is akin to quick ?" asks about "quick". Pure.

People mark that word with brackets or quotes, or what they say to correct the assistant repeats all the rest, or the
wrong understanding names it in quotes, or it is the only word of content, or a link word marks it. Else it is unknown.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from assistant.language.asked_word import EDGES, LONGEST_SLOT, MARKED, marked_words, told_places
from assistant.types import Key, KeyOrigin, Turn
from memory_store.language.function_words import WordKind, folded_words, function_words
from memory_store.language.normalize import SLOT
from memory_store.language.questions import LONGEST_QUESTION, LONGEST_TEXT

_MATTERS = frozenset({WordKind.NEGATION, WordKind.ASKING, WordKind.CONTENT})
_Words = Sequence[tuple[str, ...]]  # the folded words of each written one


@lru_cache(maxsize=16_384)
def mask_slot(question: str, hint: str = "", said: str = "") -> str | None:
    """Return the question with `SLOT` in place of the word it asks about, or None where that word cannot be told.

    `hint` is the understanding that was wrong, `said` the words of the correction.
    """
    pieces = question.split()
    if max(map(len, (question, hint, said))) > LONGEST_TEXT or len(pieces) > LONGEST_QUESTION:
        return None
    if (marked := MARKED.sub(_masked_mark, question)) != question:
        return marked
    words = [folded_words(piece) for piece in pieces]
    told = told_places(words, folded_words(said)) or _quoted(words, hint)
    place = told or _only_content(words, hint, said)
    kinds = {function_words().kind(word) for at, row in enumerate(words) if at not in place for word in row}
    if not place or kinds.isdisjoint(_MATTERS | ({WordKind.LINK, WordKind.COMMON} if told else set())):
        return None
    text = " ".join(pieces[place.start : place.stop])
    masked = text.replace(text.strip(EDGES) or text, SLOT)  # the signs around it stay
    return " ".join([*pieces[: place.start], masked, *pieces[place.stop :]])


def masked_key(turn: Turn, words: str) -> tuple[Key, ...]:
    """Return the question of a turn without the word that it asks about, as a further key; none where it is unknown."""
    masked = mask_slot(turn.question, turn.reply.understanding, words)
    return (Key(masked, KeyOrigin.RULE),) if masked else ()


def _masked_mark(found: re.Match[str]) -> str:
    return SLOT if 0 < len(folded_words(found[0][1:-1])) <= LONGEST_SLOT else found[0]


def _quoted(words: _Words, hint: str) -> range:
    """Return the only place of the question that a hint names in quotes; empty where there is none, or are several."""
    phrases = [[(token,) for token in folded_words(quoted)] for quoted in marked_words(hint)]
    runs = (range(at, at + len(phrase)) for phrase in phrases if phrase for at in range(len(words)))
    found = {run for run in runs if [*words[run.start : run.stop]] in phrases}
    return found.pop() if len(found) == 1 else range(0)


def _only_content(words: _Words, hint: str, said: str) -> range:
    """Return the place of the only word of content that the correction does not repeat.

    Where what is wanted of a word is said, one of several that a link ties to the rest: "▢ ka …", "… of ▢".
    """
    kinds = [{function_words().kind(word) for word in row} for row in words]
    repeated = frozenset(folded_words(said))
    content = [at for at, some in enumerate(kinds) if WordKind.CONTENT in some]
    if len(content) > 1 and function_words().is_about_words((*folded_words(hint), *repeated)):
        starts = content[0] == 0 and WordKind.LINK in kinds[1]
        ends = WordKind.LINK in kinds[content[-1] - 1] and not any(kinds[content[-1] + 1 :])
        content = content[:1] if starts else content[-1:] if ends else []
    if len(content) != 1 or not repeated.isdisjoint(words[content[0]]):
        return range(0)
    return range(content[0], content[0] + 1)
