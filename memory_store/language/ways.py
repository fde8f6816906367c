"""Ways of asking, as who proposes or shows a reach needs them: which are alike, which common, what they share."""

import re
from itertools import groupby

from assistant.language.asked_word import EDGES, LONGEST_SLOT
from memory_store.language.function_words import (
    TextWord,
    WordKind,
    folded_words,
    function_words,
    repeated_words,
    written_words,
)
from memory_store.language.questions import A_WORD, LONGEST_TEXT, asked_about, has_alike, same_way

_MARKED = frozenset({WordKind.NEGATION, WordKind.ASKING, WordKind.CONTENT, WordKind.COMMON})
_ALIKE = 0.9  # from which two questions are asked in the same way


class WordedWays:
    """Implements `WaysOfAsking` and the `Wording` of the page by the wording of questions."""

    def alike(self, question: str, other: str) -> bool:
        return same_way(question, other) >= _ALIKE

    def is_about_words(self, text: str) -> bool:
        return function_words().is_about_words(folded_words(text))

    def is_common(self, question: str) -> bool:
        words = written_words(question)
        named = [word for word in words if function_words().names_task(word.folded)]
        # Where nothing is named, "where does x begin" has a way of asking of its own: only the word may tell then.
        telling = [word for word in words if word not in named and not (named and function_words().counts(word.folded))]
        # "the letters of x backwards" says what is wanted; "a word akin to x" does not.
        says_what = any(A_WORD not in word.groups for word in named)
        if not says_what and any(word.kind in {WordKind.ASKING, WordKind.NEGATION} for word in telling):
            return False
        runs = groupby(telling, key=lambda word: word.kind is WordKind.CONTENT and not word.written.isdecimal())
        asked_about = [len(list(run)) for is_about, run in runs if is_about]
        return len(asked_about) <= 1 and sum(asked_about) <= (LONGEST_SLOT if named else 1)

    def repeats(self, question: str, said: str) -> bool:
        return any(not function_words().is_time(word) for word in repeated_words(question, said))

    def begins_with(self, question: str, said: str) -> bool:
        first = next((word for word in written_words(said) if word.kind is WordKind.CONTENT), None)
        about = (word for word in written_words(question) if word.kind is WordKind.CONTENT)
        return first is not None and not function_words().is_time(first.folded) and has_alike(about, first)

    def shared(self, question: str, key: str) -> list[str]:
        """Return the question in pieces, every second of which it shares with the key by which something was found.

        In any spelling or script; such a piece begins with a word that matters. One piece where nothing is shared.
        """
        known = written_words(key) if max(len(question), len(key)) <= LONGEST_TEXT else ()
        pieces, end = [""], 0
        for is_shared, run in groupby(re.finditer(r"\S+", question), key=lambda piece: _is_one_of(piece[0], known)):
            telling = [*run]
            while telling and not any(word.kind in _MARKED for word in written_words(telling[0][0])):
                telling.pop(0)
            if not is_shared or not telling:
                continue
            written = question[telling[0].start() : telling[-1].end()]
            start = telling[0].start() + len(written) - len(written.lstrip(EDGES))
            last = telling[-1].end() - len(written) + len(written.rstrip(EDGES))
            pieces[-1] += question[end:start]
            pieces += [question[start:last], ""]
            end = last
        return [*pieces[:-1], pieces[-1] + question[end:]]

    def asked_word(self, question: str, key: str) -> str:
        """Return what a question has in the place where a masked key has its slot; empty where that is unknown."""
        return asked_about(question, key)


def _is_one_of(piece: str, known: tuple[TextWord, ...]) -> bool:
    words = written_words(piece)
    return bool(words) and all(has_alike(known, word) for word in words)
