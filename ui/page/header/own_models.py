"""The models that people bring, each for one page that is open. No Gradio.

They stay in this process's memory only, and for an hour at most after they were last used.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import closing
from time import monotonic
from typing import Any

from assistant.errors import NotAllowed
from assistant.models.remote.own import PROVIDERS, MakeOwn
from assistant.ports import ChatModel
from assistant.types import Message, Role, Scope
from ui.page.panel import View, text_in
from ui.server.identity import LOCAL_PERSON

_SECONDS = 3600.0
_MOST = 1_000
_TRIAL = "Reply with: yes"


class OwnModels:
    """Which model answers in which page, with the parts of the loop that suit it. No `make`: nobody may bring one.

    What is shown of it is `{"allowed": bool, "model": name or "", "providers": […], "own_server": bool}`; never a key.
    """

    def __init__(
        self, make: MakeOwn | None, suited: Mapping[str, Any] | None = None, clock: Callable[[], float] = monotonic
    ) -> None:
        self._make = make
        self._suited = suited or {}
        self._clock = clock
        self._lock = threading.Lock()
        self._models: OrderedDict[tuple[str, str], tuple[float, ChatModel]] = OrderedDict()

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

    def look(self, scope: Scope, page: str) -> View:
        """What this person is shown of it in this page."""
        model = self.model(scope, page)
        shown = {"model": model.name if model else "", "providers": tuple(PROVIDERS)}
        return shown | {"allowed": self._make is not None, "own_server": scope.person == LOCAL_PERSON}

    def use(self, data: object, scope: Scope, page: str) -> None:
        """Let a model (`model`) answer in this page from now on, with a key (`key`) that is kept nowhere else.

        Who works on this machine may name the `address` of a server. The model is tried at once. Raises InputError,
        NotAllowed, and ModelError: it did not answer.
        """
        address = text_in(data, "address")
        if self._make is None or not page or (address and scope.person != LOCAL_PERSON):
            raise NotAllowed
        model = self._make(text_in(data, "model"), text_in(data, "key"), address)
        with closing(model.stream([Message(Role.USER, _TRIAL)])) as reply:
            next(filter(None, reply), None)
        with self._lock:
            self._forget_old()
            self._models[scope.person, page] = (self._clock(), model)
            self._models.move_to_end((scope.person, page))
            if len(self._models) > _MOST:
                self._models.popitem(last=False)

    def stop(self, scope: Scope, page: str) -> None:
        """Forget the model of this page, and its key."""
        with self._lock:
            self._models.pop((scope.person, page), None)

    def _forget_old(self) -> None:
        """The one that was not used for the longest time is the first."""
        while self._models and self._clock() - next(iter(self._models.values()))[0] > _SECONDS:
            self._models.popitem(last=False)
