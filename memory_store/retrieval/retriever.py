"""From a question to candidates: Ω of MemPrompt (section 3.2). Favours recall over precision.

The index finds entries that are near in meaning or share words; the ledger has what they say, and each of their texts
is scored by meaning and by letters. What is down is left out: without an embedder meaning is missing, and what the
index does not hold yet, or cannot tell, is found by the words of the ledger.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from assistant.errors import NotedError
from assistant.ports import Embedder
from assistant.types import Candidate, Key, KeyOrigin, Question, Scope, Status
from memory_store.arrays import Floats
from memory_store.embedding.reading import USUAL, on_scale
from memory_store.language.word_translation import Readings
from memory_store.memory.memory import LedgerMemory
from memory_store.retrieval.features import Scored, features, scored
from memory_store.vectors.cache import Near
from memory_store.vectors.index import VectorIndex
from memory_store.vectors.rows import Part, is_usable

LONGEST_QUESTION = 2_000  # characters that are searched with; what follows says little about the question
MOST_CANDIDATES = 10  # clarifications
MOST_EXAMPLES = 8
MOST_FACTS = 12
MOST_SHARED = 3  # of each that are shared with everyone, beside one's own; one at most goes into a prompt
_ROOM = {Part.SAID: MOST_CANDIDATES, Part.UNSAID: MOST_EXAMPLES, Part.ASSERTED: MOST_FACTS}
_MOST_WORDED = 48  # entries that are found by the words of the ledger

_MOST_AT_ONCE = 4  # questions whose vectors are made at the same time
_WAIT_SECONDS = 20.0  # for a model that is still loading; no question takes that long

_log = logging.getLogger(__name__)


class QuestionVectors:
    """Make the vectors of questions in threads of their own, so that an embedder that hangs is not waited for.

    Without an embedder there are none. One that fails or hangs costs no more than meaning.
    """

    def __init__(self, embedder: Embedder | None, wait_seconds: float = _WAIT_SECONDS) -> None:
        self._embedder, self._wait_seconds = embedder, wait_seconds
        self._threads = ThreadPoolExecutor(_MOST_AT_ONCE, "embed")
        self._late: Future[Floats] | None = None

    def __call__(self, *texts: str) -> Sequence[Floats | None]:
        """Return the vectors of texts, None where there is none.

        While one that somebody waited for in vain has still not come, nobody waits.
        """
        if self._embedder is None or (self._late is not None and not self._late.done()):
            return [None] * len(texts)
        coming = self._threads.submit(self._embedder.encode, texts)
        try:
            vectors, dimension = coming.result(self._wait_seconds), self._embedder.dimension
            return [vector if is_usable(vector, dimension) else None for vector in vectors]
        except Exception as error:  # an embedder may fail in any way; the rest still finds
            self._late = coming
            _log.warning("Meaning was not compared: %s", str(error) or "the embedder does not answer.")
            return [None] * len(texts)


@dataclass(slots=True)
class IndexRetriever:
    """Implements `Recall`, with `readings` as the index was made with, and without an embedder by words and letters.

    `wait_until_current` waits until what was just saved is in the index; return False where it is not.
    """

    index: VectorIndex
    entries: LedgerMemory
    readings: Readings
    embedder: Embedder | None = None
    wait_until_current: Callable[[], bool] = lambda: True
    vectors: QuestionVectors = field(init=False)

    def __post_init__(self) -> None:
        self.vectors = QuestionVectors(self.embedder)

    def __call__(self, question: Question, scope: Scope) -> Sequence[Candidate]:
        text = question.text[:LONGEST_QUESTION]
        try:
            if self.entries.is_empty(scope):
                return ()  # nothing to find: no reason to wait for an index or an embedder that is still loading
            folded = self.readings.fold(text)
            near = self._near(folded, self.vectors(text)[0], scope)
            found = self.entries.entries_by_id(near, scope).values()
        except NotedError as error:
            _log.warning("The entries could not be read: %s", error)
            return ()
        counting = [entry for entry in found if scope.may_read(entry) and entry.status is Status.ACTIVE]
        return candidates(scored(folded, counting, near, self.readings), text, scope)

    def _near(self, folded: str, vector: Floats | None, scope: Scope) -> Mapping[str, Near]:
        """Return the entries that may be meant, with what the index knows of them. Raises NotedError."""
        is_current, near = False, dict[str, Near]()
        try:
            is_current = self.wait_until_current()
            found = self.index.search(folded, vector, scope)
            usual = USUAL if vector is None else getattr(self.embedder, "usual", USUAL)
            near = found if usual == USUAL else {entry_id: _scaled(one, usual) for entry_id, one in found.items()}
        except NotedError as error:
            _log.warning("The index is not searched: %s", error)
        if is_current and near:
            return near
        worded = self.entries.by_words(folded.split(), scope, _MOST_WORDED)
        return {**{entry_id: Near({}, {}) for entry_id in worded}, **near}


def _scaled(one: Near, usual: float) -> Near:
    return Near(one.words, {name: on_scale(cosine, usual) for name, cosine in one.cosines.items()})


def candidates(found: Sequence[Scored], question: str, scope: Scope) -> list[Candidate]:
    """Return the nearest entries as candidates with their features, nearest first, of each part at most so many.

    What the person paused takes no room among them. Pure.
    """
    nearest: list[Scored] = []
    left = {(part, False): room for part, room in _ROOM.items()} | {(part, True): MOST_SHARED for part in _ROOM}
    for one in sorted(found, key=lambda one: (-one.relevance, one.entry.id)):
        if left[one.part, one.entry.shared]:
            left[one.part, one.entry.shared] -= not one.entry.resting
            nearest.append(one)
    return [_candidate(one, question, scope) for one in nearest]


def _candidate(one: Scored, question: str, scope: Scope) -> Candidate:
    text = one.nearest_text()
    key = next((key for key in one.entry.keys if key.text == text), Key(text, KeyOrigin.QUESTION))
    return Candidate(one.entry, key, {**features(one, question, scope), "relevance": one.relevance})
