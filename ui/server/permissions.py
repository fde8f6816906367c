"""What each person may do: how often they ask and save, and who offers to everyone and decides about it."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING

from assistant.errors import TooOften
from assistant.sharing import SharingRules
from ui.server.identity import LOCAL_PERSON, VISITOR, is_loopback

if TYPE_CHECKING:
    from limits.strategies import MovingWindowRateLimiter

    from assistant.settings import Settings
    from assistant.types import Scope


class PerMinute:
    """An `Allowance` by the minute, counted in this process. The local person is alone here, and is not counted."""

    def __init__(self, turns: int, saves: int) -> None:
        self._turns, self._saves = turns, saves
        self._lock = threading.Lock()

    def turn(self, scope: Scope) -> None:
        self._count("turns", self._turns, scope)

    def save(self, scope: Scope) -> None:
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


def sharing_rules(settings: Settings) -> SharingRules:
    """The rules of these settings. Where nothing is saved, nobody offers or decides anything.

    Where they name no curator, the local person is the curator of a server that only this machine can reach, and any
    other has none.
    """
    is_local = is_loopback(settings.host) and not settings.on_spaces
    named = settings.curators or ((LOCAL_PERSON,) if is_local else ())
    if settings.read_only:
        return SharingRules(frozenset(), lambda _scope: False)

    def may_offer(scope: Scope) -> bool:
        return settings.anonymous_offers or not scope.person.startswith(VISITOR)

    return SharingRules(frozenset(named), may_offer)
