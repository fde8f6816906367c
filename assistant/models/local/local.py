"""A GGUF model in this process, as a `ChatModel`."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from queue import Empty
from typing import Any

from assistant.errors import EmptyReply, ModelError
from assistant.events import Phase, Sign
from assistant.model_usage import Count, ignore_usage
from assistant.models.local.engine import Engine
from assistant.models.local.gguf_header import DEFAULT_WINDOW, FileGone, read_header
from assistant.types import Message

_IDLE_SECONDS = 0.25
_BYTES_PER_TOKEN = 3
# Maximum tokens of a reply: this factor times the tokens of the last message, at least the second number.
_REPLY_FOR_TOKEN, _SHORTEST_LIMIT = 16, 256
_DRAWING = 0.7  # temperature


@dataclass(eq=False, repr=False)
class LocalModel:
    """`ChatModel` by llama.cpp. Requests are queued, and run one at a time."""

    path: Path
    _: KW_ONLY
    context: int | None = None  # maximum prompt and reply together, in tokens; None: `DEFAULT_WINDOW`
    reply_tokens: int = 8000  # maximum reply; at most a quarter of the window
    temperature: float = 0.2  # small models digress at llama.cpp's default of 0.8
    download_name: str = ""  # name for `noted models get`; empty for another file
    shared: Engine | None = None  # of the model that this one drafts for
    engine: Engine = field(init=False)
    is_small: bool = True  # gets the short prompt
    is_here = True
    writes_keys = False  # each call would delay the next question for seconds

    def __post_init__(self) -> None:
        self.engine = self.shared or Engine(self.path, self.name, self.context)

    @property
    def name(self) -> str:
        return f"local/{self.path.stem}"

    @property
    def window(self) -> int:
        try:
            return read_header(self.path).window(self.context)
        except ModelError:  # the file may be downloaded later
            return self.context or DEFAULT_WINDOW

    def start(self) -> None:
        """Load the model in the background, before the first question."""
        self.engine.submit({})

    def close(self) -> None:
        """Stop every request and free the model."""
        self.engine.close()

    def drafting(self, count: int) -> Sequence[LocalModel]:
        """Return one greedy model, and `count` - 1 that sample; they share the engine."""
        temperatures = [0.0, *[_DRAWING] * (count - 1)]
        return [replace(self, temperature=temperature, shared=self.engine) for temperature in temperatures]

    def stream(self, messages: Sequence[Message], count: Count = ignore_usage) -> Generator[str, None, None]:
        """Stream the reply, see `ChatModel`. Closing the generator stops the model after the current token."""
        job = self.engine.submit(self._request(messages))
        begun = False
        try:
            while True:
                try:
                    piece = job.pieces.get(timeout=_IDLE_SECONDS)
                except Empty:
                    yield "" if self.engine.is_loaded else Sign(Phase.LOADING)
                    continue
                if piece is None:
                    break
                if isinstance(piece, FileGone) and self.download_name:
                    raise ModelError("local.no_such_model", name=self.download_name)
                if isinstance(piece, ModelError):
                    raise piece
                begun = begun or bool(piece.strip())
                if begun:
                    yield piece
            if not begun:
                raise EmptyReply
        finally:
            job.stopped = True
            if job.usage is not None:
                count(job.usage)

    def _request(self, messages: Sequence[Message]) -> dict[str, Any]:
        last = messages[-1]
        asked = len(last.content.encode("utf-8", "replace")) // _BYTES_PER_TOKEN
        longest = min(max(_SHORTEST_LIMIT, _REPLY_FOR_TOKEN * asked), self.reply_tokens, self.window // 4)
        request = {
            "messages": [{"role": message.role.value, "content": message.content} for message in messages],
            "stream": True,
            "max_tokens": longest,
            "cache_prompt": True,
            "return_progress": True,  # allows stopping while the prompt is read
            "timings_per_token": True,
            "chat_template_kwargs": {"enable_thinking": False},
            "temperature": self.temperature,
        }
        return request | ({"grammar": last.grammar} if last.grammar else {})
