"""A reverse proxy on this machine, as in front of a hosted app."""

import socket
import socketserver
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import MappingProxyType
from urllib.parse import urlsplit


@contextmanager
def run_proxy(url: str, path: str, headers: Mapping[str, str] = MappingProxyType({})) -> Iterator[str]:
    """Serve the app at `url` below `path`, which is stripped, with these headers; yield the new address."""
    upstream = urlsplit(url)
    replaced = {"connection": "close"} | {name.lower(): value for name, value in headers.items()}

    class Handler(socketserver.StreamRequestHandler):
        rbufsize = 0  # the body stays on the connection

        def handle(self) -> None:
            method, _, target = self.rfile.readline().decode("latin-1").partition(" ")
            lines = [line.decode("latin-1") for line in iter(self.rfile.readline, b"\r\n") if line]
            if not target.startswith(f"{path}/"):
                self.wfile.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return
            kept = [line for line in lines if line.partition(":")[0].lower() not in replaced]
            head = [f"{method} {target.removeprefix(path)}", *kept, *map("{0[0]}: {0[1]}\r\n".format, replaced.items())]
            with socket.create_connection((str(upstream.hostname), upstream.port or 80)) as connection:
                connection.sendall("".join([*head, "\r\n"]).encode("latin-1"))
                threading.Thread(target=_copy, args=(self.connection, connection), daemon=True).start()
                _copy(connection, self.connection)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}{path}/"
        server.shutdown()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):  # one side has closed
        while data := source.recv(65536):
            target.sendall(data)
