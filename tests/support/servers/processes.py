"""Processes for tests, forked from a server with the imports done, so that they start at once.

The server only imports and reads word lists: LanceDB cannot be forked once it is in use.
"""

import multiprocessing
import time
from collections.abc import Callable

FORKED = multiprocessing.get_context("forkserver")
FORKED.set_forkserver_preload(
    ["tests.support.damage.flips", "tests.support.damage.kills", "tests.support.texts.word_list_reader", "lancedb"]
)
_PATIENCE = 60.0  # seconds for a process to reach the condition


def kill_when(is_time: Callable[[], bool], target: Callable[..., None], *arguments: object) -> None:
    """Run `target` in its own process, which must not end by itself, and kill it (-9) when `is_time`."""
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
