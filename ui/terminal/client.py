"""Client of the command line: run operations in this process, or in the server of the same home."""

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
from ui.server.cli_rpc import call_server
from ui.server.services import Services
from ui.terminal.command_parts import Compose, on_interrupt, throttled_progress

Plain = dict[str, Any]
# Operations that may create the memory.
_MAY_BEGIN = {"ask", "remember", "import", "import_sheet", "learn", "practice", "questions", "token", "rebuild"}


@dataclass(frozen=True, slots=True)
class HomeClient:
    """Client of a home, which calls its server if one runs."""

    compose: Compose
    home: str | None
    user: str
    prefix: ClassVar[str] = "noted "  # prefix of its commands

    def results(self, operation: Operation[Any, Any], sent: Plain) -> Iterator[Plain]:
        """Yield the results of an operation, each cumulative. Raises NotedError, KeyboardInterrupt."""
        settings = Settings.load(home=self.home)
        wanted = {"operation": operation.name, "sent": sent, "user": self.user}
        handed_over = call_server(settings, wanted) if operation.who is not Who.HOST else None
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
                services.settle()  # background drafts would end with this process


@dataclass(frozen=True, slots=True)
class ServicesClient:
    """Client of services in this process; Ctrl-C stops the run and keeps its partial results."""

    services: Services
    scope: Scope
    conversation: str = ""
    prefix: ClassVar[str] = "/"

    def results(self, operation: Operation[Any, Any], sent: Plain) -> Iterator[Plain]:
        """Yield the results of an operation, each cumulative. Raises NotedError, KeyboardInterrupt."""
        call = Call(self.services, self.scope, conversation=self.conversation, progress=throttled_progress())
        with on_interrupt(call.stop) as interrupts:
            yield from operation.results(call, sent)
            if interrupts:
                call.wait()
                raise KeyboardInterrupt


Client = HomeClient | ServicesClient
"""A client calls operations for one user."""


def answer_in_server(services: Services) -> Callable[[Mapping[str, Any]], Iterator[Plain]]:
    """Return the server's handler for calls of `HomeClient`."""

    def answer(wanted: Mapping[str, Any]) -> Iterator[Plain]:
        call = Call(services, Scope(wanted["user"]))
        try:
            yield from OPERATIONS[wanted["operation"]].results(call, wanted["sent"])
        finally:
            call.stop()

    return answer
