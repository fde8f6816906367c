"""What middleware does with the messages of ASGI."""

from starlette.types import Message, Receive


def with_body(body: bytes, receive: Receive) -> Receive:
    """Brings this as the body of a request, of which the own one has been read, and then what `receive` brings."""
    whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_body() -> Message:
        return whole.pop() if whole else await receive()

    return receive_body
