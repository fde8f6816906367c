"""Retrieve candidates for a question: Ω of MemPrompt (section 3.2). Favours recall over precision.

The index finds texts by meaning, which are scored by meaning and letters; the ledger has the entries of the best.
Without an embedder, or while the index is unavailable or outdated, the ledger finds entries by words.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial

from assistant.background import begin
from assistant.errors import NotedError
from assistant.ports import Embedder
from assistant.types import Candidate, Entry, Key, KeyOrigin, Question, Scope
from memory_store.arrays import Floats
from memory_store.embedding.embedder_setup import UNRELATED_COSINE
from memory_store.language.word_translation import fold_for_comparison
from memory_store.ledger.indexed_keys import text_of_key
from memory_store.memory.memory import LedgerMemory
from memory_store.retrieval.features import ScoredTexts, compute_features, score_texts
from memory_store.vectors.index import VectorIndex
from memory_store.vectors.rows import COLUMNS, IndexPart, NearestTexts, build_rows, encode_texts, part_of

LONGEST_QUESTION = 2_000  # characters; longer questions are cut
MOST_CANDIDATES = 8  # clarifications; with ten, no more questions get theirs (docs/decisions/0052)
MOST_EXAMPLES = 8
MOST_FACTS = 12
MOST_SHARED = 3  # shared entries of each part, beside the user's own; at most one gets into a prompt
_ROOM = {IndexPart.SAID: MOST_CANDIDATES, IndexPart.UNSAID: MOST_EXAMPLES, IndexPart.ASSERTED: MOST_FACTS}
_MOST_WORDED = 48  # entries found by words in the ledger

_WAIT_SECONDS = 20.0  # for a model that is still loading; embedding a question takes far less

_log = logging.getLogger(__name__)


class QuestionVectors:
    """Embeds questions in threads, so that no question waits for a hanging embedder."""

    def __init__(self, embedder: Embedder | None, wait_seconds: float = _WAIT_SECONDS) -> None:
        self._embedder, self._wait_seconds = embedder, wait_seconds
        self._late: Future[Floats] | None = None

    def __call__(self, *texts: str) -> Sequence[Floats | None]:
        """Return the vectors of texts; None without an embedder, if it fails, or while one still runs."""
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
    """Implements `Recall`: up to eight clarifications, eight examples and twelve facts, nearest first.

    `wait_until_current` waits for the indexer; it returns False if the index is behind.

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
            if not self.index.has_cached(scope) and self.entries.is_empty(scope):
                return ()  # without waiting for an index or embedder that is still loading
            folded, (vector,) = fold_for_comparison(text), self.vectors(text)
            usual = UNRELATED_COSINE if vector is None else getattr(self.embedder, "unrelated_cosine", UNRELATED_COSINE)
            nearest = select_nearest(score_texts(folded, self._search_index(folded, vector, scope), usual))
            found = self.entries.entries_by_id(nearest, scope)
        except NotedError as error:
            _log.warning("The entries could not be read: %s", error)
            return ()
        return [build_candidate(one, found[name], text, scope) for name, one in nearest.items() if name in found]

    def _search_index(self, folded: str, vector: Floats | None, scope: Scope) -> Mapping[str, NearestTexts]:
        """Return the texts of the nearest entries by the index, or of those that the ledger finds by words."""
        is_current, near = False, dict[str, NearestTexts]()
        try:
            is_current = self.wait_until_current()
            near = {} if vector is None else self.index.search(vector, scope)
        except NotedError as error:
            _log.warning("The index is not searched: %s", error)
        if is_current and near:
            return near
        worded = self.entries.by_words(folded.split(), scope, _MOST_WORDED)
        return read_texts(self.entries.entries_by_id(worded, scope).values()) | near


def read_texts(entries: Iterable[Entry]) -> dict[str, NearestTexts]:
    """Return the texts of entries by id, in the form that the index stores."""
    found = {}
    for entry in entries:
        if rows := build_rows([entry]):
            key_ids, roles, words, lengths = ([row[name] for row in rows] for name in COLUMNS)
            part, is_shared = part_of(entry), entry.shared
            found[entry.id] = NearestTexts(part, key_ids, roles, words, lengths, is_shared=is_shared)
    return found


def select_nearest(scored: Mapping[str, ScoredTexts]) -> dict[str, ScoredTexts]:
    """Return the nearest entries by id, nearest first, up to a limit for each part."""
    taken, nearest = Counter[tuple[str, bool]](), dict[str, ScoredTexts]()
    for name, one in sorted(scored.items(), key=lambda item: (-item[1].relevance, item[0])):
        place = one.near.part, one.near.is_shared
        taken[place] += 1
        if taken[place] <= (MOST_SHARED if one.near.is_shared else _ROOM[IndexPart(one.near.part)]):
            nearest[name] = one
    return nearest


def build_candidate(one: ScoredTexts, entry: Entry, question: str, scope: Scope) -> Candidate:
    """Return an entry as a candidate, with its features and the nearest of its texts."""
    columns = zip(one.alike, one.near.key_ids, strict=True)
    nearest = sorted(columns, key=lambda pair: -pair[0])
    text = next(filter(None, (text_of_key(entry, name) for _, name in nearest)), entry.question)
    key = next((key for key in entry.keys if key.text == text), Key(text, KeyOrigin.QUESTION))
    return Candidate(entry, key, compute_features(one, entry, question, scope))
