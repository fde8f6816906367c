"""Ways of asking, as who proposes or shows a reach needs them: which are alike, which common, what they share."""

import re

from assistant.language.asked_word import EDGES
from memory_store.language.function_words import (
    WordKind,
    folded_words,
    function_words,
    repeated_words,
    written_words,
)
from memory_store.language.questions import LONGEST_TEXT, has_alike, same_way

_MARKED = frozenset({WordKind.NEGATION, WordKind.ASKING, WordKind.CONTENT, WordKind.COMMON})
_ALIKE = 0.9  # from which two questions are asked in the same way


class WordedWays:
    """Implements `WaysOfAsking` and the `Wording` of the page by the wording of questions."""

    def alike(self, question: str, other: str) -> bool:
        return same_way(question, other) >= _ALIKE

    def is_about_words(self, text: str) -> bool:
        return function_words().is_about_words(folded_words(text))

    def is_common(self, question: str) -> bool:
        return not (function_words().plain_tasks - function_words().a_word).isdisjoint(folded_words(question))

    def repeats(self, question: str, said: str) -> bool:
        return not repeated_words(question, said) <= function_words().times

    def begins_with(self, question: str, said: str) -> bool:
        first = next((word for word in written_words(said) if word.kind is WordKind.CONTENT), None)
        about = (word for word in written_words(question) if word.kind is WordKind.CONTENT)
        return first is not None and not function_words().is_time(first.folded) and has_alike(about, first)

    def shared(self, question: str, key: str) -> list[str]:
        """Return the question in pieces, every second of which is a word that it shares with a key, however spelled."""
        known = written_words(key) if max(len(question), len(key)) <= LONGEST_TEXT else ()
        pieces, end = list[str](), 0
        for found in re.finditer(r"\S+", question):
            words, written = written_words(found[0]), found[0].strip(EDGES)
            if any(word.kind in _MARKED for word in words) and all(has_alike(known, word) for word in words):
                start = question.index(written, found.start())
                pieces += [question[end:start], written]
                end = start + len(written)
        return [*pieces, question[end:]]
