"""Header of the page: model, memory, notices, account, and the dialog to connect a model."""

from collections.abc import Mapping
from dataclasses import asdict

from assistant.errors import NotAllowed
from assistant.models.local.local import PackageMissing
from assistant.models.local.models import LocalModels, recommended_bytes
from assistant.models.remote.connecting import USUAL_MODELS, CannotConnect, keys_set
from assistant.settings import EMBEDDED
from assistant.types import Scope
from ui.page.handlers import Handlers, Kind, View, event, parse_fields, parse_text
from ui.page.own_models import OwnModels
from ui.server.fair_queue import IsLeft
from ui.server.identity import LOCAL_PERSON
from ui.server.services import Services
from ui.server.sign_in import SignIn


class HeaderHandlers(Handlers):
    """Handlers of the header and its dialog; `done` names the event, `own` is the view of the page's model."""

    element = "header"

    def __init__(self, services: Services, way: SignIn, own: OwnModels) -> None:
        super().__init__(services)
        self._way = way
        self._models = own

    def props(self) -> Mapping[str, object]:
        return {"usual": {**USUAL_MODELS, "openrouter": "openai/gpt-4o-mini", "xai": "grok-3", "": "llama3.2"}}

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
            "embedder": services.embedder_note(),
            "notices": services.notices(person),
            "account": self._way.account(person),
            "own": self._models.look(scope, page) if scope else {"allowed": False, "model": "", "providers": ()},
        }

    @event(Kind.CALLING)
    def use(self, data: object, scope: Scope, page: str, is_left: IsLeft = lambda: False) -> View:
        """Connect a model to this page if it answers a trial; else return the models of its server."""
        try:
            self._models.use(data, scope, page, is_left)
        except CannotConnect as error:
            return {"refused": error.sentence, "models": list(error.models)}
        return {"done": "use", "own": self._models.look(scope, page)}

    @event(Kind.CALLING)
    def list_models(self, data: object, scope: Scope, page: str) -> View:
        """Return the models of a server, to choose one."""
        return {"models": list(self._models.list_models(data, scope, page))}

    @event()
    def check(self, data: object, scope: Scope, page: str) -> View:
        """Return the model of this page; disconnect that of a page (`left`) that was reloaded as this one."""
        if "left" in parse_fields(data):
            self._models.stop(scope, parse_text(data, "left"))
        return {"own": self._models.look(scope, page)}

    @event()
    def find(self, _data: object, scope: Scope, page: str) -> View:
        """Return model servers of this machine, providers with a key in the environment, and the download size."""
        find_servers = self._services.models.find_servers
        if find_servers is None or not self._may_find(scope):
            raise NotAllowed
        servers = [
            {"name": found.name, "address": found.address, "models": list(found.models)} for found in find_servers()
        ]
        keys = [
            {"provider": provider, "variable": name, "model": USUAL_MODELS.get(provider, "")}
            for provider, name in keys_set().items()
        ]
        own = self._models.look(scope, page)
        return {"found": servers, "keys": keys, "get_bytes": recommended_bytes(), "own": own}

    @event()
    def local(self, _data: object, scope: Scope, page: str) -> View:
        """Return the models of this machine, those to download, and the progress of a `download`.

        If the package to run them is `missing`, it says how to install that.
        """
        local, own = self._local_models(scope), self._models.look(scope, page)
        try:
            models = [asdict(model) for model in local.look()]
        except PackageMissing as error:
            return {"local": {"missing": error.sentence, "models": [], "download": None}, "own": own}
        download = local.download and {
            "name": local.download.name,
            "is_running": local.download.is_running,
            "here": local.download.here,
            "whole": local.download.whole,
            "problem": local.download.error.sentence if local.download.error else "",
        }
        return {"local": {"missing": "", "models": models, "download": download}, "own": own}

    @event()
    def get(self, data: object, scope: Scope, page: str) -> View:
        """Start or resume the download of a `model`."""
        self._local_models(scope).get(parse_text(data, "model"))
        return self.local(data, scope, page)

    @event()
    def stop_getting(self, data: object, scope: Scope, page: str) -> View:
        """Stop the download."""
        self._local_models(scope).stop()
        return self.local(data, scope, page)

    @event()
    def stop(self, _data: object, scope: Scope, page: str) -> View:
        """Disconnect the model: the host's answers again."""
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
