"""What each person may do: how often they ask and save, and who offers to everyone and decides about it."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from functools import cached_property
from typing import TYPE_CHECKING

from assistant.errors import TooOften
from assistant.sharing import SharingRules
from ui.server.identity import LOCAL_PERSON, VISITOR, is_loopback

if TYPE_CHECKING:
    from limits.strategies import MovingWindowRateLimiter

    from assistant.settings import Settings
    from assistant.types import Scope


_PEOPLE_OF_AN_ADDRESS = 3
_MINUTE = 60.0


class PerMinute:
    """An `Allowance` by the minute, counted in this process. The local person is alone here, and is not counted.

    Visitors are counted by their address as well, which may do as much as three of them: whoever drops the cookie is
    somebody else each time. Of an address that has had all of it, those still get something who had less than an equal
    part, so that one who floods takes nothing from the others there.
    """

    def __init__(self, turns: int, saves: int) -> None:
        self._turns, self._saves = turns, saves
        self._lock = threading.Lock()
        self._addresses: dict[tuple[str, str], deque[tuple[float, str]]] = {}

    def turn(self, scope: Scope) -> None:
        self._count("turns", self._turns, scope)

    def save(self, scope: Scope) -> None:
        self._count("saves", self._saves, scope)

    def _count(self, what: str, most: int, scope: Scope) -> None:
        if scope.person == LOCAL_PERSON:
            return
        from limits import RateLimitItemPerMinute

        with self._lock:  # the library starts its own timer twice where two threads come at once
            is_within = not scope.address or self._has_part(what, most, scope)
            is_within = is_within and self._counted.hit(RateLimitItemPerMinute(most), what, scope.person)
            if is_within and scope.address:
                self._addresses[what, scope.address].append((time.monotonic(), scope.person))
        if not is_within:
            raise TooOften(most)

    def _has_part(self, what: str, most: int, scope: Scope) -> bool:
        """Whether the address has not had all of what it may do, or this person of it less than an equal part."""
        since = time.monotonic() - _MINUTE
        for place in [place for place, done in self._addresses.items() if not done or done[-1][0] < since]:
            del self._addresses[place]
        done = self._addresses.setdefault((what, scope.address), deque())
        while done and done[0][0] < since:
            done.popleft()
        of_all = most * _PEOPLE_OF_AN_ADDRESS
        by_person = Counter(person for _, person in done)
        return len(done) < of_all or by_person[scope.person] < of_all // len(by_person | {scope.person: 1})

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
