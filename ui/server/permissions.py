"""How often a person may ask and save: a moving minute for each, counted in this process."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING

from assistant.errors import TooOften
from ui.identity import LOCAL_PERSON

if TYPE_CHECKING:
    from limits.strategies import MovingWindowRateLimiter

    from assistant.types import Scope


class PerMinute:
    """An `Allowance`. The local person is alone on the machine, and is not counted.

    Args:
        turns: answers that each person may ask for.
        saves: clarifications, confirmations and changes of memory by each person.
    """

    def __init__(self, turns: int, saves: int) -> None:
        self._turns = turns
        self._saves = saves
        self._lock = threading.Lock()

    def turn(self, scope: Scope) -> None:
        """One more answer. Raises TooOften."""
        self._count("turns", self._turns, scope)

    def save(self, scope: Scope) -> None:
        """One more thing to remember or to change. Raises TooOften."""
        self._count("saves", self._saves, scope)

    def _count(self, what: str, most: int, scope: Scope) -> None:
        if scope.person == LOCAL_PERSON:
            return
        from limits import RateLimitItemPerMinute

        with self._lock:  # the library starts its own timer twice where two threads come at once
            is_within = self._counted.hit(RateLimitItemPerMinute(most), what, scope.person)
        if not is_within:
            raise TooOften(most)

    @cached_property
    def _counted(self) -> MovingWindowRateLimiter:
        from limits.storage import MemoryStorage  # takes a third of a second, which the command line need not wait for
        from limits.strategies import MovingWindowRateLimiter

        return MovingWindowRateLimiter(MemoryStorage())
