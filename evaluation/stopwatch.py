"""How long each call on an object takes, without the object knowing."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from time import perf_counter
from typing import Any, TypeVar

T = TypeVar("T")


class Stopwatch:
    """Milliseconds by part, added up until `lap`."""

    def __init__(self) -> None:
        self._ms: dict[str, float] = defaultdict(float)

    def lap(self) -> dict[str, float]:
        """What was added up since the last lap."""
        ms = dict(self._ms)
        self._ms.clear()
        return ms

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

    def add(self, name: str, seconds: float) -> None:
        self._ms[name] += seconds * 1000


class _Timed:
    def __init__(self, value: Any, name: str, watch: Stopwatch) -> None:
        self._value, self._name, self._watch = value, name, watch

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        began = perf_counter()
        try:
            return self._value(*arguments, **named)
        finally:
            self._watch.add(self._name, perf_counter() - began)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._value, name)
        return _Timed(found, f"{self._name}.{name}", self._watch) if callable(found) else found
