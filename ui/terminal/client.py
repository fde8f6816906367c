"""Carries out operations for the command line: in this process, or in the server that has the same home open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, ClassVar

from assistant.errors import InputError
from assistant.settings import Settings
from assistant.types import Scope
from ui.actions.call import Call
from ui.actions.operation import Operation, Who
from ui.actions.table import OPERATIONS
from ui.server.services import Services
from ui.server.shell import in_server
from ui.terminal.command_parts import Compose, now_and_then, on_interrupt

Plain = dict[str, Any]
# Operations that make a memory where there is none yet.
_MAY_BEGIN = {"ask", "remember", "import", "import_sheet", "learn", "practice", "questions", "token", "rebuild"}


@dataclass(frozen=True, slots=True)
class HomeClient:
    """Calls operations on a home, in its server where one runs."""

    compose: Compose
    home: str | None
    user: str
    prefix: ClassVar[str] = "noted "  # of its commands

    def results(self, operation: Operation[Any, Any], sent: Plain) -> Iterator[Plain]:
        """Yield the results of an operation, each the whole so far. Raises NotedError, KeyboardInterrupt."""
        settings = Settings.load(home=self.home)
        wanted = {"operation": operation.name, "sent": sent, "user": self.user}
        handed_over = in_server(settings, wanted) if operation.who is not Who.HOST else None
        if handed_over is not None:
            yield from handed_over
            return
        if not (settings.has_memory or operation.name in _MAY_BEGIN):
            raise InputError(
                f"There is no memory in {settings.home} yet. Please ask something first, or say --home DIR."
            )
        with closing(self.compose(settings)) as services:
            client = ServicesClient(services, Scope(self.user))
            yield from client.results(operation, sent)
            if operation.streams:
                services.settle()  # what is drafted of it would end with this process


@dataclass(frozen=True, slots=True)
class ServicesClient:
    """Calls operations on an app in this process; Ctrl-C stops what is going on, and what has come stays."""

    services: Services
    scope: Scope
    conversation: str = ""
    prefix: ClassVar[str] = "/"

    def results(self, operation: Operation[Any, Any], sent: Plain) -> Iterator[Plain]:
        """Yield the results of an operation, each the whole so far. Raises NotedError, KeyboardInterrupt."""
        call = Call(self.services, self.scope, conversation=self.conversation, progress=now_and_then())
        with on_interrupt(call.stop) as interrupts:
            yield from operation.results(call, sent)
            if interrupts:
                call.wait()
                raise KeyboardInterrupt


Client = HomeClient | ServicesClient
"""Calls operations for one user."""


def answer_in_server(services: Services) -> Callable[[Mapping[str, Any]], Iterator[Plain]]:
    """Return what does in a server what `HomeClient` wants of it."""

    def answer(wanted: Mapping[str, Any]) -> Iterator[Plain]:
        call = Call(services, Scope(wanted["user"]))
        try:
            yield from OPERATIONS[wanted["operation"]].results(call, wanted["sent"])
        finally:
            call.stop()

    return answer
