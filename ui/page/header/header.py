"""Header of the page: model, memory, notices, account, and the dialog to connect a model."""

from assistant.errors import NotAllowed
from assistant.models.local.local import PackageMissing
from assistant.models.local.models import LocalModels, catalogue
from assistant.models.remote.connecting import USUAL_MODELS, CannotConnect, keys_set
from assistant.settings import EMBEDDED
from assistant.types import Scope
from ui.page.header.own_models import OwnModels
from ui.page.panel import Panel, View, convert_refusals, is_never_left, parse_fields, parse_text
from ui.server.bounds.work import IsLeft
from ui.server.identity import LOCAL_PERSON
from ui.server.services import Services
from ui.server.sign_in import SignIn


class HeaderHandlers:
    """Handlers of the header and its dialog; `done` names the event."""

    def __init__(self, services: Services, way: SignIn, own: OwnModels) -> None:
        self._services = services
        self._way = way
        self._own = own

    def panel(self) -> Panel:
        hints = {**USUAL_MODELS, "openrouter": "openai/gpt-4o-mini", "xai": "grok-3", "": "llama3.2"}
        ends = (self.stop, self.stop_trying, self.stop_getting)
        return Panel(
            "header",
            page_events=(self.check, self.find, self.local, self.get, *ends),
            calling=(self.use, self.list_models),
            props={"usual": hints},
        )

    def look(self, scope: Scope | None, page: str) -> View:
        """Return the header, also without a user."""
        services, person = self._services, scope.person if scope else None
        return {
            "is_small": self._is_small,
            "may_find": self._may_find(scope),
            "model": services.models.name,
            "model_note": services.models.note(person),
            "memory": services.memory_note(person),
            "embedder": services.embedder_note(),
            "notices": services.notices(person),
            "account": self._way.account(person),
            "own": self._own.look(scope, page) if scope else {"allowed": False, "model": "", "providers": ()},
        }

    @convert_refusals
    def use(self, data: object, scope: Scope, page: str, is_left: IsLeft = is_never_left) -> View:
        """Connect a model to this page if it answers a trial; else return the models of its server."""
        try:
            self._own.use(data, scope, page, is_left)
        except CannotConnect as error:
            return {"refused": error.sentence, "models": list(error.models)}
        return {"done": "use", "own": self._own.look(scope, page)}

    @convert_refusals
    def list_models(self, data: object, scope: Scope, page: str, _is_left: IsLeft = is_never_left) -> View:
        """Return the models of a server, to choose one."""
        return {"models": list(self._own.list_models(data, scope, page))}

    @convert_refusals
    def check(self, data: object, scope: Scope, page: str) -> View:
        """Return the model of this page; disconnect that of a page (`left`) that was reloaded as this one."""
        if "left" in parse_fields(data):
            self._own.stop(scope, parse_text(data, "left"))
        return {"own": self._own.look(scope, page)}

    @convert_refusals
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
        recommended = next(iter(catalogue().values()))
        size = int(recommended["size_gb"] * 1e9)
        return {"found": servers, "keys": keys, "get_bytes": size, "own": self._own.look(scope, page)}

    @convert_refusals
    def local(self, _data: object, scope: Scope, page: str) -> View:
        """Return the models of this machine, those to download, and the progress of a download."""
        return {"local": self._look_at_local(scope), "own": self._own.look(scope, page)}

    @convert_refusals
    def get(self, data: object, scope: Scope, page: str) -> View:
        """Start or resume the download of a `model`."""
        self._local_models(scope).get(parse_text(data, "model"))
        return self.local(data, scope, page)

    @convert_refusals
    def stop_getting(self, data: object, scope: Scope, page: str) -> View:
        """Stop the download."""
        self._local_models(scope).stop()
        return self.local(data, scope, page)

    @convert_refusals
    def stop(self, _data: object, scope: Scope, page: str) -> View:
        """Disconnect the model: the host's answers again."""
        self._own.stop(scope, page)
        return {"done": "stop", "own": self._own.look(scope, page)}

    @convert_refusals
    def stop_trying(self, _data: object, scope: Scope, page: str) -> View:
        """Cancel the trial of a model; `use` then returns."""
        self._own.stop_trying(scope, page)
        return {"own": self._own.look(scope, page)}

    @property
    def _is_small(self) -> bool:
        return self._services.assistant.runner.model.name == EMBEDDED

    def _may_find(self, scope: Scope | None) -> bool:
        """Return True if the user works on this machine and may connect the models found."""
        services = self._services
        is_here = scope is not None and scope.person == LOCAL_PERSON
        return is_here and self._is_small and bool(services.models.find_servers and services.models.own)

    def _local_models(self, scope: Scope) -> LocalModels:
        local = self._services.models.local
        if local is None or not self._may_find(scope):
            raise NotAllowed
        return local

    def _look_at_local(self, scope: Scope) -> View:
        """Return models and `download` progress; if the package to run them is `missing`, how to install it."""
        local = self._local_models(scope)
        try:
            models = local.look()
        except PackageMissing as error:
            return {"missing": error.sentence, "models": [], "download": None}
        shown = local.download and {
            "name": local.download.name,
            "is_running": local.download.is_running,
            "here": local.download.here,
            "whole": local.download.whole,
            "problem": local.download.error.sentence if local.download.error else "",
        }
        return {"missing": "", "models": models, "download": shown}
