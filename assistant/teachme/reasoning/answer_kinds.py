"""Whether a word is of the kind that a question asks for, as far as the lexicon knows: a rose is a flower."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.language.lexicon import lexicon
from assistant.teachme.reasoning.sentence import Thing
from assistant.teachme.reasoning.words import english_forms

UNRELATED = 3
"""From this on an answer is none."""
_MOST = 6  # steps from a word to more general ones


def unlikeness(kinds: Sequence[Thing], word: str, *, is_kind: bool) -> int:
    """How unlikely a word is of these kinds: 0 where it is, or none are asked for, 1 for a property, 2 for any other.

    A word that the lexicon knows and has as something else is no answer where it says what a thing is.
    """
    if not kinds:
        return 0
    wanted = {key for kind in kinds for key in (*kind.keys, *kind.glosses)}
    forms = [record for form in english_forms(word.lower()) if (record := lexicon().find(form))]
    for record in forms:
        general = record
        for _ in range(_MOST):
            if general.text in wanted:
                return 0
            above = lexicon().find(general.general) if general.general else None
            if above is None:
                break
            general = above
    if any(record.parts[:1] == "a" for record in forms):
        return 1
    return UNRELATED if is_kind and forms else 2
