"""How commands of the shell reach a server that has the same home open: a socket in the home, for its account only.

One line of JSON says what is wanted, and with which settings; lines of JSON come back, what to print where and at last
the exit code. A server with other settings hands it back at once.
"""

import hashlib
import json
import socket
import socketserver
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol, cast

from assistant.settings import Settings

_NAME = "shell.sock"
_LONGEST_PATH = 100  # bytes; a socket's is limited by the system
_LONGEST_LINE = 1 << 24  # bytes
_ONLY_SERVED = ("host", "port", "root_path", "sources")  # what says nothing of how a question is answered
_STOPPED = "The server was stopped before the answer was there. Please ask again."


class Write(Protocol):
    """Prints a text where the command was given. Raises OSError: it was given up."""

    def __call__(self, text: str, /, *, err: bool) -> object: ...


CarryOut = Callable[[Mapping[str, Any], Write], int]
"""Does what is wanted, and gives the exit code."""


def in_server(settings: Settings, wanted: Mapping[str, Any], write: Write) -> int | None:
    """The exit code of what is wanted, done by the server of this home; None where none with these settings runs."""
    path = _path(settings)
    if path is None:
        return None
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(str(path))
            connection.sendall(_line({"settings": _digest(settings), "wanted": wanted}))
        except OSError:
            return None
        for line in connection.makefile("rb"):
            told = json.loads(line)
            if "code" in told:
                return cast("int | None", told["code"])
            write(told["text"], err=told["err"])
    write(_STOPPED + "\n", err=True)
    return 1


def listen(settings: Settings, carry_out: CarryOut) -> Callable[[], None]:
    """Answer commands of the shell in threads of their own, until what is returned is called.

    Where another server of this home does already, or the system knows no such sockets, nothing is done.
    """
    path = _path(settings)
    if path is None or _is_answered(path):
        return lambda: None
    path.unlink(missing_ok=True)  # of a server that was killed
    server = _Server(str(path), _handler(_digest(settings), carry_out))
    path.chmod(0o600)
    threading.Thread(target=server.serve_forever, name="shell", daemon=True).start()

    def close() -> None:
        server.shutdown()
        server.server_close()
        path.unlink(missing_ok=True)

    return close


if sys.platform != "win32":

    class _Server(socketserver.ThreadingUnixStreamServer):
        daemon_threads = True
        block_on_close = False


def _handler(digest: str, carry_out: CarryOut) -> type[socketserver.StreamRequestHandler]:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            def write(text: str, /, *, err: bool) -> None:
                self.wfile.write(_line({"text": text, "err": err}))

            try:
                asked = json.loads(self.rfile.readline(_LONGEST_LINE))
                code = carry_out(asked["wanted"], write) if asked["settings"] == digest else None
                self.wfile.write(_line({"code": code}))
            except OSError:  # the command was given up
                return

    return Handler


def _path(settings: Settings) -> Path | None:
    path = settings.home.absolute() / _NAME
    return path if hasattr(socket, "AF_UNIX") and len(str(path).encode()) <= _LONGEST_PATH else None


def _is_answered(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as connection:
        return connection.connect_ex(str(path)) == 0


def _digest(settings: Settings) -> str:
    told: dict[str, object] = {name: str(value) for name, value in asdict(settings).items() if name not in _ONLY_SERVED}
    told["zone"] = (*time.tzname, time.timezone)  # it decides which day is today
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _line(told: Mapping[str, Any]) -> bytes:
    return json.dumps(told).encode() + b"\n"
