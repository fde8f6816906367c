"""Recall: from a question to the entries that it may need. Ω of MemPrompt (section 3.2). Leans to finding too much.

Three channels find keys: meaning (vectors), wording (full text), surface form (every key, by spelling and by frame).
The keys are joined to their entries, each under its nearest key, and get their features (`memory_store.features`). A
channel that is down is left out; the others still find.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from assistant.errors import NotedError
from assistant.types import Candidate, Entry, Key, KeyOrigin, Scope, Status
from memory_store.features import compare, history, likeness
from memory_store.frames import mask_slot
from memory_store.lookup import Hit, IndexedKey, IndexUnavailable
from memory_store.surface import fold

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from assistant.ports import Embedder

LONGEST_QUESTION = 2_000  # characters that are searched with; what follows says little about the question
MOST_CANDIDATES = 24
_KEYS_PER_CHANNEL = 32

_log = logging.getLogger(__name__)


class Index(Protocol):
    """Finds keys. Each method raises IndexUnavailable when it cannot."""

    def nearest(self, vector: NDArray[numpy.float32], scope: Scope, limit: int) -> Sequence[Hit]:
        """The keys nearest in meaning; score is the cosine."""

    def matching(self, text: str, scope: Scope, limit: int) -> Sequence[Hit]:
        """The keys that share words with the folded text; score is BM25."""

    def keys(self, scope: Scope) -> Sequence[IndexedKey]:
        """Every active key that the person may read."""


class Entries(Protocol):
    """The ledger, as far as recall reads it."""

    def entries_by_id(self, ids: Iterable[str], scope: Scope) -> Mapping[str, Entry]:
        """Entries by id; those that the person may not read are missing."""

    def keys(self, scope: Scope) -> Sequence[IndexedKey]:
        """Every active key that the person may read, without the index."""

    def is_empty(self, scope: Scope) -> bool:
        """Whether there is nothing that the person may read."""


@dataclass(frozen=True, slots=True)
class HybridRecall:
    """Implements the port `Recall`.

    Args:
        index: finds keys.
        entries: the ledger, which has the entries, and the keys when the index is down.
        embedder: for meaning; None for surface form only.
        catch_up: brings the index up to date with the ledger, so that what was just saved is found. Where it returns
            False or raises, the index is behind, and keys come from the ledger.
    """

    index: Index
    entries: Entries
    embedder: Embedder | None = None
    catch_up: Callable[[], bool | None] = lambda: True

    def __call__(self, question: str, scope: Scope) -> Sequence[Candidate]:
        """Candidates, one per entry, at most `MOST_CANDIDATES`, the likeliest first. Finds nothing rather than fail."""
        if self._is_empty(scope):
            # Nothing to find: no reason to wait for an index or an embedder that is still loading.
            return ()
        asked = question[:LONGEST_QUESTION]
        keys = self._keys(scope, indexed=self._catch_up())
        found: dict[str, IndexedKey | Hit] = {}
        by_meaning = self._by_meaning(asked, scope)
        for channel in (by_meaning, self._by_wording(asked, scope), _by_surface(asked, keys)):
            for hit in channel:
                found.setdefault(hit.key_id, hit)
        meaning = {hit.key_id: hit.score for hit in by_meaning}
        # A key beyond the nearest is at most as near as the last of them.
        beyond = min(meaning.values(), default=None)
        candidates: dict[str, Candidate] = {}
        for entry, key in self._joined(found.values(), scope):
            scores = compare(asked, key.text, entry, meaning.get(key.key_id, beyond))
            best = candidates.get(entry.id)
            if best is None or likeness(scores) > likeness(best.scores):
                candidates[entry.id] = Candidate(entry, _key(entry, key.text), scores | history(entry, scope))
        ranked = sorted(candidates.values(), key=lambda candidate: (-likeness(candidate.scores), candidate.entry.id))
        return ranked[:MOST_CANDIDATES]

    def _is_empty(self, scope: Scope) -> bool:
        try:
            return self.entries.is_empty(scope)
        except NotedError as error:
            _log.warning("The ledger could not be asked: %s", error)
            return False

    def _catch_up(self) -> bool:
        try:
            return self.catch_up() is not False
        except NotedError as error:
            _log.warning("The index could not be brought up to date: %s", error)
            return False

    def _by_meaning(self, question: str, scope: Scope) -> Sequence[Hit]:
        if self.embedder is None:
            return ()
        try:
            return self.index.nearest(self.embedder.encode([question])[0], scope, _KEYS_PER_CHANNEL)
        except Exception as error:  # an embedder may fail in any way; the other channels still find
            _log.warning("Meaning was not compared: %s", error)
            return ()

    def _by_wording(self, question: str, scope: Scope) -> Sequence[Hit]:
        folded = fold(question)
        try:
            return self.index.matching(folded, scope, _KEYS_PER_CHANNEL) if folded else ()
        except NotedError as error:
            _log.warning("Wording was not searched: %s", error)
            return ()

    def _keys(self, scope: Scope, *, indexed: bool) -> Sequence[IndexedKey]:
        if indexed:
            try:
                return self.index.keys(scope)
            except IndexUnavailable as error:
                _log.warning("The keys come from the ledger: %s", error)
        try:
            return self.entries.keys(scope)
        except NotedError as error:
            _log.warning("The keys could not be read: %s", error)
            return ()

    def _joined(self, keys: Iterable[IndexedKey | Hit], scope: Scope) -> Iterable[tuple[Entry, IndexedKey | Hit]]:
        keys = list(keys)
        try:
            entries = self.entries.entries_by_id({key.entry_id for key in keys}, scope)
        except NotedError as error:
            _log.warning("The entries could not be read: %s", error)
            return
        for key in keys:
            entry = entries.get(key.entry_id)
            if entry is not None and scope.may_read(entry) and entry.status is Status.ACTIVE:
                yield entry, key


def _by_surface(question: str, keys: Sequence[IndexedKey]) -> Sequence[IndexedKey]:
    texts = [key.normalised for key in keys]
    forms = {fold(question), fold(mask_slot(question) or "")} - {""}
    places = {
        place: None
        for form in sorted(forms)
        for _, _, place in process.extract(
            form, texts, processor=None, scorer=Levenshtein.normalized_similarity, limit=_KEYS_PER_CHANNEL
        )
    }
    return [keys[place] for place in places]


def _key(entry: Entry, text: str) -> Key:
    return next((key for key in entry.keys if key.text == text), Key(text, KeyOrigin.QUESTION))
