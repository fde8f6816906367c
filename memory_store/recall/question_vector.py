"""The vector of a question, made beside the search. An embedder that fails or hangs costs the meaning and no more."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from time import sleep

from assistant.ports import Embedder
from memory_store.index.rows import is_usable
from memory_store.language.terms import Floats

_MOST_AT_ONCE = 4  # questions whose vectors are made at the same time
_WAIT_SECONDS = 20.0  # for a model that is still loading; no question takes that long

_log = logging.getLogger(__name__)


class QuestionVectors:
    """Makes vectors in threads of its own; none without an embedder."""

    def __init__(self, embedder: Embedder | None, wait_seconds: float = _WAIT_SECONDS) -> None:
        self._embedder = embedder
        self._wait_seconds = wait_seconds
        self._threads = ThreadPoolExecutor(_MOST_AT_ONCE, "embed")
        self._late: Future[Floats | None] | None = None

    def begin(self, question: str) -> Callable[[], Floats | None]:
        """Start on the vector of a question, and return what waits for it, and gives None where none comes in time.

        While one that somebody waited for in vain has still not come, nobody waits.
        """
        embedder = self._embedder
        if embedder is None or (self._late is not None and not self._late.done()):
            return lambda: None

        def vector() -> Floats | None:
            try:
                made = embedder.encode([question])[0]
                return made if is_usable(made, embedder.dimension) else None
            except Exception as error:  # an embedder may fail in any way; the rest still finds
                _log.warning("Meaning was not compared: %s", error)
                return None

        coming = self._threads.submit(vector)
        sleep(0)  # it begins at once: nothing takes longer, and else it would wait until this thread waits

        def wait() -> Floats | None:
            try:
                return coming.result(self._wait_seconds)
            except TimeoutError:
                _log.warning("Meaning was not compared: the embedder does not answer.")
                self._late = coming
                return None

        return wait
