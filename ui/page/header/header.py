"""The head of the page: what answers, where memory is kept, what one has to know, who is signed in. No Gradio."""

from assistant.types import Scope
from ui.page.header.own_models import OwnModels
from ui.page.panel import Panel, View, fields_of, nobody_left, refusing, text_in
from ui.server.bounds.work import IsLeft
from ui.server.services import Services
from ui.server.sign_in import SignIn


class HeaderHandlers:
    """What the head shows, and one method per event of the dialog in it; `done` is the name of the event."""

    def __init__(self, services: Services, way: SignIn, own: OwnModels) -> None:
        self._services = services
        self._way = way
        self._own = own

    def panel(self) -> Panel:
        scripts = ("connection.js", "languages.js", "tabs.js", "model.js", "script.js")
        return Panel("header", scripts, page_events=(self.check, self.stop), calling=(self.use,))

    def look(self, scope: Scope | None, page: str) -> View:
        """All that it shows, also to whom nobody knows."""
        services, person = self._services, scope.person if scope else None
        return {
            "model": services.model_name,
            "model_note": services.model_note(person),
            "memory": services.memory_note(person),
            "embedder": services.embedder_note(),
            "notices": services.notices(person),
            "account": self._way.account(person),
            "own": self._own.look(scope, page) if scope else {"allowed": False, "model": "", "providers": ()},
        }

    @refusing
    def use(self, data: object, scope: Scope, page: str, is_left: IsLeft = nobody_left) -> View:
        """Let a model of this person's own answer in this page, if it does."""
        self._own.use(data, scope, page, is_left)
        return {"done": "use", "own": self._own.look(scope, page)}

    @refusing
    def check(self, data: object, scope: Scope, page: str) -> View:
        """Show which model answers in this page now; forget that of a page (`left`) which was loaded again as this."""
        if "left" in fields_of(data):
            self._own.stop(scope, text_in(data, "left"))
        return {"own": self._own.look(scope, page)}

    @refusing
    def stop(self, _data: object, scope: Scope, page: str) -> View:
        """Let the model of the host answer again."""
        self._own.stop(scope, page)
        return {"done": "stop", "own": self._own.look(scope, page)}
