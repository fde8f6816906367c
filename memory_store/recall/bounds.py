"""Where an entry does not count, whatever else speaks for it: outside its reach, or where a person does not want it."""

from __future__ import annotations

from assistant.kinds import Reach
from assistant.types import Entry, KeyOrigin
from memory_store.language.normalize import SLOT
from memory_store.language.templates.same_question import same_question
from memory_store.language.templates.templates import ALIKE
from memory_store.recall.features import kind_similarity

_ITS_QUESTIONS = frozenset({KeyOrigin.QUESTION, KeyOrigin.PERSON})  # a model's paraphrases are other questions


def bounds(question: str, entry: Entry) -> dict[str, float]:
    """`other_question`: it counts for its own question only, and this is another one; `excepted`: the person does not
    want it for questions that are asked like this. Each 0 or 1, and absent where nothing of the kind is set.
    """
    found: dict[str, float] = {}
    if entry.reach is Reach.QUESTION:
        found["other_question"] = float(not _is_its_question(question, entry))
    if entry.not_for:
        found["excepted"] = float(_is_excepted(question, entry))
    return found


def _is_its_question(question: str, entry: Entry) -> bool:
    asked = (key.text for key in entry.keys if key.origin in _ITS_QUESTIONS and SLOT not in key.text)
    return any(same_question(question, known) for known in (entry.question, *asked))


def _is_excepted(question: str, entry: Entry) -> bool:
    """The question that it was given for is so only where the person said that of this very question."""
    is_its_own = same_question(question, entry.question)
    return any(
        same_question(question, other) if is_its_own else kind_similarity(question, other) >= ALIKE
        for other in entry.not_for
    )
