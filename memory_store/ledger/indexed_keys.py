"""Make the texts by which the index finds entries; it has one row per text."""

from enum import StrEnum
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


def indexed_keys(entry: Entry) -> list[IndexedKey]:
    """Return the texts of an entry for the index; none for entry types that are not retrieved."""
    if not entry.kind.is_found:
        return []
    texts = [
        (str(position), key.text, TextRole.FURTHER if key.origin is KeyOrigin.MODEL else TextRole.QUESTION)
        for position, key in enumerate(entry.keys)
        if key.origin is not KeyOrigin.RULE and not (entry.kind.asserts and key.text == entry.text)
    ]
    if entry.text:
        role = TextRole.ASSERTED if entry.kind.asserts else TextRole.WITH_FEEDBACK
        texts.append((role.value, entry.text if entry.kind.asserts else f"{entry.question}. {entry.text}", role))
    found = []
    for name, text, role in texts:
        key_id, scope = f"{entry.id}/{name}", SHARED if entry.shared else PRIVATE
        found.append(IndexedKey(key_id, entry.id, entry.owner, text, fold_for_comparison(text), role, scope))
    return found


def text_of_key(entry: Entry, key_id: str) -> str:
    """Return the text of an entry that the user or a model wrote under this key id; empty if it has none now."""
    name = key_id.rpartition("/")[2]
    if name.isdecimal():
        return entry.keys[int(name)].text if int(name) < len(entry.keys) else ""
    return entry.text if name == TextRole.ASSERTED else ""
