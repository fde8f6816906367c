"""Time calls and processes, and compare them with bars."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, process_time, sleep

from assistant.errors import NotedError
from evaluation.harness.report import Cell, Table

ROOT = Path(__file__).parents[2]
SECONDS = 300.0
_RESIDENT = re.compile(r"VmRSS:\s*(\d+) kB")


class DidNotStart(NotedError):
    code = "The process that is to be measured did not start."


def measure_time(call: Callable[[], object], clock: Callable[[], float] = process_time) -> float:
    """Return the milliseconds of processor time that a call takes; the machine may be shared."""
    began = clock()
    call()
    return (clock() - began) * 1000


@dataclass(frozen=True, slots=True)
class TimingRow:
    """One measurement, with the one that it is compared with and the maximum, if any."""

    name: str
    ours: float
    against: float | None = None
    bar: float | None = None
    unit: str = "ms"

    def cells(self) -> dict[str, Cell]:
        """Return the cells of a row; the bar holds for the ratio, or for `ours` alone without a comparison."""
        ratio = None if self.against is None else self.ours / self.against
        value = self.ours if ratio is None else ratio
        kept = "" if self.bar is None else "yes" if value <= self.bar else "NO"
        return {"ours": self.ours, "against": self.against, "ratio": ratio, "at most": self.bar, "kept": kept}


def build_table(title: str, rows: Iterable[TimingRow]) -> Table:
    """Return a table of rows."""
    return Table.of(title, {f"{row.name}, {row.unit}": row.cells() for row in rows})


class Server:
    """A server process, timed from its start."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], port: int) -> None:
        self.url, self._begun = f"http://127.0.0.1:{port}", monotonic()
        everything = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", **environment}
        self.process = subprocess.Popen(  # noqa: S603
            [sys.executable, *command], cwd=ROOT, env=everything, stdout=subprocess.DEVNULL
        )

    @property
    def seconds(self) -> float:
        """Return the seconds since the start."""
        return monotonic() - self._begun

    def megabytes(self) -> float:
        """Return the resident memory in MiB."""
        found = _RESIDENT.search(Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii"))
        return int(found[1]) / 1024 if found else 0.0

    def processor(self) -> float:
        """Kill the process; return its processor time in seconds."""
        self.process.kill()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return usage.ru_utime + usage.ru_stime


@contextmanager
def run_server(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Iterator[Server]:
    """Yield a server once it accepts connections; `{port}` in its command line is replaced by its port.

    Raises:
        DidNotStart: it cannot be reached in time.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    started = Server([word.replace("{port}", str(port)) for word in command], environment or {}, port)
    try:
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if started.seconds > SECONDS or started.process.poll() is not None:
                raise DidNotStart
            sleep(0.005)
        yield started
    finally:
        if started.process.returncode is None:
            started.process.kill()
            started.process.wait()
