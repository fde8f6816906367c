"""How long calls take, and the tables of what was measured."""

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Any, TypeVar

from evaluation.decisions.metrics import percentile
from evaluation.decisions.table import plain_table, wide_console

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Spread:
    """Milliseconds."""

    p50: float
    p95: float

    def __str__(self) -> str:
        return f"{self.p50:.2f} / {self.p95:.2f}"


def spread(values: Sequence[float]) -> Spread:
    return Spread(percentile(values, 50) or 0.0, percentile(values, 95) or 0.0)


def clocked(call: Callable[[], T], processor: Callable[[], float] = process_time) -> tuple[T, float, float]:
    """What a call returns, its milliseconds, and those of the processor by this clock."""
    began, cpu = perf_counter(), processor()
    returned = call()
    return returned, (perf_counter() - began) * 1000, (processor() - cpu) * 1000


def machine() -> dict[str, Any]:
    return {"cpus": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()}


def print_columns(title: str, columns: Mapping[str, T], rows: Mapping[str, Callable[[T], object]]) -> None:
    """Print a table of what was measured, a column for each by its name; a value that is None is a dash."""
    table = plain_table(title, *columns)
    for name, cell in rows.items():
        cells = (cell(measured) for measured in columns.values())
        table.add_row(name, *("–" if value is None else str(value) for value in cells))
    wide_console().print(table)
