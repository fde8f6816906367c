"""How long calls take, the rows of what was measured with what it may be at most, and their tables."""

import os
import platform
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter, process_time
from typing import Any, NamedTuple, TypeVar

from evaluation.command_parts import show_table
from evaluation.decisions.metrics import percentile

T = TypeVar("T")


class Timed(NamedTuple):
    """Milliseconds that something took, by the clock and of the processor."""

    wall: float
    processor: float


def clocked(call: Callable[[], T], processor: Callable[[], float] = process_time) -> tuple[T, float, float]:
    """What a call returns, its milliseconds, and those of the processor by this clock."""
    began, cpu = perf_counter(), processor()
    returned = call()
    return returned, (perf_counter() - began) * 1000, (processor() - cpu) * 1000


def timed(call: Callable[[], object], processor: Callable[[], float] = process_time) -> Timed:
    return Timed(*clocked(call, processor)[1:])


def middle(times: Iterable[Timed]) -> Timed:
    """The medians."""
    return percentiles(times, 50)


def percentiles(times: Iterable[Timed], percent: float) -> Timed:
    return Timed(*(percentile(column, percent) or 0.0 for column in zip(*times, strict=True)))


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that was measured, and what it is measured against, if anything."""

    what: str
    ours: float
    against: float | None = None
    bar: float | None = None  # what `value` may be at most; None where nothing was promised
    unit: str = "ms"

    @property
    def value(self) -> float:
        """Ours by the other; ours alone where there is none."""
        return self.ours if self.against is None else self.ours / self.against

    @property
    def is_kept(self) -> bool | None:
        return None if self.bar is None else self.value <= self.bar

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"value": self.value, "is_kept": self.is_kept}


def both(
    what: str, ours: Timed, against: Timed | None = None, bar: float | None = None, wall_bar: float | None = None
) -> list[Row]:
    """A row of processor time, and one by the clock; bars are of processor time where the machine is shared."""
    other = against or Timed(None, None)  # type: ignore[arg-type]
    return [
        Row(f"{what}, processor", ours.processor, other.processor, bar),
        Row(f"{what}, wall", ours.wall, other.wall, wall_bar),
    ]


def show_rows(title: str, rows: Sequence[Row]) -> None:
    """Print them, each with its bar and whether it is kept."""
    cells, words = [], {None: "", True: "yes", False: "NO"}
    for row in rows:
        against, ratio = ("", "") if row.against is None else (f"{row.against:,.2f}", f"{row.value:.2f}")
        bar = "" if row.bar is None else f"{row.bar:,g}"
        cells.append((f"{row.what}, {row.unit}", f"{row.ours:,.2f}", against, ratio, bar, words[row.is_kept]))
    show_table(title, ("ours", "against", "ratio", "at most", "kept"), cells)


def machine() -> dict[str, Any]:
    """What was measured on, and how busy it was as that ended."""
    return {
        "cpus": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version(),
        "load": os.getloadavg(),
    }  # fmt: skip
