"""An HTTP server of a test on this machine, as a context manager."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self


class LocalServer(ThreadingHTTPServer):
    """A server on 127.0.0.1 that answers in threads from the begin of the block to its end."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, handler: type[BaseHTTPRequestHandler], port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), handler)
        self.closing = threading.Event()

    @property
    def port(self) -> int:
        return self.server_port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self.shutdown()
        self.server_close()


class SilentHandler(BaseHTTPRequestHandler):
    """A handler that logs nothing and closes each connection after its answer."""

    protocol_version = "HTTP/1.1"

    def send_head(self, status: int, headers: dict[str, str]) -> None:
        """Send status and headers. Underscores in header names become hyphens."""
        self.send_response(status)
        for name, value in (headers | {"Connection": "close"}).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def log_message(self, *_: object) -> None: ...
