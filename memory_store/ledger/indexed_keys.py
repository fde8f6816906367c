"""The texts under which entries are found, made of the ledger's entries; the index holds a row for each."""

from enum import StrEnum
from typing import NamedTuple

from assistant.types import Entry, KeyOrigin
from memory_store.language.word_translation import Readings
from memory_store.ledger.database.schema import PRIVATE, SHARED


class TextRole(StrEnum):
    """What a text is to its entry.

    `question` is what the person asked or wrote as a key, `further` a key that a model wrote. The next two are no keys:
    the question with what the person said, and with how it was misunderstood. A question that is nearer to the second
    is probably no case for the entry. `asserted` is what a fact says, which is found by itself: it has neither of those
    two.
    """

    QUESTION = "question"
    FURTHER = "further"
    WITH_FEEDBACK = "told"
    WITH_MISREADING = "misread"
    ASSERTED = "asserted"


class IndexedKey(NamedTuple):
    """A text of an active entry, as written and folded for comparing spellings."""

    key_id: str
    entry_id: str
    owner: str
    text: str
    normalised: str
    role: TextRole = TextRole.QUESTION
    scope: str = PRIVATE


def indexed_keys(entry: Entry, readings: Readings) -> list[IndexedKey]:
    """The texts of an entry as the index holds them; none of one that questions are not to find."""
    if not entry.kind.is_found:
        return []
    texts = [
        (str(position), key.text, TextRole.FURTHER if key.origin is KeyOrigin.MODEL else TextRole.QUESTION)
        for position, key in enumerate(entry.keys)
        if key.origin is not KeyOrigin.RULE
    ]
    if entry.kind.asserts:
        texts = [text for text in texts if text[1] != entry.text]
        texts.append((TextRole.ASSERTED.value, entry.text, TextRole.ASSERTED))
        return [_key(entry, readings, *text) for text in texts]
    for role, said in ((TextRole.WITH_FEEDBACK, entry.text), (TextRole.WITH_MISREADING, entry.wrong_understanding)):
        if said:
            texts.append((role.value, f"{entry.question}. {said}", role))
    return [_key(entry, readings, *text) for text in texts]


def _key(entry: Entry, readings: Readings, name: str, text: str, role: TextRole) -> IndexedKey:
    scope = SHARED if entry.shared else PRIVATE
    key_id = f"{entry.id}/{name}"
    return IndexedKey(key_id, entry.id, entry.owner, text, readings.fold(text), role, scope)
