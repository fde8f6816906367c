"""A change that names only the new value, completed from the fact that was told before it.

my landlord is Mr Okafor    landlord changed, its Mrs Bell now    my landlord is Mrs Bell
main chah pinda             hun coffee pinda                      main coffee pinda
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.feedback.corrections import correction_in, swapped
from assistant.feedback.cues import comparable
from assistant.feedback.telling import change_cues, without_lead_in
from assistant.feedback.values import new_value
from assistant.reasoning.reading import Sentence
from assistant.reasoning.reasoner import Reasoner
from assistant.reasoning.words import OWNS, PERSONS, Word

_ASKING = frozenset({"question", "request"})  # kinds of words


def complete_change(message: str, told: str, reasoner: Reasoner) -> str:
    """Return the fact that a message puts in the place of the one told; nothing where it is not clear which.

    Args:
        message: what was said after the fact.
        told: the fact, in the words in which it was told.
        reasoner: reads both.
    """
    text, said = comparable(message), reasoner.read(without_lead_in(comparable(told)).strip(" .!।"))
    asks = any(str(word.kind) in _ASKING for word in reasoner.languages.words(text))
    if "?" in text or asks or reasoner.read(text).is_question or not reasoner.tells(told) or not said.value:
        return ""
    now, *cues = change_cues()
    is_sure = bool(correction_in(message)) or any(pattern.search(text) for pattern in cues)
    bare = now.sub(" ", text)
    old = " ".join(part.word.written for part in said.value)
    value = new_value(bare, old, told, reasoner.languages) if is_sure or bare != text else ""
    titled = f"{said.value[0].word.written} {value}"  # "Mr Singh" for "Mr Roy"
    value = titled if value and titled in text else value
    new, words = reasoner.words.read(value), reasoner.words.read(bare)
    if swap := swapped(text, told):
        return swap
    if not value or any(word.counts for word in new) is not any(part.word.counts for part in said.value):
        return ""
    first = words[0]
    is_of_it = not (first.roles or first.is_name) and _stands_in(first, said.words)
    if reasoner.tells(bare) and first.written != new[0].written and not is_of_it:
        return ""  # "Dana is in Delhi now" is no change of what Dana likes
    is_shared = any(_stands_in(word, said.words) for word in words if not word.roles)
    speaks = any(word.roles & PERSONS.keys() and "in" not in word.roles for word in words)
    is_near = is_shared or (not speaks and (new[0].is_name or new[0].counts))
    return _with_value(said, value, reasoner) if is_sure or is_near else ""


def _with_value(said: Sentence, value: str, reasoner: Reasoner) -> str:
    """Return a sentence with another value; nothing where that tells nothing."""
    begin, end = said.value[0].at, said.value[-1].at + 1
    before, after = ([word.written for word in words] for words in (said.words[:begin], said.words[end:]))
    fact = " ".join((*before, value, *after)).replace(f" {OWNS}", "'s")
    return fact if reasoner.tells(fact) else ""


def _stands_in(word: Word, words: Sequence[Word]) -> bool:
    return any(
        word.written.casefold() == other.written.casefold() or not word.keys.isdisjoint(other.keys) for other in words
    )
