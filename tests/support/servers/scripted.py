"""A `ChatModel` with queued replies that records its prompts."""

from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field

from assistant.model_usage import Count, Usage, ignore_usage
from assistant.types import Message


@dataclass(frozen=True, slots=True)
class BrokenReply:
    """A reply that fails: raises `error` after `text`."""

    text: str
    error: Exception


ScriptedReply = str | tuple[str, ...] | Exception | BrokenReply


@dataclass
class ScriptedModel:
    """A model that replies from a queue, in order, in pieces of `piece` characters."""

    replies: Sequence[ScriptedReply] = ()  # texts, texts in pieces, exceptions to raise, or texts that break
    # makes the reply from the messages when the queue is empty
    reply: Callable[[Sequence[Message]], str] | None = None
    piece: int = 7  # characters
    name: str = "scripted"
    window: int = 8192  # longest prompt and reply together, in tokens
    writes_keys: bool = False  # it gets prompts for further keys
    usage: Usage | None = None  # reported for each call, if any
    # the messages of each call, oldest first
    asked: list[tuple[Message, ...]] = field(default_factory=list, init=False)
    closed_early: int = field(default=0, init=False)  # calls whose generator was closed before its end
    running: int = field(default=0, init=False)  # calls whose generator has not ended

    def __post_init__(self) -> None:
        self._queue = deque(self.replies)

    def enqueue(self, *replies: ScriptedReply) -> None:
        """Add replies to the end of the queue."""
        self._queue.extend(replies)

    def stream(self, messages: Sequence[Message], count: Count = ignore_usage) -> Generator[str, None, None]:
        """Yield the next reply in pieces. Raises as scripted, or RuntimeError."""
        self.asked.append(tuple(messages))
        pieces, error = self._next(messages)
        self.running += 1
        try:
            yield from pieces
        except GeneratorExit:
            self.closed_early += 1
            raise
        finally:
            self.running -= 1
            if self.usage is not None:
                count(self.usage)
        if error is not None:
            raise error

    def _next(self, messages: Sequence[Message]) -> tuple[Sequence[str], Exception | None]:
        if not self._queue:
            if self.reply is None:
                raise RuntimeError(f"call {len(self.asked)} to the model {self.name!r}, but no reply is left")
            return self._in_pieces(self.reply(messages)), None
        match self._queue.popleft():
            case str(text):
                return self._in_pieces(text), None
            case tuple(pieces):
                return pieces, None
            case BrokenReply(text, error):
                return self._in_pieces(text), error
            case error:
                return (), error

    def _in_pieces(self, text: str) -> list[str]:
        return [text[start : start + self.piece] for start in range(0, len(text), self.piece)]
