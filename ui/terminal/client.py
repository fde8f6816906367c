"""Clients of the command line: run operations for one user in this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, ClassVar

from assistant.errors import InputError
from assistant.settings import Settings
from assistant.types import Scope
from ui.actions.call import Call
from ui.actions.operation import Operation
from ui.server.services import Services
from ui.terminal.command_parts import Compose, on_interrupt, throttled_progress

Plain = dict[str, Any]
# Operations that may create the memory.
_MAY_BEGIN = {"ask", "remember", "import", "import_sheet", "learn", "practice", "questions", "token", "rebuild"}


@dataclass(frozen=True, slots=True)
class HomeClient:
    """Client of a home, which it opens for one operation; a server may have it open too."""

    compose: Compose
    home: str | None
    user: str
    prefix: ClassVar[str] = "noted "  # prefix of its commands

    def results(self, operation: Operation[Any, Any], sent: Plain) -> Iterator[Plain]:
        """Yield the results of an operation, each cumulative. Raises NotedError, KeyboardInterrupt."""
        settings = Settings.load(home=self.home)
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
