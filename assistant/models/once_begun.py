"""A stream that is begun once, for a reader that begins it again for each chunk."""

from __future__ import annotations

from typing import Any, Self


class _OnceBegun:
    """An asynchronous iterator that is its own beginning; in all else, the stream."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._begun = aiter(stream)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        return await anext(self._begun)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def once_begun(stream: Any) -> Any:
    """The stream, as litellm had better read it; as it is, where it cannot be read so.

    litellm begins the stream of a provider anew for each chunk. That of the openai client makes a generator of each
    beginning, which Python then closes with a task and a signal to the event loop, for each word of each answer.
    """
    return _OnceBegun(stream) if hasattr(stream, "__aiter__") else stream
