"""Make the texts by which the index finds entries; it has one row per text."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from assistant.types import Entry, KeyOrigin
from memory_store.language.word_translation import Readings
from memory_store.ledger.database.schema import PRIVATE, SHARED


class TextRole(StrEnum):
    """Role of a text in its entry."""

    QUESTION = "question"  # a key that the user asked or wrote
    FURTHER = "further"  # a key that a model wrote
    WITH_FEEDBACK = "told"  # the question with the feedback
    ASSERTED = "asserted"  # the text of a fact


class IndexedKey(NamedTuple):
    """A text of an active entry, as written and folded (spellings and scripts normalised)."""

    key_id: str
    entry_id: str
    owner: str
    text: str
    normalised: str
    role: TextRole = TextRole.QUESTION
    scope: str = PRIVATE


def indexed_keys(entry: Entry, readings: Readings, folded: Mapping[str, str] | None = None) -> list[IndexedKey]:
    """Return the texts of an entry for the index; none for entry types that are not retrieved.

    `folded` caches folded texts by key id.
    """
    if not entry.kind.is_found:
        return []
    roles = {KeyOrigin.MODEL: TextRole.FURTHER, KeyOrigin.RULE: None}
    texts = [(str(place), key.text, roles.get(key.origin, TextRole.QUESTION)) for place, key in enumerate(entry.keys)]
    if entry.kind.asserts:
        texts = [text for text in texts if text[1] != entry.text]
        texts.append((TextRole.ASSERTED.value, entry.text, TextRole.ASSERTED))
    elif entry.text:
        texts.append((TextRole.WITH_FEEDBACK.value, f"{entry.question}. {entry.text}", TextRole.WITH_FEEDBACK))
    scope, found = SHARED if entry.shared else PRIVATE, []
    for name, text, role in texts:
        if role is not None:
            key_id = f"{entry.id}/{name}"
            normalised = (folded or {}).get(key_id) or readings.fold(text)
            found.append(IndexedKey(key_id, entry.id, entry.owner, text, normalised, role, scope))
    return found
