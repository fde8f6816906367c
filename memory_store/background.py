"""Work in daemon threads: some that goes on until the store is closed, and some whose outcome is waited for."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")

_CLOSING_SECONDS = 5.0


class BackgroundWork:
    """Work that is done again and again in a thread of its own, from `start` until `close`.

    `work` does it once, and returns after how many seconds it is to be done again; it must not raise. Long work looks
    at `closing`, which is set once it is to end.
    """

    def __init__(self, name: str, work: Callable[[], float]) -> None:
        self.closing = threading.Event()
        self._woken = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(work,), name=name, daemon=True)

    @property
    def is_started(self) -> bool:
        return self._thread.ident is not None

    def start(self) -> None:
        """Begin. Called again, it does nothing."""
        if not self.is_started:
            self._thread.start()

    def wake(self) -> None:
        """Do it at once, or once more where it is being done just now. Returns at once."""
        self._woken.set()

    def close(self) -> None:
        """Let the work end; where that takes long, it ends with the process."""
        self.closing.set()
        self.wake()
        if self.is_started:
            self._thread.join(_CLOSING_SECONDS)

    def _run(self, work: Callable[[], float]) -> None:
        while not self.closing.is_set():
            self._woken.clear()
            pause = work()
            if not self.closing.is_set():
                self._woken.wait(pause)


def begin(name: str, work: Callable[[], T]) -> Future[T]:
    """Start work in a daemon thread of this name; what it returns or raises comes later."""
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:  # whoever waits gets it
            outcome.set_exception(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    return outcome
