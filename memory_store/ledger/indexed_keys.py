"""The texts under which entries are found, made of the ledger's entries; the index holds a row for each."""

from dataclasses import dataclass
from enum import StrEnum

from assistant.types import Entry, KeyOrigin
from memory_store.language.word_translation import Readings
from memory_store.ledger.database.schema import PRIVATE, SHARED


class TextRole(StrEnum):
    """What a text is to its entry.

    `question` is what the person asked or wrote as a key, `form` what a rule made of it, `further` a key that a model
    wrote. The other two are no keys: the question with what the person said, and with how it was misunderstood. A
    question that is nearer to the second is probably no case for the entry.
    """

    QUESTION = "question"
    FORM = "form"
    FURTHER = "further"
    WITH_FEEDBACK = "told"
    WITH_MISREADING = "misread"


@dataclass(frozen=True, slots=True)
class IndexedKey:
    """A text of an active entry: as written, folded for comparing spellings, and as it reads in English."""

    key_id: str
    entry_id: str
    owner: str
    text: str
    normalised: str
    english: str
    role: TextRole = TextRole.QUESTION
    scope: str = PRIVATE


_ROLES = {KeyOrigin.MODEL: TextRole.FURTHER, KeyOrigin.RULE: TextRole.FORM}


def indexed_keys(entry: Entry, readings: Readings) -> list[IndexedKey]:
    """The texts of an entry as the index holds them."""
    texts = [
        (str(position), key.text, _ROLES.get(key.origin, TextRole.QUESTION)) for position, key in enumerate(entry.keys)
    ]
    for role, said in ((TextRole.WITH_FEEDBACK, entry.text), (TextRole.WITH_MISREADING, entry.wrong_understanding)):
        if said:
            texts.append((role.value, f"{entry.question}. {said}", role))
    scope = SHARED if entry.shared else PRIVATE
    return [
        IndexedKey(
            f"{entry.id}/{name}", entry.id, entry.owner, text, readings.fold(text), readings.english(text), role, scope
        )
        for name, text, role in texts
    ]
