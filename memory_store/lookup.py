"""The texts under which entries are found, as index and ledger hand them out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from assistant.errors import StoreError
from assistant.types import Entry, KeyOrigin


class IndexUnavailable(StoreError):
    """The index cannot be searched now. The ledger's keys can: see `LedgerMemory.keys`."""

    sentence = "The index is not ready. Nothing is lost; searching by wording still works."


class Role(StrEnum):
    """What a text is to its entry.

    `question` is what the person asked or wrote as a key, `form` what a rule made of it, `further` a key that a model
    wrote. The other two are no keys: the question together with what the person said (`told`), and together with how
    it was misunderstood (`misread`). A question that is nearer to the second is probably no case for the entry.
    """

    QUESTION = "question"
    FORM = "form"
    FURTHER = "further"
    TOLD = "told"
    MISREAD = "misread"


@dataclass(frozen=True, slots=True)
class IndexedKey:
    """A text of an active entry: as written, folded for comparing spellings, and as it reads in English."""

    key_id: str
    entry_id: str
    owner: str
    text: str
    normalised: str
    english: str
    role: Role = Role.QUESTION


@dataclass(frozen=True, slots=True)
class Readings:
    """How texts are made comparable.

    Args:
        fold: text to the form in which spellings and scripts compare.
        english: text to what it says in English, word by word.
    """

    fold: Callable[[str], str]
    english: Callable[[str], str]


def indexed_keys(entry: Entry, readings: Readings) -> list[IndexedKey]:
    """The texts of an entry as the index holds them."""
    texts = [(str(position), key.text, _role(key.origin)) for position, key in enumerate(entry.keys)]
    for role, said in ((Role.TOLD, entry.text), (Role.MISREAD, entry.wrong_understanding)):
        if said:
            texts.append((role.value, f"{entry.question}. {said}", role))
    return [
        IndexedKey(f"{entry.id}/{name}", entry.id, entry.owner, text, readings.fold(text), readings.english(text), role)
        for name, text, role in texts
    ]


_ROLES = {KeyOrigin.MODEL: Role.FURTHER, KeyOrigin.RULE: Role.FORM}


def _role(origin: KeyOrigin) -> Role:
    return _ROLES.get(origin, Role.QUESTION)
