"""Trace a question and a correction: `python -m tools.trace_turn` prints the files and calls of Noted that each takes.

It runs on an empty store without an embedder, once with the embedded model and once with one that says a fixed reply
to a language model's prompt. Counted are the functions that the thread of the turn enters, in files of this repository.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from assistant.conversation import Assistant
from assistant.events import Event, RunSoFar
from assistant.model_usage import Count, not_counted
from assistant.types import Message, Scope, Turn
from evaluation.store_filling import fresh_app

ROOT = Path(__file__).resolve().parents[1]
_REPLY = "<notes>none</notes><understanding>You want a synonym.</understanding><answer>fast</answer>"
_QUESTION, _CORRECTION = "What is akin to quick?", "a word with the same meaning"


@dataclass(slots=True)
class Trace:
    """What ran while a turn did."""

    turn: Turn
    files: dict[str, None] = field(default_factory=dict)  # paths in the repository, in the order of first entering
    calls: int = 0


def trace(events: Iterable[Event]) -> Trace:
    """Return what runs in this thread while events come."""
    entered: list[str] = []

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            entered.append(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        turn = RunSoFar().after(events).turn
    finally:
        sys.setprofile(before)
    own = (name for name in entered if name.startswith(f"{ROOT}/") and ".venv" not in name)
    ours = [str(Path(name).relative_to(ROOT)) for name in own]
    return Trace(turn, dict.fromkeys(ours), len(ours))


class Fixed:
    """A `ChatModel` that always says the same."""

    name, writes_keys, window = "fixed", False, 8_000

    def stream(self, messages: Sequence[Message], count: Count = not_counted) -> Generator[str, None, None]:  # noqa: ARG002
        yield _REPLY


def main() -> None:
    """Print the table."""
    with fresh_app(embedder="none") as services:
        services.start()
        connected = services.assistant.with_parts(services.models.connected, model=Fixed())
        print("model     turn        files  calls")
        for name, assistant in (("embedded", services.assistant), ("connected", connected)):
            for what, one in _traced(assistant, Scope(name)):
                print(f"{name:9} {what:11} {len(one.files):5} {one.calls:6}")


def _traced(assistant: Assistant, scope: Scope) -> Generator[tuple[str, Trace], None, None]:
    warm = RunSoFar().after(assistant.ask(_QUESTION, scope)).turn  # what is imported or read once is not counted
    RunSoFar().after(assistant.clarify(warm.id, _CORRECTION, scope))
    asked = trace(assistant.ask("What is akin to enormous?", scope))
    yield "question", asked
    yield "correction", trace(assistant.clarify(asked.turn.id, "one with the opposite meaning", scope))


if __name__ == "__main__":
    main()
