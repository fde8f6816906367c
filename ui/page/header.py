"""Header of the page: model, memory, notices, account, and the models that users connect, each for one open page.

Those stay in memory only: until the user disconnects, reloads the page or forgets everything, and for an hour after
the last use.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from time import monotonic
from typing import ClassVar

from limits import RateLimitItemPerHour
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from assistant.background import BackgroundWork
from assistant.errors import ModelTimeout, NotAllowed, NotedError
from assistant.limits import UNLIMITED, Allowance
from assistant.models.local.local import LocalModel, PackageMissing
from assistant.models.local.models import LocalModels, catalogue
from assistant.models.remote import connecting
from assistant.models.remote.library import PROVIDERS
from assistant.models.remote.remote import RemoteModel
from assistant.sentences import Sentence
from assistant.settings import EMBEDDED, LOCAL
from assistant.turn import TurnParts
from assistant.types import Message, MessageRole, Scope
from ui.page.handlers import Handlers, Kind, View, event, parse_fields, parse_text
from ui.server.fair_queue import IsLeft
from ui.server.identity import LOCAL_PERSON
from ui.server.services import Models, Services
from ui.server.sign_in import SignIn

_SECONDS = 3600.0
_SECONDS_OF_TRIAL = 15.0
_TRIALS = RateLimitItemPerHour(5)  # of each visitor's address, which also bounds their models
_MOST = 1_000
_TRIAL = "Reply with: yes"

_Model = RemoteModel | LocalModel
_Place = tuple[str, str]  # user and page


@dataclass(slots=True)
class _Trial:
    """A trial of a model, with the phase that its server reported."""

    phase: str = ""


class OwnModelGone(NotedError):
    code = "own_model.gone"


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
        self._models: OrderedDict[_Place, tuple[_Model, float]] = OrderedDict()  # and last use, least recent first
        self._gone: OrderedDict[_Place, None] = OrderedDict()
        self._trying: dict[_Place, _Trial] = {}
        self._expiry = BackgroundWork("own-models", self._forget_old)  # also without a request
        self._trials = MovingWindowRateLimiter(MemoryStorage())

    def model(self, scope: Scope, page: str) -> _Model | None:
        """Return the model connected to this page, if any, and extend it by an hour."""
        place = scope.person, page
        with self._lock:
            self._forget_old()
            if place not in self._models:
                return None
            model, _ = self._models.pop(place)
            self._models[place] = model, self._clock()
            return model

    def parts(self, scope: Scope, page: str) -> TurnParts:
        """Return the parts for the model of this page; empty if there is none. Raises OwnModelGone."""
        model = self.model(scope, page)
        if model is None and (scope.person, page) in self._gone:
            raise OwnModelGone
        return {"model": model, **self._of_host.connected} if model else {}

    def expect(self, scope: Scope, page: str) -> None:
        """Make sure that no other model answers in a page that shows the user's own model, even after a restart."""
        with self._lock:
            if (scope.person, page) not in self._models:
                self._lose((scope.person, page))

    def look(self, scope: Scope, page: str) -> View:
        """Return the view of this page's model without its key and without extending it, and of a running trial."""
        place = scope.person, page
        with self._lock:
            self._forget_old()
            model, _ = self._models.get(place, (None, 0.0))
        address = model.api_base if isinstance(model, RemoteModel) else None
        is_local = isinstance(model, LocalModel)
        return {
            "allowed": self._of_host.own is not None,
            "own_server": scope.person == LOCAL_PERSON,
            "providers": tuple(PROVIDERS),
            "tab": page,
            "model": model.name if model else "",
            "where": "" if address in PROVIDERS.values() else address or "",
            "note": Sentence("local.note", {"model": model.name.removeprefix(LOCAL)}) if model and is_local else "",
            "gone": OwnModelGone().sentence if place in self._gone else "",
            "trying": self._trying.get(place, _Trial()).phase,
        }

    def use(self, data: object, scope: Scope, page: str, is_left: IsLeft = lambda: False) -> None:
        """Connect a model to this page, if it answers a trial; its key is stored nowhere else.

        For a name that ends in "/", the one model that the server lists is taken. A trial counts as an answer, and
        visitors have a few per hour. Raises InputError, NotAllowed, NotedError for limits; ModelError: no answer.
        """
        place, model = (scope.person, page), self._model_in(data, scope, page)
        with ExitStack() as unless_connected:
            unless_connected.callback(self._release, model)
            if scope.person != LOCAL_PERSON and not self._trials.hit(_TRIALS, scope.address or scope.person):
                raise NotedError("own_model.too_many_trials", count=_TRIALS.amount)
            self._allowance.turn(scope)
            if isinstance(model, RemoteModel):
                model = connecting.name_model(model)
            if not self._try(model, place, is_left):
                return
            with self._lock:
                self._forget_old()
                self._remove(place)
                if len(self._models) >= _MOST:
                    raise NotedError("own_model.too_many")
                self._gone.pop(place, None)
                self._models[place] = model, self._clock()
            unless_connected.pop_all()
        self._expiry.start()
        self._expiry.wake()
        if isinstance(model, RemoteModel):  # to measure a model of this machine would delay the first question
            self._of_host.measure(model)

    def list_models(self, data: object, scope: Scope, page: str) -> Sequence[str]:
        """Return the names that a server lists, for the local person. Raises InputError, NotAllowed and ModelError."""
        if scope.person != LOCAL_PERSON:
            raise NotAllowed
        model = self._model_in(data, scope, page)
        self._release(model)
        return connecting.list_models(model) if isinstance(model, RemoteModel) else ()

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

    def _model_in(self, data: object, scope: Scope, page: str) -> _Model:
        """Return the `model` of a form, with its `key`; a local one (`local/NAME`) is lent until it is released.

        Only the local person may name a file of this machine, the `address` of a server, or a key of this process's
        environment (`from_environment`). Raises InputError, ModelError and NotAllowed.
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
            key = connecting.key_set(name.strip().partition("/")[0])
        return make(name, key, address)

    def _try(self, model: _Model, place: _Place, is_left: IsLeft) -> bool:
        """Return True if a model answers a test message, False if the user stopped it. Raises ModelError."""
        began, trial = None, _Trial()
        self._trying[place] = trial
        try:
            with closing(model.stream([Message(MessageRole.USER, _TRIAL)])) as reply:
                for piece in reply:
                    began = began or monotonic()  # earlier, libraries may still be loading
                    with self._lock:  # the user may have stopped this one and begun another
                        if piece or self._trying.get(place) is not trial:
                            return self._trying.get(place) is trial
                        trial.phase = getattr(piece, "phase", trial.phase)
                    if is_left() or (not model.is_here and monotonic() - began > _SECONDS_OF_TRIAL):
                        raise ModelTimeout
        finally:
            with self._lock:
                if self._trying.get(place) is trial:
                    del self._trying[place]
        return True

    def _release(self, model: _Model) -> None:
        if isinstance(model, LocalModel) and self._of_host.local is not None:
            self._of_host.local.release(model)

    def _remove(self, place: _Place) -> None:
        if place in self._models:
            self._release(self._models.pop(place)[0])

    def _lose(self, place: _Place) -> None:
        self._remove(place)
        self._gone[place] = None
        if len(self._gone) > 10 * _MOST:
            self._gone.popitem(last=False)

    def _forget_old(self) -> float | None:
        """Disconnect models that were not used for an hour; return the seconds until the next disconnection."""
        with self._lock:
            while self._models:
                place, (_, used) = next(iter(self._models.items()))
                due = used + _SECONDS - self._clock()
                if due >= 0:
                    return due + 0.1
                self._lose(place)
        return None


class HeaderHandlers(Handlers):
    """Handlers of the header and its dialog; `done` names the event, `own` is the view of the page's model."""

    element = "header"
    constants: ClassVar = {
        "usual": connecting.USUAL_MODELS | {"openrouter": "openai/gpt-4o-mini", "xai": "grok-3", "": "llama3.2"}
    }

    def __init__(self, services: Services, way: SignIn, own: OwnModels) -> None:
        super().__init__(services)
        self._way = way
        self._models = own

    @event(Kind.FREE)
    def look(self, _data: object, scope: Scope | None, page: str) -> View:  # type: ignore[override]
        """Return the header, also without a user."""
        services, person = self._services, scope.person if scope else None
        return {
            "is_small": services.assistant.runner.model.name == EMBEDDED,
            "may_find": self._may_find(scope),
            "model": services.models.name,
            "model_note": services.models.note(person),
            "memory": services.memory_note(person),
            "notices": services.notices(person),
            "account": self._way.account(person),
            "own": self._models.look(scope, page) if scope else {"allowed": False, "model": "", "providers": ()},
        }

    @event(Kind.CALLING)
    def use(self, data: object, scope: Scope, page: str, is_left: IsLeft = lambda: False) -> View:
        """Connect a model to this page if it answers a trial; else return the models of its server."""
        try:
            self._models.use(data, scope, page, is_left)
        except connecting.CannotConnect as error:
            return {"refused": error.sentence, "models": list(error.models)}
        return {"done": "use", "own": self._models.look(scope, page)}

    @event(Kind.CALLING)
    def list_models(self, data: object, scope: Scope, page: str) -> View:
        """Return the models of a server, to choose one."""
        return {"models": list(self._models.list_models(data, scope, page))}

    @event()
    def check(self, data: object, scope: Scope, page: str) -> View:
        """Return the model of this page. If `left` is the page before a reload, disconnect its model."""
        if "left" in parse_fields(data):
            self._models.stop(scope, parse_text(data, "left"))
        return {"own": self._models.look(scope, page)}

    @event()
    def find(self, _data: object, scope: Scope, page: str) -> View:
        """Return model servers of this machine, providers with a key in the environment, and the download size."""
        find_servers = self._services.models.find_servers
        if find_servers is None or not self._may_find(scope):
            raise NotAllowed
        usual, keys = connecting.USUAL_MODELS, connecting.keys_set().items()
        return {
            "found": [asdict(server) for server in find_servers()],
            "keys": [{"provider": one, "variable": name, "model": usual.get(one, "")} for one, name in keys],
            "get_bytes": int(next(iter(catalogue().values()))["size_gb"] * 1e9),
            "own": self._models.look(scope, page),
        }

    @event()
    def local(self, _data: object, scope: Scope, page: str) -> View:
        """Return the models of this machine, those to download, and the progress of a `download`.

        If the package to run them is `missing`, it says how to install that.
        """
        local, shown = self._local_models(scope), View(missing="", models=[], download=None)
        try:
            shown["models"] = local.look()
            if download := local.download:
                shown["download"] = {name: getattr(download, name) for name in ("name", "is_running", "here", "whole")}
                shown["download"]["problem"] = download.error.sentence if download.error else ""
        except PackageMissing as error:
            shown["missing"] = error.sentence
        return {"local": shown, "own": self._models.look(scope, page)}

    @event()
    def get(self, data: object, scope: Scope, page: str) -> View:
        """Start or resume the download of a `model`."""
        self._local_models(scope).get(parse_text(data, "model"))
        return self.local(data, scope, page)

    @event()
    def stop_getting(self, data: object, scope: Scope, page: str) -> View:
        self._local_models(scope).stop()
        return self.local(data, scope, page)

    @event()
    def stop(self, _data: object, scope: Scope, page: str) -> View:
        self._models.stop(scope, page)
        return {"done": "stop", "own": self._models.look(scope, page)}

    @event()
    def stop_trying(self, _data: object, scope: Scope, page: str) -> View:
        """Cancel the trial of a model; `use` then returns."""
        self._models.stop_trying(scope, page)
        return {"own": self._models.look(scope, page)}

    def _may_find(self, scope: Scope | None) -> bool:
        """Return True if the user works on this machine and may connect the models found."""
        models = self._services.models
        is_here = scope is not None and scope.person == LOCAL_PERSON
        is_small = self._services.assistant.runner.model.name == EMBEDDED
        return is_here and is_small and bool(models.find_servers and models.own)

    def _local_models(self, scope: Scope) -> LocalModels:
        local = self._services.models.local
        if local is None or not self._may_find(scope):
            raise NotAllowed
        return local
