"""Model replies with further keys, and detection of prompts for them."""

import time
from collections.abc import Callable
from typing import Any

from assistant.types import Entry, KeyOrigin, Message

PARAPHRASES = tuple(f"paraphrase number {number}" for number in range(1, 7))
KEYS_REPLY = (
    "<phrase>akin</phrase>\n<meaning>of the same meaning</meaning>\n"
    "<applies>Questions for a word like another</applies>\n"
    + "\n".join(f"<paraphrase>{text}</paraphrase>" for text in PARAPHRASES)
)
KEY_TEXTS = ("akin", "of the same meaning", "Questions for a word like another", *PARAPHRASES)


def find_model_keys(entry: Entry) -> tuple[str, ...]:
    return tuple(key.text for key in entry.keys if key.origin is KeyOrigin.MODEL)


def asks_for_keys(body: dict[str, Any]) -> bool:
    return "find again" in str(body["messages"][0]["content"])


def reply_in_background(body: dict[str, Any]) -> str | None:
    """Return a reply to prompts for keys or a lesson; None for prompts for an answer."""
    if asks_for_keys(body):
        return KEYS_REPLY
    return "NONE" if "what is to be learnt" in str(body["messages"][0]["content"]) else None


def wants_keys(messages: tuple[Message, ...]) -> bool:
    return "find again" in messages[0].content


def wait_until(condition: Callable[[], object], seconds: float = 20.0) -> None:
    """Wait for a condition; raise AssertionError on timeout."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.01)
