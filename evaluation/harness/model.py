"""Wrap a model to count its tokens and cache its replies."""

import hashlib
import json
import re
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from assistant.model_usage import Count, not_counted
from assistant.ports import ChatModel
from assistant.prompt.prompt import estimate_tokens
from assistant.types import Message

# Prompts of two runs differ only in the markers of stored text, which are random per store, and in dates.
_MARKER = re.compile(r"(?<=<)(/?[a-z]+) [0-9a-f]{6}(?=>)")
_DAY = re.compile(r'(?<="on": ")\d{4}-\d\d-\d\d(?=")|(?<=^Today is )\w+, \d{4}-\d\d-\d\d(?=\.$)', re.MULTILINE)
_SECONDS_TO_WAIT = 30.0


@dataclass(slots=True)
class Cost:
    """Calls and tokens, by `assistant.prompt.prompt.estimate_tokens`."""

    calls: int = 0
    prompt: int = 0
    reply: int = 0


class MeasuredModel:
    """Implements `ChatModel` by another model and counts its tokens; for one thread.

    With a cache file, complete replies are stored by prompt. Several processes may share the file.
    """

    def __init__(self, model: ChatModel, cache: Path | None = None) -> None:
        self.name, self.window, self.writes_keys = model.name, model.window, model.writes_keys
        self._model, self._cache, self._cost = model, cache, Cost()
        if cache is not None:
            cache.parent.mkdir(parents=True, exist_ok=True)
            with self._file() as file:
                file.execute("CREATE TABLE IF NOT EXISTS replies (prompt TEXT PRIMARY KEY, reply TEXT NOT NULL)")

    def take_cost(self) -> Cost:
        """Return the cost since the last call."""
        cost, self._cost = self._cost, Cost()
        return cost

    def stream(self, messages: Sequence[Message], count: Count = not_counted) -> Generator[str, None, None]:
        self._cost.calls += 1
        self._cost.prompt += sum(estimate_tokens(message.content) for message in messages)
        pieces = self._cached(messages, count) if self._cache else self._model.stream(messages, count)
        for piece in pieces:
            self._cost.reply += estimate_tokens(piece)
            yield piece

    def _cached(self, messages: Sequence[Message], count: Count) -> Generator[str, None, None]:
        prompt = prompt_hash(self.name, messages)
        with self._file() as file:
            known = file.execute("SELECT reply FROM replies WHERE prompt = ?", (prompt,)).fetchone()
        if known is not None:
            yield known[0]
            return
        pieces = []
        for piece in self._model.stream(messages, count):
            pieces.append(piece)
            yield piece
        with self._file() as file, file:
            file.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", (prompt, "".join(pieces)))

    def _file(self) -> closing[sqlite3.Connection]:
        return closing(sqlite3.connect(str(self._cache), timeout=_SECONDS_TO_WAIT))


def prompt_hash(model: str, messages: Sequence[Message]) -> str:
    """Return a hash of a prompt that is the same for any store and day."""
    said = [(message.role.value, _DAY.sub("", _MARKER.sub(r"\1", message.content))) for message in messages]
    return hashlib.sha256(json.dumps([model, said]).encode()).hexdigest()
