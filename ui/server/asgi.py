"""What middleware does with the messages of ASGI."""

from starlette.types import ASGIApp, Message, Receive
from starlette.types import Scope as Connection


async def whole_answer(app: ASGIApp, connection: Connection, receive: Receive) -> tuple[Message, bytes]:
    """What an application answers: the message that begins it, and all of its body."""
    start: Message = {}
    body = b""

    async def collect(message: Message) -> None:
        nonlocal start, body
        if message["type"] == "http.response.start":
            start = message
        else:
            body += message.get("body", b"")

    await app(connection, receive, collect)
    return start, body


def with_body(body: bytes, receive: Receive) -> Receive:
    """Brings this as the body of a request, of which the own one has been read, and then what `receive` brings."""
    whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_body() -> Message:
        return whole.pop() if whole else await receive()

    return receive_body
