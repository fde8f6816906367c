"""Faults between a client and a chat server, as replies for a `ChatServer`."""

import json
import threading
from collections.abc import Callable
from functools import partial

from tests.support.servers.chat_server import Exchange

Fault = Callable[[Exchange], None]


def _error(status: int, message: str, code: str | None = None, **headers: str) -> Fault:
    return lambda exchange: exchange.error(status, message, code, **headers)


def _stream(exchange: Exchange, text: str, then: Fault) -> None:
    exchange.begin()
    exchange.delta({"role": "assistant", "content": ""})
    exchange.text(text)
    then(exchange)


refused_key = _error(401, "Incorrect API key provided.", "invalid_api_key")
unknown_model = _error(404, "The model does not exist.", "model_not_found")
bad_request = _error(400, "Unknown parameter.", "unknown_parameter")
context_too_long = _error(
    400,
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    "context_length_exceeded",
)
reset: Fault = Exchange.reset  # before any answer
no_response: Fault = Exchange.stall  # not even headers


def rate_limited(seconds: str) -> Fault:
    return _error(429, "Rate limit reached.", "rate_limit_exceeded", Retry_After=seconds)


def status(code: int) -> Fault:
    return _error(code, "The server had an error.")


def content_filter(text: str) -> Fault:
    return partial(_stream, text=text, then=lambda exchange: exchange.finish("content_filter"))


def slow_first_token(exchange: Exchange) -> None:
    exchange.begin()
    exchange.stall()


def stalls_after(text: str) -> Fault:
    return partial(_stream, text=text, then=Exchange.stall)


def resets_after(text: str) -> Fault:
    return partial(_stream, text=text, then=Exchange.reset)


def malformed_after(text: str) -> Fault:
    return partial(_stream, text=text, then=lambda exchange: exchange.event('{"id": "chatcmpl-1", "choi'))


def reason_first(thoughts: str, text: str) -> Fault:
    """Return a reply of a model that streams its reasoning first."""

    def reply(exchange: Exchange) -> None:
        exchange.begin()
        exchange.delta({"reasoning_content": thoughts})
        exchange.text(text)
        exchange.finish()

    return reply


def html(exchange: Exchange) -> None:
    """Reply with a page with status 200, as from a wrong address or a login wall."""
    exchange.raw(b"<!doctype html><html><body>Welcome</body></html>")


def malformed_json(exchange: Exchange) -> None:
    """Reply with invalid JSON and status 200."""
    exchange.raw(b'{"id": "chatcmpl-1", "choi', content_type="application/json")


def stream_until(told: threading.Event, text: str, rest: str) -> Fault:
    """Return a reply that streams `text`, and `rest` once `told` is set."""

    def hold(exchange: Exchange) -> None:
        told.wait()
        exchange.text(rest)
        exchange.finish()

    return partial(_stream, text=text, then=hold)


def ollama(text: str, prompt_tokens: int) -> Fault:
    """Return a reply in Ollama's own protocol, with the number of prompt tokens that it read."""

    def reply(exchange: Exchange) -> None:
        exchange.begin("application/x-ndjson")
        end = {"done": True, "done_reason": "stop", "prompt_eval_count": prompt_tokens, "eval_count": 3}
        for content, state in ((text, {"done": False}), ("", end)):
            message = {"role": "assistant", "content": content}
            line = {"model": "any", "created_at": "2026-01-01T00:00:00Z", "message": message, **state}
            exchange.stream_bytes(json.dumps(line).encode() + b"\n")

    return reply
