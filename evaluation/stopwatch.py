"""How long each call on an object takes, without the object knowing. Calls may overlap, in several threads."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Lap:
    """What was called, in milliseconds.

    Args:
        by_part: each part, whatever ran beside it.
        busy: the time in which any part ran.
    """

    by_part: Mapping[str, float]
    busy: float


class Stopwatch:
    """Collects calls until `lap`."""

    def __init__(self) -> None:
        self._calls: list[tuple[float, float, str]] = []

    def lap(self) -> Lap:
        """The calls since the last lap."""
        calls, self._calls = sorted(self._calls), []
        ms: dict[str, float] = defaultdict(float)
        busy, until = 0.0, 0.0
        for began, ended, name in calls:
            ms[name] += (ended - began) * 1000
            busy += max(0.0, ended - max(began, until)) * 1000
            until = max(until, ended)
        return Lap(ms, busy)

    def timed(self, value: Any, name: str) -> Any:
        """Something that behaves like `value` and whose calls are timed under `name` (methods: `name.method`)."""
        return _Timed(value, name, self)

    def with_timed_parts(self, whole: T) -> T:
        """A copy of a dataclass object whose fields are timed. Anything else is given back as it is."""
        if not dataclasses.is_dataclass(whole) or isinstance(whole, type):
            return whole
        parts = {field.name: getattr(whole, field.name) for field in dataclasses.fields(whole) if field.init}
        plain = (type(None), bool, int, float, str, bytes, tuple, list, dict)
        timed = {name: self.timed(part, name) for name, part in parts.items() if not isinstance(part, plain)}
        return dataclasses.replace(whole, **timed)

    def add(self, name: str, began: float, ended: float) -> None:
        self._calls.append((began, ended, name))


class _Timed:
    def __init__(self, value: Any, name: str, watch: Stopwatch) -> None:
        self._value, self._name, self._watch = value, name, watch

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        began = perf_counter()
        try:
            return self._value(*arguments, **named)
        finally:
            self._watch.add(self._name, began, perf_counter())

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._value, name)
        return _Timed(found, f"{self._name}.{name}", self._watch) if callable(found) else found
