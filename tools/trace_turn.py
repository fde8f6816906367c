"""Trace which files of Noted a turn enters, for the test that docs/architecture.md names them in their order."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from assistant.events import Event, RunSoFar
from assistant.types import Turn

ROOT = Path(__file__).resolve().parents[1]


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
