"""Models that users connect, each for one open page.

They stay in memory only: until the user disconnects, reloads the page or forgets everything, and for an hour after the
last use.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from time import monotonic

from limits import RateLimitItemPerHour
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from assistant.background import BackgroundWork
from assistant.errors import ModelTimeout, NotAllowed, NotedError
from assistant.limits import UNLIMITED
from assistant.models.local.local import LocalModel
from assistant.models.remote.connecting import key_set, list_models, name_model
from assistant.models.remote.library import PROVIDERS
from assistant.models.remote.remote import RemoteModel
from assistant.ports import Allowance
from assistant.sentences import Sentence
from assistant.settings import LOCAL
from assistant.turn import TurnParts
from assistant.types import Message, MessageRole, Scope
from ui.page.panel import View, is_never_left, parse_fields, parse_text
from ui.server.bounds.work import IsLeft
from ui.server.identity import LOCAL_PERSON
from ui.server.services import Models

_SECONDS = 3600.0
_SECONDS_OF_TRIAL = 15.0
_TRIALS = RateLimitItemPerHour(5)  # of each visitor's address, which also bounds their models
_MOST = 1_000
_TRIAL = "Reply with: yes"

_Place = tuple[str, str]  # user and page


class OwnModelGone(NotedError):
    code = "own_model.gone"


@dataclass(slots=True)
class _OwnModel:
    model: RemoteModel | LocalModel
    used: float  # time of the last use


class OwnModels:
    """The connected model of each page, with the parts that suit it.

    When a model expires, nothing answers in its page until the user decides.
    """

    def __init__(
        self, models: Models, allowance: Allowance = UNLIMITED, clock: Callable[[], float] = monotonic
    ) -> None:
        self._of_host = models
        self._allowance = allowance
        self._clock = clock
        self._lock = threading.RLock()
        self._models: OrderedDict[_Place, _OwnModel] = OrderedDict()  # least recently used first
        self._gone: OrderedDict[_Place, None] = OrderedDict()
        self._trying: dict[_Place, str] = {}  # phase that the server of a trial reported
        self._expiry = BackgroundWork("own-models", self._forget_old)  # also without a request
        self._trials = MovingWindowRateLimiter(MemoryStorage())

    def model(self, scope: Scope, page: str) -> RemoteModel | LocalModel | None:
        """Return the model connected to this page, if any, and extend it by an hour."""
        with self._lock:
            self._forget_old()
            own = self._models.get((scope.person, page))
            if own is None:
                return None
            own.used = self._clock()
            self._models.move_to_end((scope.person, page))
            return own.model

    def parts(self, scope: Scope, page: str) -> TurnParts:
        """Return the parts for the model of this page (`Assistant.with_parts`); empty if there is none.

        Raises OwnModelGone.
        """
        model = self.model(scope, page)
        if model is None and (scope.person, page) in self._gone:
            raise OwnModelGone
        return {"model": model, **self._of_host.connected} if model else {}

    def expect(self, scope: Scope, page: str) -> None:
        """Let no other model answer in a page that shows the user's own, even after a restart."""
        with self._lock:
            if (scope.person, page) not in self._models:
                self._lose((scope.person, page))

    def look(self, scope: Scope, page: str) -> View:
        """Return the view of this page's model without its key and without extending it, and of a running trial."""
        place = scope.person, page
        with self._lock:
            self._forget_old()
            own = self._models.get(place)
        model = own.model if own else None
        address = model.api_base if isinstance(model, RemoteModel) else ""
        name = model.name if model else ""
        is_local = isinstance(model, LocalModel)
        return {
            "allowed": self._of_host.own is not None,
            "own_server": scope.person == LOCAL_PERSON,
            "providers": tuple(PROVIDERS),
            "tab": page,
            "model": name,
            "where": "" if address in PROVIDERS.values() else address,
            "note": Sentence("local.note", {"model": name.removeprefix(LOCAL)}) if is_local else "",
            "gone": OwnModelGone().sentence if place in self._gone else "",
            "trying": self._trying.get(place, ""),
        }

    def use(self, data: object, scope: Scope, page: str, is_left: IsLeft = is_never_left) -> None:
        """Connect a `model` with its `key`, which is stored nowhere else, to this page.

        The local person may also give the `address` of a server, a model file (`local/NAME`), or use a key of this
        process's environment (`from_environment`). For a name that ends in "/", the one model that the server lists is
        taken.

        A trial comes first, with a timeout unless the model is on this machine. It counts as an answer, and visitors
        have a few per hour. Raises InputError, NotAllowed, TooOften, NotedError for other limits; ModelError: it did
        not answer.
        """
        place, model = (scope.person, page), self._model_in(data, scope, page)
        is_connected = False
        try:
            if scope.person != LOCAL_PERSON and not self._trials.hit(_TRIALS, scope.address or scope.person):
                raise NotedError("own_model.too_many_trials", count=_TRIALS.amount)
            self._allowance.turn(scope)
            if isinstance(model, RemoteModel):
                model = name_model(model)
            is_connected = self._try(model, place, is_left)
            if is_connected:
                self._connect(model, place)
        finally:
            if not is_connected:
                self._release(model)
        # To measure a model of this machine would delay the first question.
        if is_connected and isinstance(model, RemoteModel):
            self._of_host.measure(model)

    def list_models(self, data: object, scope: Scope, page: str) -> Sequence[str]:
        """Return the names that a server lists, for the local person; empty if it has no list.

        Raises InputError and NotAllowed; ModelError: the list cannot be read.
        """
        model = self._model_in(data, scope, page)
        if scope.person != LOCAL_PERSON or not isinstance(model, RemoteModel):
            raise NotAllowed
        return list_models(model)

    def stop(self, scope: Scope, page: str) -> None:
        """Disconnect the model of this page and delete its key; the host's answers again."""
        with self._lock:
            self._remove((scope.person, page))
            self._gone.pop((scope.person, page), None)

    def stop_trying(self, scope: Scope, page: str) -> None:
        """Cancel the trial of a model in this page, which keeps its current model."""
        with self._lock:
            self._trying.pop((scope.person, page), None)

    def forget(self, scope: Scope) -> None:
        """Disconnect all models of a user and delete their keys."""
        with self._lock:
            for place in [place for place in self._models if place[0] == scope.person]:
                self._lose(place)

    def _model_in(self, data: object, scope: Scope, page: str) -> RemoteModel | LocalModel:
        """Return the model that a form names, a local one lent until it is released.

        Only the local person may name a file of this machine, an address, or a key of this process. Raises InputError,
        ModelError and NotAllowed.
        """
        name, key, address = (parse_text(data, field) for field in ("model", "key", "address"))
        takes_key = parse_fields(data).get("from_environment") is True
        make, local = self._of_host.own, self._of_host.local
        is_of_machine = name.startswith(LOCAL) or bool(address) or takes_key
        if make is None or not page or (is_of_machine and scope.person != LOCAL_PERSON):
            raise NotAllowed
        if name.startswith(LOCAL):
            if local is None:
                raise NotAllowed
            return local.lend(name.removeprefix(LOCAL))
        if takes_key and not address.strip():
            key = key_set(name.strip().partition("/")[0])
        return make(name, key, address)

    def _try(self, model: RemoteModel | LocalModel, place: _Place, is_left: IsLeft) -> bool:
        """Return True if a model answers a test message, False if the user stopped it. Raises ModelError."""
        began = None
        self._trying[place] = ""
        try:
            with closing(model.stream([Message(MessageRole.USER, _TRIAL)])) as reply:
                for piece in reply:
                    began = began or monotonic()  # earlier, libraries may still be loading
                    with self._lock:
                        if piece or place not in self._trying:
                            return place in self._trying
                        self._trying[place] = getattr(piece, "phase", self._trying[place])
                    if is_left() or (not model.is_here and monotonic() - began > _SECONDS_OF_TRIAL):
                        raise ModelTimeout
        finally:
            self._trying.pop(place, None)
        return True

    def _connect(self, model: RemoteModel | LocalModel, place: _Place) -> None:
        with self._lock:
            self._forget_old()
            self._remove(place)
            if len(self._models) >= _MOST:
                raise NotedError("own_model.too_many")
            self._gone.pop(place, None)
            self._models[place] = _OwnModel(model, self._clock())
        self._expiry.start()
        self._expiry.wake()

    def _release(self, model: RemoteModel | LocalModel) -> None:
        if isinstance(model, LocalModel) and self._of_host.local is not None:
            self._of_host.local.release(model)

    def _remove(self, place: _Place) -> None:
        if own := self._models.pop(place, None):
            self._release(own.model)

    def _lose(self, place: _Place) -> None:
        self._remove(place)
        self._gone[place] = None
        if len(self._gone) > 10 * _MOST:
            self._gone.popitem(last=False)

    def _forget_old(self) -> float | None:
        """Disconnect models that were not used for an hour; return the seconds until the next one is due."""
        with self._lock:
            while self._models:
                place, own = next(iter(self._models.items()))
                due = own.used + _SECONDS - self._clock()
                if due >= 0:
                    return due + 0.1
                self._lose(place)
        return None
