"""Helpers for ASGI messages."""

from starlette.types import Message, Receive


def with_body(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that replays a body that was read already, then continues with `receive`."""
    whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_body() -> Message:
        return whole.pop() if whole else await receive()

    return receive_body
