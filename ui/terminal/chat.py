"""A conversation in a terminal: questions, and the commands of the table of operations behind a slash."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from assistant.errors import NotedError
from assistant.text.cleaning import printable
from ui.actions.answering import ask
from ui.actions.operation import Who
from ui.actions.table import GROUPS
from ui.server.identity import LOCAL_PERSON
from ui.terminal.client import ServicesClient
from ui.terminal.command_parts import decoded
from ui.terminal.generated import Run, command_name
from ui.terminal.show import QUIET_STYLE, TROUBLE_STYLE, say, show

_PROMPT = "> "
_SHORT: Mapping[str, str] = {
    "no": "clarify",
    "yes": "react confirm",
    "exclude": "react exclude",
    "wrong": "dispute wrong",
    "keep": "decide keep",
    "discard": "decide discard",
    "memory": "list",
}
"""Short names of commands."""


class TerminalChat:
    """One user at one terminal.

    Args:
        client: calls operations in the conversation that is gone on with.
        run: carries out a command with its arguments.
    """

    def __init__(self, client: ServicesClient, run: Run) -> None:
        self._client = client if client.conversation else replace(client, conversation=str(uuid.uuid4()))
        self._run = run

    def run(self, lines: Iterable[str]) -> None:
        """Take one line after another, until there are no more or the user leaves."""
        services = self._client.services
        say(str(services.models.note(LOCAL_PERSON)), QUIET_STYLE)
        say(f"{services.memory_note(LOCAL_PERSON)} /help says what you can do here.", QUIET_STYLE)
        for line in map(str.strip, lines):
            if line == "/quit":
                return
            if line:
                self._take(line)
                say("")

    def _take(self, line: str) -> None:
        name, *words = line.removeprefix("/").split() or ["help"]
        try:
            if not line.startswith("/") or line.startswith("//"):
                sent = {"question": line.removeprefix("/") if line.startswith("//") else line}
                show(ask, sent, self._client.results(ask, sent), self._client, None)
            elif name == "new":
                self._client = replace(self._client, conversation=str(uuid.uuid4()))
                say("A new conversation.", QUIET_STYLE)
            elif name == "help":
                say(_help())
            else:
                self._run([*_SHORT.get(name, name).split(), *words], self._client)
        except NotedError as error:
            say(str(error), TROUBLE_STYLE)
        except KeyboardInterrupt:
            say("Stopped.", TROUBLE_STYLE)


def _help() -> str:
    shorts = ", ".join(f"/{short} = /{long}" for short, long in _SHORT.items())
    groups = (
        f"{group}: {', '.join(f'/{command_name(one)}' for one in operations if one.who is not Who.HOST)}"
        for group, operations in GROUPS.items()
    )
    return "\n".join(
        (
            "Ask something. Where it was understood wrong, say so in your own words, or use one of these:",
            *(f"  {line}" for line in groups if not line.endswith(": ")),
            f"  Short: {shorts}.",
            "  /new begins a conversation, /quit leaves; /NAME --help explains one of them.",
            "They are about the last answer and what was saved last, unless you name another. Ctrl-C stops an answer;",
            "where there is none, it leaves. A line that is to begin with / begins with //.",
        )
    )


def lines_of_a_user() -> Iterator[str]:
    """Yield lines that are typed, or that come from a file or a pipe."""
    return _typed() if sys.stdin.isatty() else _piped()


def _typed() -> Iterator[str]:
    """Yield lines of a user, who can go back to earlier ones of this conversation; they are written down nowhere."""
    with suppress(ImportError):  # Windows edits lines by itself
        import readline  # noqa: F401  `input` does it with this
    while True:
        try:
            yield input(_PROMPT)
        except (EOFError, KeyboardInterrupt):
            sys.stdout.write("\n")
            return


def _piped() -> Iterator[str]:
    """Yield lines of a file, each shown before it is answered, so that what is written reads like a conversation."""
    for raw in sys.stdin.buffer:
        line = decoded(raw).rstrip("\r\n")
        sys.stdout.write(f"{_PROMPT}{printable(line)}\n")
        sys.stdout.flush()
        yield line
