"""Ways of asking, as whoever proposes a reach needs them: which are alike, which are common, what a person explains."""

from itertools import groupby

from assistant.language.asked_word import LONGEST_SLOT
from memory_store.language.function_words import (
    TextWord,
    WordKind,
    folded_words,
    function_words,
    repeated_words,
    written_words,
)
from memory_store.language.templates.alignment import A_WORD
from memory_store.language.templates.same_question import alike
from memory_store.language.templates.templates import match_frame

_ALIKE = 0.9  # of frame and filler, from which two questions are asked in the same way


class WordedWays:
    """Implements `WaysOfAsking` by the wording of questions."""

    def alike(self, question: str, other: str) -> bool:
        match = match_frame(question, other, other)
        return match.similarity * match.filler >= _ALIKE

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
        about = (word for word in written_words(said) if word.kind is WordKind.CONTENT)
        first = next(about, None)
        return first is not None and not function_words().is_time(first.folded) and _stands_in(first, question)


def _stands_in(word: TextWord, question: str) -> bool:
    return any(alike(word, other) for other in written_words(question) if other.kind is WordKind.CONTENT)
