"""Processes for tests, forked from a server that has imported what they need, so that each is there at once.

The server never uses what it imported, but for the word lists: LanceDB cannot be forked once it works.
"""

import multiprocessing
import time
from collections.abc import Callable

FORKED = multiprocessing.get_context("forkserver")
FORKED.set_forkserver_preload(
    ["tests.support.damage.flips", "tests.support.damage.killed", "tests.support.texts.lists_read", "lancedb"]
)
_PATIENCE = 60.0  # seconds in which a process that works must have done something


def kill_when(is_time: Callable[[], bool], target: Callable[..., None], *arguments: object) -> None:
    """Run this in a process of its own, which must not end by itself, and kill it (-9) as soon as it is time."""
    process = FORKED.Process(target=target, args=arguments)
    process.start()
    deadline = time.monotonic() + _PATIENCE
    while not is_time():
        process.join(timeout=0.001)
        assert process.exitcode is None, "The process ended by itself."
        assert time.monotonic() < deadline, "The process does nothing."
    process.kill()
    process.join()
    process.close()
