"""Time calls and processes, and compare them with what they may take."""

import os
import platform
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter, process_time, sleep
from typing import IO, NamedTuple, cast

from assistant.errors import NotedError
from evaluation.harness.report import Cell, Table

ROOT = Path(__file__).parents[2]
SECONDS = 300.0
_MEGABYTE = 1024  # kB
_RESIDENT = re.compile(r"VmRSS:\s*(\d+) kB")


class Timed(NamedTuple):
    """Milliseconds by the clock and of the processor."""

    wall: float
    processor: float


def timed(call: Callable[[], object], processor: Callable[[], float] = process_time) -> Timed:
    """Return what a call takes, by this clock of the processor."""
    began, cpu = perf_counter(), processor()
    call()
    return Timed((perf_counter() - began) * 1000, (processor() - cpu) * 1000)


def middle(times: Iterable[Timed]) -> Timed:
    """Return the medians."""
    return Timed(*map(median, zip(*times, strict=True)))


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the value that `percent` of the values do not exceed (nearest rank); 0 of nothing."""
    return sorted(values)[max(0, ceil(percent / 100 * len(values)) - 1)] if values else 0.0


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement, and what it is compared with, if anything."""

    name: str
    ours: float
    against: float | None = None
    bar: float | None = None  # what `value` may be at most; None where nothing was promised
    unit: str = "ms"

    @property
    def value(self) -> float:
        """Return ours divided by the other; ours alone if there is none."""
        return self.ours if self.against is None else self.ours / self.against

    def cells(self) -> dict[str, Cell]:
        """Return the cells of a table."""
        kept = "" if self.bar is None else "yes" if self.value <= self.bar else "NO"
        ratio = None if self.against is None else self.value
        return {"ours": self.ours, "against": self.against, "ratio": ratio, "at most": self.bar, "kept": kept}


def both(
    name: str, ours: Timed, against: Timed | None = None, bar: float | None = None, wall_bar: float | None = None
) -> list[Row]:
    """Return a row of processor time, and one by the clock; bars are of processor time where the machine is shared."""
    processor, wall = (against.processor, against.wall) if against else (None, None)
    return [
        Row(f"{name}, processor", ours.processor, processor, bar),
        Row(f"{name}, wall", ours.wall, wall, wall_bar),
    ]


def table_of(title: str, rows: Iterable[Row]) -> Table:
    """Return a table of rows."""
    return Table.of(title, {f"{row.name}, {row.unit}": row.cells() for row in rows})


def machine() -> dict[str, str | int | float | bool | None]:
    """Return what was measured on, and how busy it was as that ended."""
    load = os.getloadavg()[0]
    return {
        "cpus": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version(), "load": load,
    }  # fmt: skip


class DidNotStart(NotedError):
    code = "The process that is to be measured did not start."


class Process:
    """Python with a command line, started in the folder of the project and measured from its beginning."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], stdout: int = subprocess.PIPE) -> None:
        self._begun = monotonic()
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, *command],
            cwd=ROOT,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", **environment},
            stdin=subprocess.PIPE,
            stdout=stdout,
            text=True,
        )

    @property
    def seconds(self) -> float:
        """Return the seconds since it began."""
        return monotonic() - self._begun

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    @property
    def stdout(self) -> IO[str]:
        return cast("IO[str]", self._process.stdout)

    def megabytes(self) -> float:
        """Return its resident memory now. The most of its life, as the system counts it, would begin with its parent's."""
        found = _RESIDENT.search(Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii"))
        return int(found[1]) / _MEGABYTE if found else 0.0

    def processor(self, *, ends_itself: bool = False) -> float:
        """Return the seconds of processor of its life, which ends here."""
        if not ends_itself:
            self._process.kill()
        _, status, usage = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        return usage.ru_utime + usage.ru_stime

    def close(self) -> None:
        """End it, if it has not ended."""
        if self._process.returncode is None:
            self._process.kill()
        self._process.communicate()


@contextmanager
def process(command: Sequence[str], environment: Mapping[str, str], stdout: int = subprocess.PIPE) -> Iterator[Process]:
    """Yield a process that is ended afterwards."""
    started = Process(command, environment, stdout)
    try:
        yield started
    finally:
        started.close()


@contextmanager
def server(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[tuple[str, Process]]:
    """Yield the address of a server as soon as it can be reached; `{port}` in its command line is its port.

    Raises:
        DidNotStart: it cannot be reached in time.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    filled = [word.replace("{port}", str(port)) for word in command]
    with process(filled, environment, stdout=subprocess.DEVNULL) as started:
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if started.seconds > SECONDS or not started.is_running:
                raise DidNotStart
            sleep(0.005)
        yield f"http://127.0.0.1:{port}", started
