"""A real HTTP server that speaks the OpenAI chat completions protocol, and breaks it on request.

    with ChatServer() as server:
        server.replies("first answer", faults.status(500), "third answer")
        …  # a client talks to server.url

A reply is a text, or a function that writes to the exchange (see `faults`). Replies are taken from the queue in order;
when it is empty, `server.answer(body)` writes the text.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from select import select
from typing import Any

from tests.support.servers.local_server import LocalServer, SilentHandler

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
        self._handler, self._server, self.request = handler, handler.server, request
        self._streaming = False

    def json(self, status: int, body: Mapping[str, Any], **headers: str) -> None:
        """Send a whole JSON response. Underscores in header names become hyphens."""
        self.raw(json.dumps(body).encode(), status, "application/json", **headers)

    def error(self, status: int, message: str, code: str | None = None, **headers: str) -> None:
        """Send an error in OpenAI's format that repeats prompt and key, as some servers do."""
        message += f" You sent {self.request.body} with {self.request.headers.get('authorization')}."
        self.json(status, {"error": {"message": message, "type": "fault", "param": None, "code": code}}, **headers)

    def raw(self, body: bytes, status: int = 200, content_type: str = "text/html", **headers: str) -> None:
        self._handler.send_head(status, {"Content-Type": content_type, "Content-Length": str(len(body)), **headers})
        self.write(body)

    def begin(self, content_type: str = "text/event-stream") -> None:
        self._handler.send_head(200, {"Content-Type": content_type, "Transfer-Encoding": "chunked"})
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

    def whole(self, text: str) -> None:
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        self.json(200, self._envelope("chat.completion", [choice]) | {"usage": usage})

    def answer(self, text: str) -> None:
        """Send a reply as requested: streamed or whole."""
        if not self.request.body.get("stream"):
            self.whole(text)
            return
        self.begin()
        self.delta({"role": "assistant", "content": ""})
        self.text(text)
        self.finish()

    def write(self, data: bytes) -> None:
        self._handler.wfile.write(data)
        self._handler.wfile.flush()

    def stall(self) -> None:
        """Wait until the client disconnects or the server is closed."""
        connection = self._handler.connection
        while not self._server.closing.is_set():
            if select([connection], [], [], 0.02)[0] and not connection.recv(1):
                raise ConnectionResetError

    def reset(self) -> None:
        self._handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        socket.close(self._handler.connection.detach())
        self._handler.close_connection = True
        raise ConnectionResetError

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


class ChatServer(LocalServer):
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
        self.answer, self.aside, self.piece = answer, aside, piece
        self.requests: list[Request] = []
        self.lists: dict[str, Callable[[Exchange], None]] = {}
        self._queue: deque[str | Callable[[Exchange], None]] = deque()
        self._lock = threading.Lock()
        super().__init__(_Handler, port)

    @property
    def url(self) -> str:
        return f"{super().url}/v1"

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

    def next_reply(self, request: Request, *, is_list: bool) -> str | Callable[[Exchange], None]:
        reply: str | Callable[[Exchange], None] | None = None if is_list else self.aside(request.body)
        if reply is not None:
            return reply
        with self._lock:
            self.requests.append(request)
            if is_list:
                reply = self.lists.get(request.path, lambda exchange: exchange.error(404, "Not found."))
            else:
                reply = self._queue.popleft() if self._queue else self.answer(request.body)
        return reply


class _Handler(SilentHandler):
    server: ChatServer

    def do_GET(self) -> None:  # noqa: N802
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "{}")
        request = Request(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        reply, exchange = self.server.next_reply(request, is_list=self.command == "GET"), Exchange(self, request)
        try:
            if callable(reply):
                reply(exchange)
            else:
                exchange.answer(reply)
        except (BrokenPipeError, ConnectionResetError):
            request.disconnected.set()
        else:
            exchange.end()

    do_POST = do_GET  # noqa: N815
