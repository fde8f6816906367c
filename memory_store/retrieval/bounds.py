"""Where an entry does not count, whatever else speaks for it: outside its reach, or where a person does not want it."""

from assistant.kinds import Reach
from assistant.types import Entry, KeyOrigin
from memory_store.language.function_words import explained_words, folded_words
from memory_store.language.normalize import SLOT
from memory_store.language.questions import same_question, same_way

_ALIKE = 0.6  # from which a question is asked like one that an entry is not wanted for
_ITS_QUESTIONS = frozenset({KeyOrigin.QUESTION, KeyOrigin.PERSON})  # a model's paraphrases are other questions


def bounds(question: str, entry: Entry) -> dict[str, float]:
    """What bounds a note, each 0 or 1: `its_question`, this is the question that it was given for; `other_question`, it
    counts for that only, and this is another one; `excepted`, the person does not want it for questions asked like
    this; `its_word`, this one holds the word of the person's own that it says the meaning of.
    """
    if not entry.kind.is_note:
        return {}
    is_its_own = _is_its_question(question, entry)
    elsewhere = entry.reach is Reach.QUESTION and not is_its_own
    excepted = bool(entry.not_for) and _is_excepted(question, entry)
    found = {"its_question": is_its_own, "other_question": elsewhere, "excepted": excepted}
    found["its_word"] = entry.reach is Reach.WAY and not entry.kind.asserts and _holds_its_word(question, entry)
    return {name: float(holds) for name, holds in found.items() if holds}


def _is_its_question(question: str, entry: Entry) -> bool:
    asked = (key.text for key in entry.keys if key.origin in _ITS_QUESTIONS and SLOT not in key.text)
    return any(same_question(question, known) for known in (entry.question, *asked))


def _holds_its_word(question: str, entry: Entry) -> bool:
    explained = explained_words(entry.question, entry.text)
    return bool(explained) and explained <= frozenset(folded_words(question))


def _is_excepted(question: str, entry: Entry) -> bool:
    """The question that it was given for is so only where the person said that of this very question."""
    is_its_own = same_question(question, entry.question)
    return any(
        same_question(question, other) if is_its_own else same_way(question, other) >= _ALIKE for other in entry.not_for
    )
