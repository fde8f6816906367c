"""Make the texts by which the index finds entries; it has one row per text."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from assistant.types import Entry, KeyOrigin
from memory_store.language.word_translation import fold_for_comparison
from memory_store.ledger.database.schema import PRIVATE, SHARED


class TextRole(StrEnum):
    """Role of a text in its entry.

    `question` is a key that the user asked or wrote, `further` a key that a model wrote. `told` is the question with
    the feedback. `asserted` is the text of a fact.
    """

    QUESTION = "question"
    FURTHER = "further"
    WITH_FEEDBACK = "told"
    ASSERTED = "asserted"


class IndexedKey(NamedTuple):
    """A text of an active entry, as written and folded (spellings and scripts normalised)."""

    key_id: str
    entry_id: str
    owner: str
    text: str
    words: str
    role: TextRole = TextRole.QUESTION
    scope: str = PRIVATE


NOTHING_FOLDED: Mapping[str, str] = MappingProxyType({})


def indexed_keys(entry: Entry, folded: Mapping[str, str] = NOTHING_FOLDED) -> list[IndexedKey]:
    """Return the texts of an entry for the index; none for entry types that are not retrieved.

    `folded` caches folded texts by key id.
    """
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
    elif entry.text:
        texts.append((TextRole.WITH_FEEDBACK.value, f"{entry.question}. {entry.text}", TextRole.WITH_FEEDBACK))
    scope, ids = SHARED if entry.shared else PRIVATE, [f"{entry.id}/{name}" for name, _, _ in texts]
    return [
        IndexedKey(key_id, entry.id, entry.owner, text, folded.get(key_id) or fold_for_comparison(text), role, scope)
        for key_id, (_, text, role) in zip(ids, texts, strict=True)
    ]
