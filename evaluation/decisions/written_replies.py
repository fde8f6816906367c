"""Replies that were written for prompts beforehand, so that a measurement with a language model needs none at hand."""

import json
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path

from assistant.model_usage import Count, not_counted
from assistant.prompt.envelope import read_blocks
from assistant.types import Message
from evaluation.reading import BadInput, read_replies
from evaluation.replies import prompt_hash
from evaluation.store_filling import Filled

_NAME = "written"
_EMPTY = "<understanding>?</understanding>\n<answer>?</answer>"  # names no note


class WrittenReplies:
    """Implements `ChatModel` with the lines of a file: {"prompt": its hash, "reply": text}.

    A prompt that shows something remembered and has no reply is kept, to be written for; with such a prompt, no
    measurement counts (`check`).
    """

    name, window, writes_keys = _NAME, 32_768, False

    def __init__(self, path: Path) -> None:
        self._path = path
        self._replies = read_replies(path) if path.exists() else {}
        self._missing: dict[str, tuple[Message, ...]] = {}

    def stream(self, messages: Sequence[Message], count: Count = not_counted) -> Generator[str, None, None]:  # noqa: ARG002
        blocks, _ = read_blocks(messages[-1].content)
        prompt = prompt_hash(_NAME, messages)
        if blocks and prompt not in self._replies:
            self._missing[prompt] = tuple(messages)
        yield self._replies.get(prompt, _EMPTY)

    def answering_in(self, filled: Filled) -> Filled:
        """The app with this model, and with what suits a connected one."""
        services = filled.services
        assistant = services.assistant.with_parts(services.models.connected, model=self)
        return replace(filled, services=replace(services, assistant=assistant))

    def check(self) -> None:
        """Raises BadInput where a prompt had no reply. Those stand in a file then, ready to be answered."""
        if not self._missing:
            return
        path = self._path.with_suffix(".missing.jsonl")
        with path.open("w", encoding="utf-8") as file:
            for prompt, messages in self._missing.items():
                told = [{"role": message.role.value, "content": message.content} for message in messages]
                file.write(json.dumps({"prompt": prompt, "messages": told}, ensure_ascii=False) + "\n")
        raise BadInput(f"{len(self._missing):,} prompts have no reply in {self._path} yet; they stand in {path}.")
