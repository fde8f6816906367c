"""A model as it is measured: what each question costs, and no reply paid for twice."""

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

# What differs between two runs of the same experiment and says nothing: the markers around remembered text, which every
# store has its own of, and the days on which something was said and is asked.
_MARKER = re.compile(r"(?<=<)(/?[a-z]+) [0-9a-f]{6}(?=>)")
_DAY = re.compile(r'(?<="on": ")\d{4}-\d\d-\d\d(?=")|(?<=^Today is )\w+, \d{4}-\d\d-\d\d(?=\.$)', re.MULTILINE)
_SECONDS_TO_WAIT = 30.0


@dataclass(slots=True)
class Cost:
    """Tokens, as `assistant.prompt.prompt.estimate_tokens` counts them, and calls."""

    calls: int = 0
    prompt: int = 0
    reply: int = 0


class _Around:
    """A model that says of itself what the one within says."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.name, self.window = model.name, model.window
        self.writes_keys = model.writes_keys


class CountedModel(_Around):
    """Implements `ChatModel`: the same model, with its tokens counted. For one thread."""

    def __init__(self, model: ChatModel) -> None:
        super().__init__(model)
        self._cost = Cost()

    def take_cost(self) -> Cost:
        """What was asked since this was called last."""
        cost, self._cost = self._cost, Cost()
        return cost

    def stream(self, messages: Sequence[Message], count: Count = not_counted) -> Generator[str, None, None]:
        self._cost.calls += 1
        self._cost.prompt += sum(estimate_tokens(message.content) for message in messages)
        for piece in self._model.stream(messages, count):
            self._cost.reply += estimate_tokens(piece)
            yield piece


class KeptReplies(_Around):
    """Implements `ChatModel`: a reply that was given to the same prompt before is given again, for nothing.

    Only whole replies are kept, in an SQLite file that is made where there is none. Several processes may share it.
    """

    def __init__(self, model: ChatModel, path: Path) -> None:
        super().__init__(model)
        self._path = path
        with self._file() as file:
            file.execute("CREATE TABLE IF NOT EXISTS replies (prompt TEXT PRIMARY KEY, reply TEXT NOT NULL)")

    def stream(self, messages: Sequence[Message], count: Count = not_counted) -> Generator[str, None, None]:
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
        return closing(sqlite3.connect(self._path, timeout=_SECONDS_TO_WAIT))


def prompt_hash(model: str, messages: Sequence[Message]) -> str:
    """The same for prompts that say the same, whichever store they come from."""
    said = [(message.role.value, _DAY.sub("", _MARKER.sub(r"\1", message.content))) for message in messages]
    return hashlib.sha256(json.dumps([model, said]).encode()).hexdigest()
