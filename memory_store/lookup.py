"""What a lookup finds, in the index or in the ledger."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.errors import StoreError


class IndexUnavailable(StoreError):
    """The index cannot be searched now. The ledger's keys can: see `LedgerMemory.keys`."""

    sentence = "The index is not ready. Nothing is lost; searching by wording still works."


@dataclass(frozen=True, slots=True)
class IndexedKey:
    """A key of an active entry: its text as written and folded for comparison."""

    key_id: str
    entry_id: str
    owner: str
    text: str
    normalised: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A key that a search found.

    `score` is the cosine clamped to [0, 1] for a search by meaning, and BM25 (0 and up) for one by wording.
    """

    key_id: str
    entry_id: str
    owner: str
    text: str
    normalised: str
    score: float
