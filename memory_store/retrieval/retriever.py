"""Retrieve candidates for a question: Ω of MemPrompt (section 3.2). Favours recall over precision.

The index finds entries by meaning; their texts come from the ledger and are scored by meaning and by letters. Without
an embedder, or with the index down or behind, the ledger finds them by words.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial

from assistant.background import begin
from assistant.errors import NotedError
from assistant.ports import Embedder
from assistant.types import Candidate, Key, KeyOrigin, Question, Scope, Status
from memory_store.arrays import Floats
from memory_store.embedding.embedder_setup import UNRELATED_COSINE
from memory_store.language.word_translation import fold_for_comparison
from memory_store.memory.memory import LedgerMemory
from memory_store.retrieval.features import ScoredEntry, compute_features, score_entries
from memory_store.vectors.cache import NearestTexts
from memory_store.vectors.index import VectorIndex
from memory_store.vectors.rows import IndexPart, encode_texts, part_of

LONGEST_QUESTION = 2_000  # characters; longer questions are cut
MOST_CANDIDATES = 10  # clarifications
MOST_EXAMPLES = 8
MOST_FACTS = 12
MOST_SHARED = 3  # shared entries of each part, beside the user's own; at most one gets into a prompt
_ROOM = {IndexPart.SAID: MOST_CANDIDATES, IndexPart.UNSAID: MOST_EXAMPLES, IndexPart.ASSERTED: MOST_FACTS}
_MOST_WORDED = 48  # entries found by words in the ledger

_WAIT_SECONDS = 20.0  # for a model that is still loading; embedding a question takes far less

_log = logging.getLogger(__name__)


class QuestionVectors:
    """Embeds questions in threads, so that a hanging embedder is not waited for.

    Without an embedder, or if it fails, there are no vectors.
    """

    def __init__(self, embedder: Embedder | None, wait_seconds: float = _WAIT_SECONDS) -> None:
        self._embedder, self._wait_seconds = embedder, wait_seconds
        self._late: Future[Floats] | None = None

    def __call__(self, *texts: str) -> Sequence[Floats | None]:
        """Return the vectors of texts, or None for each without one.

        Returns at once while an earlier call that timed out is still running.
        """
        if self._embedder is None or (self._late is not None and not self._late.done()):
            return [None] * len(texts)
        coming = begin("embed", partial(encode_texts, texts, self._embedder))
        try:
            return [vector if vector.any() else None for vector in coming.result(self._wait_seconds)]
        except Exception as error:  # an embedder may fail in any way; words still match
            self._late = coming
            _log.warning("Meaning was not compared: %s", str(error) or "the embedder does not answer.")
            return [None] * len(texts)


@dataclass(slots=True)
class IndexRetriever:
    """Implements `Recall`: up to ten clarifications, eight examples and twelve facts, nearest first.

    `wait_until_current` waits for the indexer; it returns False if the index is
    behind.

    Example:
        >>> retriever = IndexRetriever(index, memory, embedder)
        >>> [candidate.entry.text for candidate in retriever(Question("what is like quick"), Scope("dana"))]
        ['a synonym of quick']
    """

    index: VectorIndex
    entries: LedgerMemory
    embedder: Embedder | None = None
    wait_until_current: Callable[[], bool] = lambda: True
    vectors: QuestionVectors = field(init=False)

    def __post_init__(self) -> None:
        self.vectors = QuestionVectors(self.embedder)

    def __call__(self, question: Question, scope: Scope) -> Sequence[Candidate]:
        text = question.text[:LONGEST_QUESTION]
        try:
            if self.entries.is_empty(scope):
                return ()  # without waiting for an index or embedder that is still loading
            folded, (vector,) = fold_for_comparison(text), self.vectors(text)
            near = self._search_index(folded, vector, scope)
            found = self.entries.entries_by_id(near, scope).values()
            usual = UNRELATED_COSINE if vector is None else getattr(self.embedder, "unrelated_cosine", UNRELATED_COSINE)
        except NotedError as error:
            _log.warning("The entries could not be read: %s", error)
            return ()
        counting = [entry for entry in found if scope.may_read(entry) and entry.status is Status.ACTIVE]
        return select_candidates(score_entries(folded, counting, near, usual), text, scope)

    def _search_index(self, folded: str, vector: Floats | None, scope: Scope) -> Mapping[str, NearestTexts]:
        """Return what the index knows of the nearest entries, or empty values for those found by words."""
        is_current, near = False, dict[str, NearestTexts]()
        try:
            is_current = self.wait_until_current()
            near = {} if vector is None else self.index.search(vector, scope)
        except NotedError as error:
            _log.warning("The index is not searched: %s", error)
        if is_current and near:
            return near
        worded = self.entries.by_words(folded.split(), scope, _MOST_WORDED)
        return dict.fromkeys(worded, NearestTexts({}, {})) | near


def select_candidates(found: Sequence[ScoredEntry], question: str, scope: Scope) -> list[Candidate]:
    """Return the nearest entries as candidates with features, nearest first, up to a limit for each part.

    Entries that the user paused do not count towards the limits. Pure.
    """
    nearest: list[ScoredEntry] = []
    rooms = {(part, False): room for part, room in _ROOM.items()} | {(part, True): MOST_SHARED for part in _ROOM}
    for one in sorted(found, key=lambda one: (-one.relevance, one.entry.id)):
        place = part_of(one.entry), one.entry.shared
        if rooms[place]:
            rooms[place] -= not one.entry.resting
            nearest.append(one)
    return [_build_candidate(one, question, scope) for one in nearest]


def _build_candidate(one: ScoredEntry, question: str, scope: Scope) -> Candidate:
    text = one.nearest_text()
    key = next((key for key in one.entry.keys if key.text == text), Key(text, KeyOrigin.QUESTION))
    return Candidate(one.entry, key, {**compute_features(one, question, scope), "relevance": one.relevance})
