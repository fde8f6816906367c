"""Vectors of questions, made in threads of their own beside the search."""

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from time import sleep

from assistant.ports import Embedder
from memory_store.arrays import Floats
from memory_store.vectors.rows import is_usable

_MOST_AT_ONCE = 4  # questions whose vectors are made at the same time
_WAIT_SECONDS = 20.0  # for a model that is still loading; no question takes that long
Vectors = Sequence[Floats | None]

_log = logging.getLogger(__name__)


class QuestionVectors:
    """Makes the vectors of questions; none without an embedder. One that fails or hangs costs no more than meaning."""

    def __init__(self, embedder: Embedder | None, wait_seconds: float = _WAIT_SECONDS) -> None:
        self._embedder, self._wait_seconds = embedder, wait_seconds
        self._threads = ThreadPoolExecutor(_MOST_AT_ONCE, "embed")
        self._late: Future[Vectors] | None = None

    def begin(self, *texts: str) -> Callable[[], Vectors]:
        """Start on the vectors of texts, and return what waits for them, and gives None where none comes in time.

        While one that somebody waited for in vain has still not come, nobody waits.
        """
        if self._embedder is None or (self._late is not None and not self._late.done()):
            return lambda: [None] * len(texts)
        coming = self._threads.submit(self._encoded, self._embedder, texts)
        sleep(0)  # it begins at once: nothing takes longer, and else it would wait until this thread waits

        def wait() -> Vectors:
            try:
                return coming.result(self._wait_seconds)
            except TimeoutError:
                _log.warning("Meaning was not compared: the embedder does not answer.")
                self._late = coming
                return [None] * len(texts)

        return wait

    def _encoded(self, embedder: Embedder, texts: Sequence[str]) -> Vectors:
        try:
            vectors = embedder.encode(texts)
            return [vector if is_usable(vector, embedder.dimension) else None for vector in vectors]
        except Exception as error:  # an embedder may fail in any way; the rest still finds
            _log.warning("Meaning was not compared: %s", error)
            return [None] * len(texts)
