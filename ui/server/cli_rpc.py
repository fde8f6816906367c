"""CLI RPC: commands reach the server of the same home by a Unix socket that only its account can open.

The request is a line of JSON with a command and a digest of the settings. The reply is lines of JSON: whether the
server accepts, which it does if the settings match, and then the results.
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
_LONGEST_PATH = 100  # bytes; a limit of the system for sockets
_LONGEST_LINE = 1 << 24  # bytes
_ONLY_SERVED = ("host", "port", "root_path", "sources")  # settings that do not affect answers
_STOPPED = "The server was stopped before the answer was there. Please ask again."


Answer = Callable[[Mapping[str, Any]], Iterator[Mapping[str, Any]]]
"""Run a command and yield its results. Raises NotedError."""


class Refused(NotedError):
    """The server refused the command, with a reason."""


def call_server(settings: Settings, wanted: Mapping[str, Any]) -> Iterator[dict[str, Any]] | None:
    """Yield the results of a command from the server of this home; return None if none runs with these settings.

    Iterating raises Refused and HeaderUnclear.
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
    """Answer commands in threads until the returned function is called.

    Does nothing if another server of this home listens, or the system has no Unix sockets.
    """
    path = _path(settings)
    if path is None or _is_answered(path):
        return lambda: None
    path.unlink(missing_ok=True)  # left by a killed server
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
            with suppress(OSError):  # the client left
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
    """Return the digest of settings and the command; empty if the line is invalid."""
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
    told["zone"] = (*time.tzname, time.timezone)  # the time zone decides today's date
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _line(told: Mapping[str, Any]) -> bytes:
    return json.dumps(told).encode() + b"\n"
