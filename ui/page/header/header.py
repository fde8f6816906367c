"""The head of the page: what answers, where memory is kept, what one has to know, who is signed in."""

from dataclasses import asdict

from assistant.errors import NotAllowed
from assistant.models.local.errors import PackageMissing
from assistant.models.local.models import LocalModels, recommended_bytes
from assistant.models.remote.connecting import CannotConnect
from assistant.models.remote.found import USUAL_MODELS, keys_set
from assistant.settings import EMBEDDED
from assistant.types import Scope
from ui.page.header.own_models import OwnModels
from ui.page.panel import Panel, View, fields_of, nobody_left, refusing, text_in
from ui.server.bounds.work import IsLeft
from ui.server.identity import LOCAL_PERSON
from ui.server.services import Services
from ui.server.sign_in import SignIn


class HeaderHandlers:
    """What the head shows, and one method per event of the dialog in it; `done` is the name of the event."""

    def __init__(self, services: Services, way: SignIn, own: OwnModels) -> None:
        self._services = services
        self._way = way
        self._own = own

    def panel(self) -> Panel:
        ends = (self.stop, self.stop_trying, self.stop_getting)
        return Panel(
            "header",
            page_events=(self.check, self.find, self.local, self.get, *ends),
            calling=(self.use, self.list_models),
        )

    def look(self, scope: Scope | None, page: str) -> View:
        """All that it shows, also to whom nobody knows."""
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

    @refusing
    def use(self, data: object, scope: Scope, page: str, is_left: IsLeft = nobody_left) -> View:
        """Let a model of this person's own answer in this page, if it does; else show which its server has."""
        try:
            self._own.use(data, scope, page, is_left)
        except CannotConnect as error:
            return {"refused": error.sentence, "models": list(error.models)}
        return {"done": "use", "own": self._own.look(scope, page)}

    @refusing
    def list_models(self, data: object, scope: Scope, page: str, _is_left: IsLeft = nobody_left) -> View:
        """Show which models a server has, before one is chosen."""
        return {"models": list(self._own.list_models(data, scope, page))}

    @refusing
    def check(self, data: object, scope: Scope, page: str) -> View:
        """Show which model answers in this page now; forget that of a page (`left`) which was loaded again as this."""
        if "left" in fields_of(data):
            self._own.stop(scope, text_in(data, "left"))
        return {"own": self._own.look(scope, page)}

    @refusing
    def find(self, _data: object, scope: Scope, page: str) -> View:
        """Show the model servers of this machine, the providers with a key in its environment, and the size of a model
        to get.
        """
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
        return {"found": servers, "keys": keys, "get_bytes": recommended_bytes(), "own": self._own.look(scope, page)}

    @refusing
    def local(self, _data: object, scope: Scope, page: str) -> View:
        """Show the models of this machine, those that it could get, and how far a download is."""
        return {"local": self._look_at_local(scope), "own": self._own.look(scope, page)}

    @refusing
    def get(self, data: object, scope: Scope, page: str) -> View:
        """Begin to download a model (`model`), or go on with it."""
        self._local_models(scope).get(text_in(data, "model"))
        return self.local(data, scope, page)

    @refusing
    def stop_getting(self, data: object, scope: Scope, page: str) -> View:
        """Stop the download."""
        self._local_models(scope).stop()
        return self.local(data, scope, page)

    @refusing
    def stop(self, _data: object, scope: Scope, page: str) -> View:
        """Let the model of the host answer again."""
        self._own.stop(scope, page)
        return {"done": "stop", "own": self._own.look(scope, page)}

    @refusing
    def stop_trying(self, _data: object, scope: Scope, page: str) -> View:
        """End the trial of a model, of which `use` then says so."""
        self._own.stop_trying(scope, page)
        return {"own": self._own.look(scope, page)}

    @property
    def _is_small(self) -> bool:
        return self._services.assistant.runner.model.name == EMBEDDED

    def _may_find(self, scope: Scope | None) -> bool:
        """Whether this person works on this machine, and may connect what is found."""
        services = self._services
        is_here = scope is not None and scope.person == LOCAL_PERSON
        return is_here and self._is_small and bool(services.models.find_servers and services.models.own)

    def _local_models(self, scope: Scope) -> LocalModels:
        local = self._services.models.local
        if local is None or not self._may_find(scope):
            raise NotAllowed
        return local

    def _look_at_local(self, scope: Scope) -> View:
        """The models, how far the `download` is, and, where the package is `missing` that runs them, how to get it."""
        local = self._local_models(scope)
        try:
            models = [asdict(model) for model in local.look()]
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
