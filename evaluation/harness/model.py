"""Wrap a model to count its tokens and cache its replies."""

import hashlib
import json
import re
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from assistant.model_usage import Count, ignore_usage
from assistant.models.choice import is_small
from assistant.ports import ChatModel, Drafting
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
    asked: int = field(default=0, compare=False)  # calls whose reply was not cached

    def said(self, seconds: float, total: int, what: str) -> str:
        """Return a sentence about the cost of one step, which this is, and the expected cost of all."""
        tokens, hours = self.prompt + self.reply, seconds * total / 3600
        took = f"{hours:.1f} hours" if hours > 1 else f"{60 * hours:.0f} minutes"
        return (
            f"The first of {total:,} {what} took {self.calls:,} calls, {tokens:,} tokens and {seconds:.1f} s; "
            f"all would take {total * self.calls:,} calls, {total * tokens:,} tokens and {took}."
        )


class MeasuredModel:
    """Implements `ChatModel` and `Drafting` by another model and counts its tokens; for one thread.

    With a cache file, complete replies are stored by prompt. Several processes may share the file.
    """

    def __init__(self, model: ChatModel, cache: Path | None = None) -> None:
        self.name, self.window, self.writes_keys = model.name, model.window, model.writes_keys
        self.is_small = is_small(model)  # not measured anew, so that all questions of a run get the same prompt
        self._model, self._cache, self.cost = model, cache, Cost()
        if cache is not None:
            cache.parent.mkdir(parents=True, exist_ok=True)
            with self._file() as file:
                file.execute("CREATE TABLE IF NOT EXISTS replies (prompt TEXT PRIMARY KEY, reply TEXT NOT NULL)")

    def take_cost(self) -> Cost:
        """Return the cost since the last call."""
        cost, self.cost = self.cost, Cost()
        return cost

    def drafting(self, count: int) -> Sequence[ChatModel]:
        """Return models for drafts, which are counted and not cached; only this one where it cannot draft."""
        if not isinstance(self._model, Drafting):
            return [self]
        drafts = [MeasuredModel(one) for one in self._model.drafting(count)]
        for one in drafts:
            one.cost = self.cost
        return drafts

    def stream(self, messages: Sequence[Message], count: Count = ignore_usage) -> Generator[str, None, None]:
        self.cost.calls += 1
        self.cost.prompt += sum(estimate_tokens(message.content) for message in messages)
        pieces = self._cached(messages, count) if self._cache else self._asked(messages, count)
        for piece in pieces:
            self.cost.reply += estimate_tokens(piece)
            yield piece

    def _asked(self, messages: Sequence[Message], count: Count) -> Generator[str, None, None]:
        self.cost.asked += 1
        return self._model.stream(messages, count)

    def _cached(self, messages: Sequence[Message], count: Count) -> Generator[str, None, None]:
        prompt = prompt_hash(self.name, messages)
        with self._file() as file:
            known = file.execute("SELECT reply FROM replies WHERE prompt = ?", (prompt,)).fetchone()
        if known is not None:
            yield known[0]
            return
        pieces = []
        for piece in self._asked(messages, count):
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
