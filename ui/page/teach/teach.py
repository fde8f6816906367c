"""The tab Teach: save told facts, and count those on the fact sheet."""

from typing import Annotated

from assistant.papers.memllm.sheet import Lines
from assistant.types import Entry, Scope
from ui.actions.call import Call
from ui.actions.operation import Role, operation
from ui.page.card_parts import undo_fact
from ui.page.panel import Handlers, Panel, View, convert_refusals, is_never_left, operation_handler, perform
from ui.server.bounds.work import IsLeft


@operation(saves=True)
def tell_fact(call: Call, text: Annotated[str, Role.WORDS]) -> Entry:
    """Save a sentence as a fact, like a chat message that tells it."""
    return call.services.keep_fact(text, call.scope)


class TeachHandlers(Handlers):
    """Event handlers. Each returns the view of `look`, with the fact just `saved`."""

    def panel(self) -> Panel:
        props = {"longest": self._services.assistant.limits.clarification}
        return Panel("teach", events=(self.look, self.undo), calling=(self.tell,), props=props)

    @convert_refusals
    def look(self, _data: object, scope: Scope) -> View:
        """Count the lines of the fact sheet and their subjects."""
        lines = self._services.sheet.lines(scope, Lines()).lines
        return {"sheet": {"facts": len(lines), "things": len({line.triple.subject for line in lines})}}

    @convert_refusals
    def tell(self, data: object, scope: Scope, page: str, _is_left: IsLeft = is_never_left) -> View:
        """Save a fact (`text`)."""
        entry = perform(tell_fact, self._call(scope, page), data)
        return self.look(data, scope) | {"done": "told", "saved": {"entry": entry.id, "text": entry.shown}}

    undo = operation_handler(undo_fact, "undone")
