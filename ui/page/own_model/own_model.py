"""The panel in which a person brings a model of their own, for one page that is open. No Gradio.

It stays in this process's memory only, and for an hour at most after it was last used.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

from assistant.errors import NotAllowed
from assistant.models.remote.own import PROVIDERS, MakeOwn
from assistant.ports import ChatModel
from assistant.types import Scope
from ui.page.panel import Panel, View, refusing, text_in

_SECONDS = 3600.0
_MOST = 1_000


class OwnModels:
    """Which model answers in which page, with the parts of the loop that suit it. No `make`: nobody may bring one.

    Each method for an event returns `{"allowed": bool, "model": name or "", "providers": […]}`; never a key.
    """

    def __init__(
        self, make: MakeOwn | None, suited: Mapping[str, Any] | None = None, clock: Callable[[], float] = monotonic
    ) -> None:
        self._make = make
        self._suited = suited or {}
        self._clock = clock
        self._lock = threading.Lock()
        self._models: OrderedDict[tuple[str, str], tuple[float, ChatModel]] = OrderedDict()

    def panel(self) -> Panel:
        events, scripts = (self.use, self.stop), ("connection.js", "script.js")
        return Panel("own-model", scripts, page_events=events, folder="own_model", opening=self.look)

    def model(self, scope: Scope, page: str) -> ChatModel | None:
        """The model that this person brought to this page, if any."""
        with self._lock:
            self._forget_old()
            _, model = self._models.pop((scope.person, page), (0.0, None))
            if model is not None:
                self._models[scope.person, page] = (self._clock(), model)
            return model

    def parts(self, scope: Scope, page: str) -> Mapping[str, Any]:
        """What takes the place of parts of the loop in this page (`Assistant.with_parts`); empty where nothing does."""
        model = self.model(scope, page)
        return {"model": model, **self._suited} if model else {}

    def look(self, _data: object, scope: Scope, page: str) -> View:
        model = self.model(scope, page)
        return {"allowed": self._make is not None, "model": model.name if model else "", "providers": tuple(PROVIDERS)}

    @refusing
    def use(self, data: object, scope: Scope, page: str) -> View:
        """Let a model (`model`) answer in this page from now on, with a key (`key`) that is kept nowhere else."""
        if self._make is None or not page:
            raise NotAllowed
        model = self._make(text_in(data, "model"), text_in(data, "key"))
        with self._lock:
            self._forget_old()
            self._models[scope.person, page] = (self._clock(), model)
            self._models.move_to_end((scope.person, page))
            if len(self._models) > _MOST:
                self._models.popitem(last=False)
        return self.look(data, scope, page)

    def stop(self, data: object, scope: Scope, page: str) -> View:
        """Forget the model of this page, and its key."""
        with self._lock:
            self._models.pop((scope.person, page), None)
        return self.look(data, scope, page)

    def _forget_old(self) -> None:
        """The one that was not used for the longest time is the first."""
        while self._models and self._clock() - next(iter(self._models.values()))[0] > _SECONDS:
            self._models.popitem(last=False)
