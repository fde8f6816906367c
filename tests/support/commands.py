"""Run the commands of `app.py` in this process, without the cost of starting one."""

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
from memory_store.embedding.embedder import pull
from memory_store.maintenance.backup import restore_backup
from ui.server.services import Services
from ui.terminal.command_line import command_line

# Typer reads the signatures of all commands for each run, which takes longer than most commands.
typer.testing._get_command = cache(get_command)  # type: ignore[attr-defined]  # private
_SERVED: ContextVar[list[Settings]] = ContextVar("served")


def _compose(settings: Settings) -> Services:
    return compose(settings)  # looked up each time, since tests may replace it


@cache
def _app() -> typer.Typer:
    return command_line(
        _compose, lambda settings: _SERVED.get().append(settings), restore_backup, pull, lambda *_: None
    )


class Commands:
    """Commands on one data directory, without an embedder and without proposed lessons.

    Args:
        home: the data directory.
        environment: further settings.

    Attributes:
        served: settings with which `serve` was called.
    """

    def __init__(self, home: Path, **environment: str) -> None:
        usual = {"NOTED_HOME": str(home), "NOTED_EMBEDDER": "none", "NOTED_PROPOSE_LESSONS": "off"}
        self._environment = usual | environment
        self.served: list[Settings] = []

    def run(self, *arguments: str, text: bytes = b"", status: int = 0) -> Result:
        """Run a command and return its result; assert the exit code and that no exception escaped."""
        result = self.result(*arguments, text=text)
        assert result.exit_code == status, result.output
        return result

    def result(self, *arguments: str, text: bytes = b"") -> Result:
        """Run a command and return its result with any exit code; assert that no exception escaped."""
        _SERVED.set(self.served)
        with _variables(self._environment):
            result = CliRunner().invoke(_app(), arguments, input=text)
        assert isinstance(result.exception, SystemExit | None), result.output
        return result

    def json(self, *arguments: str, text: bytes = b"") -> Any:
        return json.loads(self.run(*arguments, "--json", text=text).stdout)


@contextmanager
def _variables(variables: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables for the block, in Python only.

    While the index is written, LanceDB's threads read the C environment, and before glibc 2.41 that crashes if another
    thread adds a variable.
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
