"""Vectors of questions, made in threads of their own so that an embedder that hangs is not waited for."""

import logging
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from assistant.ports import Embedder
from memory_store.arrays import Floats
from memory_store.vectors.rows import is_usable

_MOST_AT_ONCE = 4  # questions whose vectors are made at the same time
_WAIT_SECONDS = 20.0  # for a model that is still loading; no question takes that long

_log = logging.getLogger(__name__)


class QuestionVectors:
    """Makes the vectors of questions; none without an embedder. One that fails or hangs costs no more than meaning."""

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
