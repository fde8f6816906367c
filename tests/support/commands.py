"""The commands of `app.py`, run in this process: all that a process of its own does, but starting."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import typer.testing
from typer.main import get_command
from typer.testing import CliRunner, Result

from app import compose
from assistant.settings import Settings
from memory_store.embedding.hub import pull
from memory_store.maintenance.backup import restore_backup
from ui.server.services import Services
from ui.terminal.command_line import command_line

# Typer reads the signatures of all commands for each that is run, which takes longer than most of them.
typer.testing._get_command = cache(get_command)  # type: ignore[attr-defined]  # it is no part of what they promise
_SERVED: ContextVar[list[Settings]] = ContextVar("served")


def _compose(settings: Settings) -> Services:
    return compose(settings)  # looked up each time: a test may put another one there


@cache
def _app() -> typer.Typer:
    return command_line(_compose, lambda settings: _SERVED.get().append(settings), restore_backup, pull)


class Commands:
    """Runs commands on one data directory, without an embedder, and without lessons to wait for.

    Args:
        home: the data directory.
        environment: further settings.

    Attributes:
        served: the settings that pages would have been served with.
    """

    def __init__(self, home: Path, **environment: str) -> None:
        usual = {"NOTED_HOME": str(home), "NOTED_EMBEDDER": "none", "NOTED_PROPOSE_LESSONS": "off"}
        self._environment = usual | environment
        self.served: list[Settings] = []

    def run(self, *arguments: str, text: bytes = b"", status: int = 0) -> Result:
        """What a command says; it must end with this exit code, and without an error of Python's."""
        result = self.result(*arguments, text=text)
        assert result.exit_code == status, result.output
        return result

    def result(self, *arguments: str, text: bytes = b"") -> Result:
        """What a command says, however it ends, but without an error of Python's."""
        _SERVED.set(self.served)
        with _variables(self._environment):
            result = CliRunner().invoke(_app(), arguments, input=text)
        assert isinstance(result.exception, SystemExit | None), result.output
        return result

    def json(self, *arguments: str, text: bytes = b"") -> Any:
        return json.loads(self.run(*arguments, "--json", text=text).stdout)


@contextmanager
def _variables(variables: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables for the block, for Python alone.

    LanceDB's threads read those of the C library while the index of a server in this process is written, and before
    version 2.41 of glibc that crashes where another thread adds one.
    """
    before = {name: os.environ.get(name) for name in variables}
    _set(variables)
    try:
        yield
    finally:
        _set(before)


def _set(variables: Mapping[str, str | None]) -> None:
    """Set environment variables, and remove those that are None, without the C library."""
    with patch.multiple(os, putenv=lambda *_: None, unsetenv=lambda *_: None):
        for name, value in variables.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
