"""Background work: in order, bounded, and ended with the process."""

import threading
from collections.abc import Callable

from assistant.background import BackgroundJobs


def test_jobs_run_in_order_whatever_fails() -> None:
    background, done = BackgroundJobs("jobs"), list[int]()

    def fails(_: Callable[[], bool]) -> None:
        raise ValueError

    assert background.soon("first", "me", fails)
    assert background.soon("second", "me", lambda is_stopped: done.append(int(is_stopped())))
    background.settle()
    background.close()
    assert not background.soon("third", "me", lambda _: done.append(2))
    assert done == [0]


def test_one_user_cannot_flood_the_queue() -> None:
    background, go_on, done = BackgroundJobs("jobs"), threading.Event(), list[str]()

    def wait(_: object) -> None:
        go_on.wait(10)

    flood = [background.soon(str(number), "eve", wait) for number in range(50)]
    assert sum(flood) == 5
    assert background.soon("hers", "ann", lambda _: done.append("ann"))
    go_on.set()
    background.settle()
    assert done == ["ann"]
    assert background.soon("again", "eve", lambda _: None)
    background.close()
