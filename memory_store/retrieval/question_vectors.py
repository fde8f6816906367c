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

_log = logging.getLogger(__name__)


class QuestionVectors:
    """Makes the vectors of questions; none without an embedder. One that fails or hangs costs no more than meaning."""

    def __init__(self, embedder: Embedder | None, wait_seconds: float = _WAIT_SECONDS) -> None:
        self._embedder = embedder
        self._wait_seconds = wait_seconds
        self._threads = ThreadPoolExecutor(_MOST_AT_ONCE, "embed")
        self._late: Future[Sequence[Floats | None]] | None = None

    def begin(self, question: str) -> Callable[[], Floats | None]:
        """Start on the vector of a question, and return what waits for it, and gives None where none comes in time.

        While one that somebody waited for in vain has still not come, nobody waits.
        """
        wait = self.begin_all([question])
        return lambda: wait()[0]

    def begin_all(self, texts: Sequence[str]) -> Callable[[], Sequence[Floats | None]]:
        """As `begin`, for several texts at once, which takes hardly longer than one."""
        embedder, none = self._embedder, [None] * len(texts)
        if embedder is None or (self._late is not None and not self._late.done()):
            return lambda: none

        def vectors() -> Sequence[Floats | None]:
            try:
                made = embedder.encode(texts)
                return [vector if is_usable(vector, embedder.dimension) else None for vector in made]
            except Exception as error:  # an embedder may fail in any way; the rest still finds
                _log.warning("Meaning was not compared: %s", error)
                return none

        coming = self._threads.submit(vectors)
        sleep(0)  # it begins at once: nothing takes longer, and else it would wait until this thread waits

        def wait() -> Sequence[Floats | None]:
            try:
                return coming.result(self._wait_seconds)
            except TimeoutError:
                _log.warning("Meaning was not compared: the embedder does not answer.")
                self._late = coming
                return none

        return wait
