"""Importing something without what it would import by the way."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without(package: str) -> Iterator[None]:
    """Let imports in this block find no such package, unless it is there already. Afterwards they find it again."""
    if package in sys.modules:
        yield
        return
    sys.modules[package] = None  # type: ignore[assignment]  # what Python documents for this
    try:
        yield
    finally:
        del sys.modules[package]
