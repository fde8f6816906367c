"""Models that users connect, each for one open page.

They stay in memory only: until the user disconnects, reloads the page or forgets everything, and for an hour after the
last use.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from time import monotonic

from limits import RateLimitItemPerHour
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from assistant.errors import ModelError, ModelTimeout, NotAllowed, NotedError
from assistant.limits import UNLIMITED
from assistant.models.local.local import LocalModel
from assistant.models.local.models import LocalModels
from assistant.models.remote.connecting import CannotConnect, explain, list_models, only_model
from assistant.models.remote.library import PROVIDERS
from assistant.models.remote.own_model import MakeOwn
from assistant.models.remote.remote import RemoteModel
from assistant.models.remote.server_discovery import key_set
from assistant.ports import Allowance, ChatModel
from assistant.sentences import Sentence
from assistant.settings import LOCAL
from assistant.turn import TurnParts
from assistant.types import Message, MessageRole, Scope
from ui.page.panel import View, is_never_left, parse_fields, parse_text
from ui.server.bounds.work import IsLeft
from ui.server.identity import LOCAL_PERSON

_SECONDS = 3600.0
_SECONDS_OF_TRIAL = 15.0
_TRIALS = RateLimitItemPerHour(5)
_MOST, _MOST_OF_ADDRESS, _MOST_OF_PERSON = 1_000, 20, 5
_MOST_GONE = 10_000
_TRIAL = "Reply with: yes"
_ANY = "any"  # placeholder for an unknown name

_Place = tuple[str, str]  # user and page


class OwnModelGone(NotedError):
    code = "own_model.gone"


class TooManyTrials(NotedError):
    def __init__(self) -> None:
        super().__init__("own_model.too_many_trials", count=_TRIALS.amount)


class TooManyModels(NotedError):
    code = "own_model.too_many"


@dataclass(slots=True)
class _OwnModel:
    model: RemoteModel | LocalModel
    address: str
    used: float  # time of the last use


@dataclass(slots=True)
class _Trial:
    phase: str = ""  # phase reported by its server
    is_stopped: bool = False


class OwnModels:
    """The connected model of each page, with the parts that suit it. Without `make`, nobody may connect one.

    When a model expires, nothing answers in its page until the user decides. The view is `{"allowed": bool, "model":
    name or "", "gone": message or "", "tab": id, "providers": […], "own_server": bool, "where": address of the user's
    own server or "", "note": message for a model of this machine or "", "trying": phase of a trial or ""}`, never the
    key.
    """

    def __init__(
        self,
        make: MakeOwn | None,
        suited: TurnParts | None = None,
        clock: Callable[[], float] = monotonic,
        allowance: Allowance = UNLIMITED,
        measure: Callable[[RemoteModel], None] = lambda _: None,
        local: LocalModels | None = None,
    ) -> None:
        self._make = make
        self._suited = suited or {}
        self._clock = clock
        self._allowance = allowance
        self._measure = measure  # chooses the form of its prompt
        self._local = local
        self._lock = threading.RLock()
        self._models: OrderedDict[_Place, _OwnModel] = OrderedDict()  # least recently used first
        self._gone: OrderedDict[_Place, None] = OrderedDict()
        self._trying: dict[_Place, _Trial] = {}
        self._timer: threading.Timer | None = None
        self._trials = MovingWindowRateLimiter(MemoryStorage())

    def model(self, scope: Scope, page: str) -> ChatModel | None:
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
        return {"model": model, **self._suited} if model else {}

    def expect(self, scope: Scope, page: str) -> None:
        """Let no other model answer in a page that shows the user's own, even after a restart."""
        with self._lock:
            if (scope.person, page) not in self._models:
                self._lose((scope.person, page))

    def look(self, scope: Scope, page: str) -> View:
        """Return the view of this page's model, without extending it."""
        with self._lock:
            self._forget_old()
            own, trial = self._models.get((scope.person, page)), self._trying.get((scope.person, page))
        shown: View = {"model": own.model.name if own else "", "tab": page, "trying": trial.phase if trial else ""}
        base = own.model.api_base if own and isinstance(own.model, RemoteModel) else ""
        shown |= {"where": base if base not in PROVIDERS.values() else ""}
        is_local = own is not None and isinstance(own.model, LocalModel)
        shown |= {"note": Sentence("local.note", {"model": shown["model"].removeprefix(LOCAL)}) if is_local else ""}
        shown |= {"gone": OwnModelGone().sentence if (scope.person, page) in self._gone else ""}
        shown |= {"allowed": self._make is not None, "own_server": scope.person == LOCAL_PERSON}
        return shown | {"providers": tuple(PROVIDERS)}

    def use(self, data: object, scope: Scope, page: str, is_left: IsLeft = is_never_left) -> None:
        """Connect a `model` with its `key`, which is stored nowhere else, to this page.

        The local person may also give the `address` of a server, a model file (`local/NAME`), or use a key of this
        process's environment (`from_environment`). For a name that ends in "/", the one model that the server lists is
        taken.

        A trial comes first, with a timeout unless the model is on this machine. It counts as an answer, and visitors
        have a few per hour. Raises InputError, NotAllowed, TooManyTrials, TooOften, TooManyModels; ModelError: it did
        not answer.
        """
        name = parse_text(data, "model")
        if name.startswith(LOCAL):
            self._maker(scope, page, is_own=True)
            self._use_local(name.removeprefix(LOCAL), scope, page, is_left)
            return
        model = self._model_in(data, scope, page)
        if scope.person != LOCAL_PERSON and not self._trials.hit(_TRIALS, scope.address or scope.person):
            raise TooManyTrials
        self._allowance.turn(scope)
        if model.name.endswith("/"):
            model = replace(model, name=model.name + only_model(model))
        try:
            is_tried = self._try(model, (scope.person, page), is_left)
        except ModelError as error:
            raise (error if is_left() else explain(error, model)) from None
        if is_tried:
            self._take(model, scope, page)
            self._measure(model)

    def list_models(self, data: object, scope: Scope, page: str) -> Sequence[str]:
        """Return the names that a server lists, for the local person; empty if it has no list.

        Raises InputError and NotAllowed; ModelError: the list cannot be read.
        """
        self._maker(scope, page, is_own=True)
        try:
            return list_models(self._model_in(data, scope, page))
        except CannotConnect as error:
            if error.cause == "connect.no_list":  # it may still answer
                return ()
            raise

    def _maker(self, scope: Scope, page: str, *, is_own: bool) -> MakeOwn:
        """Return the factory of models. Raises NotAllowed: none may be connected, or not one of `is_own` by this user.

        `is_own` means a file of this machine, an address, or a key of this process.
        """
        if self._make is None or not page or (is_own and scope.person != LOCAL_PERSON):
            raise NotAllowed
        return self._make

    def _model_in(self, data: object, scope: Scope, page: str) -> RemoteModel:
        """Return the model that a form names; its name ends with "/" if only the provider is named.

        Raises InputError and NotAllowed.
        """
        name, key, address = parse_text(data, "model"), parse_text(data, "key"), parse_text(data, "address")
        takes_key = parse_fields(data).get("from_environment") is True
        make = self._maker(scope, page, is_own=bool(address) or takes_key)
        if takes_key and not address.strip():
            key = key_set(name.strip().partition("/")[0])
        is_nameless = name.endswith("/") and name.count("/") == 1
        model = make(f"{name}{_ANY}" if is_nameless else name, key, address)
        return replace(model, name=name) if is_nameless else model

    def stop(self, scope: Scope, page: str) -> None:
        """Disconnect the model of this page and delete its key; the host's answers again."""
        with self._lock:
            self._remove((scope.person, page))
            self._gone.pop((scope.person, page), None)

    def stop_trying(self, scope: Scope, page: str) -> None:
        """Cancel the trial of a model in this page, which keeps its current model."""
        if trial := self._trying.get((scope.person, page)):
            trial.is_stopped = True

    def forget(self, scope: Scope) -> None:
        """Disconnect all models of a user and delete their keys."""
        with self._lock:
            for place in [place for place in self._models if place[0] == scope.person]:
                self._lose(place)

    def _use_local(self, name: str, scope: Scope, page: str, is_left: IsLeft) -> None:
        """Load a model of this machine and connect it, without measuring it, which would delay the first question."""
        if self._local is None:
            raise NotAllowed
        self._allowance.turn(scope)
        model, is_taken = self._local.lend(name), False
        try:
            if self._try(model, (scope.person, page), is_left):
                self._take(model, scope, page)
                is_taken = True
        finally:
            if not is_taken:
                self._local.release(model)

    def _take(self, model: RemoteModel | LocalModel, scope: Scope, page: str) -> None:
        """Connect a model after its trial. Raises TooManyModels."""
        with self._lock:
            self._forget_old()
            self._remove((scope.person, page))
            self._make_room(scope)
            self._models[scope.person, page] = _OwnModel(model, scope.address, self._clock())
            self._gone.pop((scope.person, page), None)
            self._start_timer()

    def _try(self, model: RemoteModel | LocalModel, place: _Place, is_left: IsLeft) -> bool:
        """Ask a model for a word; return False if cancelled. Raises ModelError on a timeout or if the client left."""
        trial = self._trying[place] = _Trial()
        began = None
        try:
            with closing(model.stream([Message(MessageRole.USER, _TRIAL)])) as reply:
                for piece in reply:
                    began = began or monotonic()  # earlier, libraries may still be loading
                    if piece or trial.is_stopped:
                        return not trial.is_stopped
                    trial.phase = getattr(piece, "phase", trial.phase)
                    if is_left() or (not model.is_here and monotonic() - began > _SECONDS_OF_TRIAL):
                        raise ModelTimeout
        finally:
            if self._trying.get(place) is trial:  # else a newer trial has begun
                del self._trying[place]
        return True

    def _make_room(self, scope: Scope) -> None:
        """Disconnect the user's oldest model if they have many. Raises TooManyModels: others have too many."""
        mine = [place for place in self._models if place[0] == scope.person]
        if len(mine) >= _MOST_OF_PERSON:
            self._lose(mine[0])
        of_address = sum(own.address == scope.address for own in self._models.values()) if scope.address else 0
        if of_address >= _MOST_OF_ADDRESS or len(self._models) >= _MOST:
            raise TooManyModels

    def _remove(self, place: _Place) -> None:
        own = self._models.pop(place, None)
        if self._local is not None and own is not None and isinstance(own.model, LocalModel):
            self._local.release(own.model)

    def _lose(self, place: _Place) -> None:
        self._remove(place)
        self._gone[place] = None
        if len(self._gone) > _MOST_GONE:
            self._gone.popitem(last=False)

    def _forget_old(self) -> None:
        while self._models and self._clock() - next(iter(self._models.values())).used > _SECONDS:
            self._lose(next(iter(self._models)))

    def _start_timer(self) -> None:
        """Schedule the next expiry, so that keys are deleted without a request."""
        if self._timer is None and self._models:
            due = next(iter(self._models.values())).used + _SECONDS - self._clock()
            self._timer = threading.Timer(max(due, 0.0) + 0.1, self._when_due)
            self._timer.daemon = True
            self._timer.start()

    def _when_due(self) -> None:
        with self._lock:
            self._timer = None
            self._forget_old()
            self._start_timer()
