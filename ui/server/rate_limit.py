"""Rate limits per user and address, and the permissions to offer to everyone and to decide about offers."""

import threading
import time
from collections import Counter, OrderedDict, defaultdict, deque

from assistant.errors import TooOften
from assistant.limits import Allowance
from assistant.settings import Settings
from assistant.sharing import SharingRules
from assistant.types import Scope
from ui.server.identity import LOCAL_PERSON, VISITOR, is_loopback

_NEWCOMERS, _REGULARS = 3, 10
"""Limits per address, as multiples of the limit per user."""
SECONDS = 10.0
"""Seconds after their first question in which visitors are newcomers."""
_MINUTE = 60.0
_REQUESTS = 300  # in a minute
_MANY = 10_000  # users and addresses above which idle ones are removed


class RateLimit(Allowance):
    """Rate limit per minute, counted in this process; the local person has no limit.

    Visitors also share the limit of their address: newcomers as much as three users, regulars as much as ten. When it
    is used up, visitors below an equal share still pass, so that a flood cannot block the others there. Clients that
    drop the cookie are newcomers each time.
    """

    def __init__(self, turns: int, saves: int) -> None:
        self._turns, self._saves = turns, saves
        self._met: OrderedDict[str, float] = OrderedDict()  # visitors, by the time of their first question
        self._lock = threading.Lock()
        self._done: defaultdict[tuple[object, ...], deque[tuple[float, str]]] = defaultdict(deque)

    def turn(self, scope: Scope, answers: int = 1) -> None:
        self._count("turns", self._turns, scope, answers)

    def save(self, scope: Scope, changes: int = 1) -> None:
        self._count("saves", self._saves, scope, changes)

    def request(self, scope: Scope) -> None:
        self._count("requests", _REQUESTS, scope)

    def knows(self, scope: Scope) -> bool:
        """Return True for users who signed in, or asked their first question a while ago."""
        met = self._met.get(scope.person)
        return not scope.address or (met is not None and time.monotonic() - met >= SECONDS)

    def _count(self, what: str, most: int, scope: Scope, times: int = 1) -> None:
        if scope.person == LOCAL_PERSON:
            return
        with self._lock:
            counted = [self._lately(what, scope.person)]
            is_within = len(counted[0]) + times <= most
            if scope.address:
                is_known = self.knows(scope)
                counted.append(group := self._lately(what, is_known, scope.address))
                together = most * (_REGULARS if is_known else _NEWCOMERS)
                if len(group) + times > together:
                    by_person = Counter(person for _, person in group)
                    share = together // len(by_person | {scope.person: 1})
                    is_within &= by_person[scope.person] + times <= share
            if not is_within:
                raise TooOften(most)
            for done in counted:
                done.extend([(time.monotonic(), scope.person)] * times)
            if scope.address and what != "requests":
                self._met.setdefault(scope.person, time.monotonic())
                if len(self._met) > _MANY:
                    self._met.popitem(last=False)

    def _lately(self, *party: object) -> deque[tuple[float, str]]:
        """Return the times and users of a party's actions in the last minute."""
        since = time.monotonic() - _MINUTE
        if len(self._done) > _MANY:
            for other in [other for other, done in self._done.items() if not done or done[-1][0] < since]:
                del self._done[other]
        done = self._done[party]
        while done and done[0][0] < since:
            done.popleft()
        return done


def has_several_users(settings: Settings) -> bool:
    """Return False on an installation for one user: loopback only, without any way to sign in."""
    signs_in = settings.auth or settings.auth_file
    shares = settings.curators or settings.anonymous_offers
    return bool(signs_in or shares or settings.on_spaces or not is_loopback(settings.host))


def sharing_rules(settings: Settings) -> SharingRules:
    """Return the sharing rules of the settings.

    Without configured curators, the local person is the curator of a loopback server; other servers have none.
    """
    is_local = is_loopback(settings.host) and not settings.on_spaces
    named = settings.curators or ((LOCAL_PERSON,) if is_local else ())
    is_open = settings.anonymous_offers
    return SharingRules(frozenset(named), lambda scope: is_open or not scope.person.startswith(VISITOR))
