"""Who is known by what they did before, among those of whom nothing is known but an address.

Whoever drops the cookie is somebody else each time. So the newcomers of an address count together, and what they do
takes little from people there who have been here for a while.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from assistant.types import Scope

_SECONDS = 10.0
_MOST = 10_000


class Regulars:
    """Remembers, in this process, who has asked before; the first `_MOST` of them make room for others."""

    def __init__(self, seconds: float = _SECONDS, now: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._now = seconds, now
        self._lock = threading.Lock()
        self._met: OrderedDict[str, float] = OrderedDict()

    def meet(self, scope: Scope) -> None:
        """This person has asked something."""
        with self._lock:
            self._met.setdefault(scope.person, self._now())
            if len(self._met) > _MOST:
                self._met.popitem(last=False)

    def knows(self, scope: Scope) -> bool:
        """Whether they first asked a while ago, or said who they are."""
        met = self._met.get(scope.person)
        return not scope.address or (met is not None and self._now() - met >= self._seconds)
