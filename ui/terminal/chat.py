"""Chat in a terminal: questions, and the operations as slash commands."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from typer import Typer

from assistant.errors import NotedError
from ui.actions.answering import ask
from ui.server.identity import LOCAL_PERSON
from ui.terminal.command_parts import QUIET_STYLE, TROUBLE_STYLE, ServicesClient, decode_input, say
from ui.terminal.generated import run_in_chat, topics
from ui.terminal.show import show

_PROMPT = "> "
_SHORT_NAMES: Mapping[str, str] = {
    "no": "clarify",
    "yes": "react confirm",
    "exclude": "react exclude",
    "wrong": "dispute wrong",
    "keep": "decide keep",
    "discard": "decide discard",
    "memory": "list",
}
_HELP = """\
Ask something. Where it was understood wrong, say so in your own words, or use one of these:
{commands}
Short:              {shorts}

/new begins a conversation, /quit leaves; /NAME --help explains one of them.
They are about the last answer and what was saved last, unless you name another. Ctrl-C stops an answer;
where there is none, it leaves. A line that is to begin with / begins with //."""


def talk(client: ServicesClient, app: Typer, lines: Iterable[str]) -> None:
    """Run the lines of a user until they end or the user quits.

    Args:
        client: calls operations, in its conversation or else in a new one.
        app: the commands.
        lines: input lines.
    """
    client = client if client.conversation else replace(client, conversation=str(uuid.uuid4()))
    say(str(client.services.models.note(LOCAL_PERSON)), QUIET_STYLE)
    say(f"{client.services.memory_note(LOCAL_PERSON)} /help says what you can do here.", QUIET_STYLE)
    for line in filter(None, map(str.strip, lines)):
        name, *words = line[1:].split() or [""]
        try:
            if not line.startswith("/") or line.startswith("//"):
                sent = {"question": line.removeprefix("/")}
                show(ask, sent, client.results(ask, sent), client, None)
            elif name == "quit":
                return
            elif name == "new":
                client = replace(client, conversation=str(uuid.uuid4()))
                say("A new conversation.", QUIET_STYLE)
            elif name in {"", "help"}:
                shorts = ", ".join(f"/{short} = /{long}" for short, long in _SHORT_NAMES.items())
                say(_HELP.format(commands="\n".join(topics("/", of_hosts=False)), shorts=shorts))
            else:
                run_in_chat(app, [*_SHORT_NAMES.get(name, name).split(" "), *words], client)
        except NotedError as error:
            say(str(error), TROUBLE_STYLE)
        except KeyboardInterrupt:
            say("Stopped.", TROUBLE_STYLE)
        say("")


def lines_of_a_user() -> Iterator[str]:
    """Yield lines from the terminal, or from a file or pipe, echoing the latter.

    Line editing has a history of this conversation, which is not stored.
    """
    if not sys.stdin.isatty():
        for raw in sys.stdin.buffer:
            line = decode_input(raw).rstrip("\r\n")
            say(f"{_PROMPT}{line}")
            yield line
        return
    with suppress(ImportError):  # Windows has its own line editing
        import readline  # noqa: F401  enables line editing in `input`
    with suppress(EOFError, KeyboardInterrupt):
        while True:
            yield input(_PROMPT)
    say("")
