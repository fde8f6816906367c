"""Who is known by what they did before, among those of whom nothing is known but an address.

Whoever drops the cookie is somebody else each time. So the newcomers of an address count together, and what they do
takes little from people there who have been here for a while.
"""

import threading
import time
from collections import OrderedDict

from assistant.types import Scope

SECONDS = 10.0
"""So long after their first question, they are no newcomers."""
_MOST = 10_000


class Regulars:
    """Remembers, in this process, who has asked before; the first `_MOST` of them make room for others."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._met: OrderedDict[str, float] = OrderedDict()

    def meet(self, scope: Scope) -> None:
        """This person has asked something."""
        with self._lock:
            self._met.setdefault(scope.person, time.monotonic())
            if len(self._met) > _MOST:
                self._met.popitem(last=False)

    def knows(self, scope: Scope) -> bool:
        """Whether they first asked a while ago, or said who they are."""
        met = self._met.get(scope.person)
        return not scope.address or (met is not None and time.monotonic() - met >= SECONDS)
