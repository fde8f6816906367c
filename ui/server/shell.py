"""How commands of the shell reach a server that has the same home open: a socket in the home, for its account only.

One line of JSON says what is wanted, and with which settings; lines of JSON come back: whether the server takes it,
which one with other settings does not, and then the results.
"""

import hashlib
import json
import socket
import socketserver
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from assistant.errors import HeaderUnclear, NotedError
from assistant.settings import Settings

_NAME = "shell.sock"
_LONGEST_PATH = 100  # bytes; a socket's is limited by the system
_LONGEST_LINE = 1 << 24  # bytes
_ONLY_SERVED = ("host", "port", "root_path", "sources")  # what says nothing of how a question is answered
_STOPPED = "The server was stopped before the answer was there. Please ask again."


Answer = Callable[[Mapping[str, Any]], Iterator[Mapping[str, Any]]]
"""Does what a command wants, and yields its results. Raises NotedError."""


class Refused(NotedError):
    """The server refused what a command wants, for a reason in its own words."""


def in_server(settings: Settings, wanted: Mapping[str, Any]) -> Iterator[dict[str, Any]] | None:
    """Return the results of what is wanted, from the server of this home; None where none with these settings runs.

    They raise Refused and HeaderUnclear.
    """
    path = _path(settings)
    if path is None:
        return None
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(path))
        connection.sendall(_line({"settings": _digest(settings), "wanted": wanted}))
        lines = connection.makefile("rb")
        if not json.loads(lines.readline() or b'{"takes": false}')["takes"]:
            connection.close()
            return None
    except OSError:
        connection.close()
        return None
    return _results(connection, lines)


def _results(connection: socket.socket, lines: IO[bytes]) -> Iterator[dict[str, Any]]:
    with connection, lines:
        for line in lines:
            told = json.loads(line)
            if "refused" in told:
                raise HeaderUnclear(told["refused"]) if told["code"] == HeaderUnclear.code else Refused(told["refused"])
            if "end" in told:
                return
            yield told["result"]
    raise Refused(_STOPPED)


def listen(settings: Settings, answer: Answer) -> Callable[[], None]:
    """Answer commands of the shell in threads of their own, until what is returned is called.

    Where another server of this home does already, or the system knows no such sockets, nothing is done.
    """
    path = _path(settings)
    if path is None or _is_answered(path):
        return lambda: None
    path.unlink(missing_ok=True)  # of a server that was killed
    server = _Server(str(path), _handler(_digest(settings), answer))
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


def _handler(digest: str, answer: Answer) -> type[socketserver.StreamRequestHandler]:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):  # the command was given up
                settings, wanted = _asked(self.rfile.readline(_LONGEST_LINE))
                takes = settings == digest
                self.wfile.write(_line({"takes": takes}))
                if takes:
                    self._answer(wanted)

        def _answer(self, wanted: Mapping[str, Any]) -> None:
            try:
                with closing(answer(wanted)) as results:  # type: ignore[type-var]
                    for result in results:
                        self.wfile.write(_line({"result": result}))
            except NotedError as error:
                self.wfile.write(_line({"refused": str(error), "code": error.sentence.code}))
            else:
                self.wfile.write(_line({"end": True}))

    return Handler


def _asked(line: bytes) -> tuple[str, Mapping[str, Any]]:
    """Return the settings and what is wanted with them; nothing where the line is cut, or says something else."""
    try:
        asked = json.loads(line)
        return asked["settings"], asked["wanted"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return "", {}


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
