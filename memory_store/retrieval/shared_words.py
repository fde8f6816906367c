"""Find the words that a question shares with the text by which an entry was found."""

import re

from assistant.language.asked_word import EDGES
from memory_store.language.function_words import WordKind, fold_words, split_words
from memory_store.language.word_translation import fold_for_comparison

_PIECE = re.compile(r"\S+")
_LONGEST = 2_000  # characters


def shared_words(question: str, found_by: str) -> list[tuple[int, int]]:
    """Return the character ranges of words of a question that another text has too, in any spelling or script.

    If they share a content word, only content words are returned: "bank" of "which bank".
    """
    known = _forms(found_by[:_LONGEST])
    shared: list[tuple[int, int, bool]] = []
    for piece in _PIECE.finditer(question[:_LONGEST]):
        if _forms(piece[0]) & known:
            start = piece.start() + len(piece[0]) - len(piece[0].lstrip(EDGES))
            is_content = any(word.kind is WordKind.CONTENT for word in split_words(piece[0]))
            shared.append((start, start + len(piece[0].strip(EDGES)), is_content))
    has_content = any(is_content for *_, is_content in shared)
    return [(start, end) for start, end, is_content in shared if is_content or not has_content]


def _forms(text: str) -> frozenset[str]:
    return frozenset(fold_words(text)) | frozenset(fold_for_comparison(text).split())
