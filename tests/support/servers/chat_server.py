"""A real HTTP server that speaks the OpenAI chat completions protocol, and breaks it on request.

    with ChatServer() as server:
        server.replies("first answer", faults.status(500), "third answer")
        …  # a client talks to server.url

A reply is a text, or a function that writes to the exchange (see `faults`). Replies are taken from the queue in order;
when it is empty, `server.answer(body)` writes the text.
"""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Body = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """A received request, with header names in lower case.

    `disconnected` is set when the client disconnects before the end.
    """

    path: str
    headers: Mapping[str, str]
    body: Body
    disconnected: threading.Event = field(default_factory=threading.Event)

    @property
    def question(self) -> str:
        return str(self.body["messages"][-1]["content"])


class Exchange:
    """A request, and methods to answer it well or badly."""

    def __init__(self, handler: _Handler, request: Request) -> None:
        self._handler = handler
        self._server = handler.server.chat
        self.request = request
        self._streaming = False

    def json(self, status: int, body: Mapping[str, Any], **headers: str) -> None:
        """Send a whole JSON response. Underscores in header names become hyphens."""
        self.raw(json.dumps(body).encode(), status, "application/json", **headers)

    def error(self, status: int, message: str, code: str | None = None, **headers: str) -> None:
        """Send an error in OpenAI's format that repeats prompt and key, as some servers do."""
        message += f" You sent {self.request.body} with {self.request.headers.get('authorization')}."
        self.json(status, {"error": {"message": message, "type": "fault", "param": None, "code": code}}, **headers)

    def raw(self, body: bytes, status: int = 200, content_type: str = "text/html", **headers: str) -> None:
        self._head(status, {"Content-Type": content_type, "Content-Length": str(len(body)), **headers})
        self.write(body)

    def begin(self, content_type: str = "text/event-stream") -> None:
        self._head(200, {"Content-Type": content_type, "Transfer-Encoding": "chunked"})
        self._streaming = True

    def stream_bytes(self, data: bytes) -> None:
        self.write(b"%x\r\n%b\r\n" % (len(data), data))

    def end(self) -> None:
        """End the chunked response, if one has begun."""
        if self._streaming:
            self.write(b"0\r\n\r\n")

    def text(self, text: str) -> None:
        """Stream a text in pieces of `server.piece` characters."""
        for start in range(0, len(text), self._server.piece):
            self.delta({"content": text[start : start + self._server.piece]})

    def delta(self, delta: Mapping[str, Any], finish_reason: str | None = None) -> None:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        self.event(json.dumps(self._envelope("chat.completion.chunk", [choice])))

    def event(self, data: str) -> None:
        self.stream_bytes(f"data: {data}\n\n".encode())

    def finish(self, reason: str = "stop") -> None:
        self.delta({}, reason)
        self.event("[DONE]")

    def whole(self, text: str | None, finish_reason: str = "stop") -> None:
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish_reason}
        self.json(200, self._envelope("chat.completion", [choice]) | {"usage": usage})

    def write(self, data: bytes) -> None:
        self._handler.wfile.write(data)
        self._handler.wfile.flush()

    def stall(self) -> None:
        """Wait until the client disconnects or the server is closed."""
        connection = self._handler.connection
        readable, _, _ = select.select([connection, self._server.closing], [], [])
        if connection in readable and not connection.recv(1):
            raise ConnectionResetError

    def reset(self) -> None:
        linger = b"\x01\x00\x00\x00\x00\x00\x00\x00"
        self._handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        socket.close(self._handler.connection.detach())
        self._handler.close_connection = True
        raise ConnectionResetError

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self._handler.send_response(status)
        for name, value in headers.items():
            self._handler.send_header(name.replace("_", "-"), value)
        self._handler.send_header("Connection", "close")
        self._handler.end_headers()

    def _envelope(self, kind: str, choices: list[Body]) -> Body:
        model = str(self.request.body.get("model", ""))
        return {"id": "chatcmpl-1", "object": kind, "created": int(time.time()), "model": model, "choices": choices}


def reply_with_usage(text: str, prompt: int, reply: int) -> Callable[[Exchange], None]:
    """Return a reply that ends with its token counts."""

    def answer(exchange: Exchange) -> None:
        exchange.begin()
        exchange.text(text)
        exchange.delta({}, "stop")
        usage = {"prompt_tokens": prompt, "completion_tokens": reply, "total_tokens": prompt + reply}
        exchange.event(json.dumps({"object": "chat.completion.chunk", "choices": [], "usage": usage}))
        exchange.event("[DONE]")

    return answer


class ChatServer:
    """The server on 127.0.0.1, as a context manager.

    Args:
        answer: makes a reply from the body of a request when none is queued.
        piece: characters in one chunk of a stream.
        aside: replies to requests that take nothing from the queue and are not recorded; None for all others.
        port: 0 for any free one.

    Attributes:
        requests: received requests, oldest first.
        lists: replies to GET requests by path; other paths return 404.
    """

    def __init__(
        self,
        answer: Callable[[Body], str | Callable[[Exchange], None]] = lambda body: "An answer.",
        piece: int = 5,
        aside: Callable[[Body], str | None] = lambda body: None,
        port: int = 0,
    ) -> None:
        self.answer = answer
        self.aside = aside
        self.piece = piece
        self.requests: list[Request] = []
        self.lists: dict[str, Callable[[Exchange], None]] = {}
        self._queue: deque[str | Callable[[Exchange], None]] = deque()
        self._lock = threading.Lock()
        self._http = _HTTPServer(self, port)
        self.closing, self._close = socket.socketpair()
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def port(self) -> int:
        return self._http.server_port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def settings(self) -> dict[str, str]:
        """Return the settings of an app that uses this server and proposes no lessons."""
        model = {"NOTED_MODEL": "openai/test", "NOTED_API_BASE": self.url, "NOTED_API_KEY": "none"}
        return {**model, "NOTED_PROPOSE_LESSONS": "off"}

    def replies(self, *replies: str | Callable[[Exchange], None]) -> None:
        """Queue replies to the next requests."""
        self._queue.extend(replies)

    def forget_replies(self) -> None:
        self._queue.clear()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._close.close()
        self._http.shutdown()
        self._http.server_close()
        self.closing.close()

    def handle(self, exchange: Exchange, *, is_list: bool = False) -> None:
        reply: str | Callable[[Exchange], None] | None = None if is_list else self.aside(exchange.request.body)
        with self._lock:
            if reply is None:
                self.requests.append(exchange.request)
                if is_list:
                    reply = self.lists.get(exchange.request.path, lambda exchange: exchange.error(404, "Not found."))
                else:
                    reply = self._queue.popleft() if self._queue else self.answer(exchange.request.body)
        try:
            if callable(reply):
                reply(exchange)
            else:
                _answer(exchange, reply)
        except (BrokenPipeError, ConnectionResetError):
            exchange.request.disconnected.set()
        else:
            exchange.end()


def _answer(exchange: Exchange, text: str) -> None:
    if not exchange.request.body.get("stream"):
        exchange.whole(text)
        return
    exchange.begin()
    exchange.delta({"role": "assistant", "content": ""})
    exchange.text(text)
    exchange.finish()


class _HTTPServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, chat: ChatServer, port: int) -> None:
        self.chat = chat
        super().__init__(("127.0.0.1", port), _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _HTTPServer

    def do_GET(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "{}")
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.chat.handle(Exchange(self, Request(self.path, headers, body)), is_list=self.command == "GET")

    do_POST = do_GET  # noqa: N815

    def log_message(self, *args: object) -> None:
        """Log nothing; tests read `requests`."""
