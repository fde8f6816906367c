"""The models that people bring, each for one page that is open: in this process's memory only, and for an hour at most
after it was last used. Plain; no Gradio.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from time import monotonic
from typing import TYPE_CHECKING, Any

from assistant.errors import NotAllowed, NotedError
from assistant.models.own import PROVIDERS
from ui.handlers import text_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from assistant.models.own import MakeOwn
    from assistant.ports import ChatModel
    from assistant.types import Scope

_SECONDS = 3600.0
_MOST = 1_000

Panel = dict[str, Any]


class OwnModels:
    """Which model answers in which page.

    Args:
        make: makes one of a name and a key; None where nobody may bring one.
        clock: seconds that only grow.
    """

    def __init__(self, make: MakeOwn | None, clock: Callable[[], float] = monotonic) -> None:
        self._make = make
        self._clock = clock
        self._lock = threading.Lock()
        self._models: OrderedDict[tuple[str, str], tuple[float, ChatModel]] = OrderedDict()

    def model(self, scope: Scope, page: str) -> ChatModel | None:
        """The model that this person brought to this page, if any."""
        with self._lock:
            self._forget_old()
            kept = self._models.pop((scope.person, page), None)
            if kept is None:
                return None
            self._models[scope.person, page] = (self._clock(), kept[1])
            return kept[1]

    def look(self, _data: object, scope: Scope, page: str) -> Panel:
        """What the panel shows."""
        model = self.model(scope, page)
        return {"allowed": self._make is not None, "model": model.name if model else "", "providers": PROVIDERS}

    def use(self, data: object, scope: Scope, page: str) -> Panel:
        """Let a model (`model`) answer in this page from now on, with a key (`key`) that is kept nowhere else."""
        try:
            if self._make is None or not page:
                raise NotAllowed
            model = self._make(text_in(data, "model"), text_in(data, "key"))
        except NotedError as error:
            return {"refused": str(error)}
        with self._lock:
            self._forget_old()
            self._models[scope.person, page] = (self._clock(), model)
            self._models.move_to_end((scope.person, page))
            while len(self._models) > _MOST:
                self._models.popitem(last=False)
        return self.look(data, scope, page)

    def stop(self, data: object, scope: Scope, page: str) -> Panel:
        """Forget the model of this page, and its key."""
        with self._lock:
            self._models.pop((scope.person, page), None)
        return self.look(data, scope, page)

    def _forget_old(self) -> None:
        """The one that was not used for the longest time is the first."""
        while self._models and self._clock() - next(iter(self._models.values()))[0] > _SECONDS:
            self._models.popitem(last=False)
