"""What time it is. A clock may be wrong and may jump: its time is only shown, and order never comes from it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Says the time, with its zone."""


def utc_now() -> datetime:
    """The time of this machine."""
    return datetime.now(UTC)
