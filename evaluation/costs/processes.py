"""Python in processes of their own, measured from their beginning."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import IO, cast

from assistant.errors import NotedError

ROOT = Path(__file__).parents[2]
SECONDS = 300.0
_MEGABYTE = 1024  # kB
_RESIDENT = re.compile(r"VmRSS:\s*(\d+) kB")


class DidNotStart(NotedError):
    code = "The process that is to be measured did not start."


class Process:
    """Python with this command line, from the folder of the project, which keeps what it compiles as usual."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        python: str = sys.executable,
        stdout: int = subprocess.PIPE,
    ) -> None:
        self._begun = monotonic()
        self._process = subprocess.Popen(  # noqa: S603
            [python, *command],
            cwd=ROOT,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", **environment},
            stdin=subprocess.PIPE,
            stdout=stdout,
            text=True,
        )

    @property
    def seconds(self) -> float:
        """Since it began."""
        return monotonic() - self._begun

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    @property
    def stdin(self) -> IO[str]:
        return cast("IO[str]", self._process.stdin)

    @property
    def stdout(self) -> IO[str]:
        return cast("IO[str]", self._process.stdout)

    def megabytes(self) -> float:
        """That it holds in memory now. The most of its life, as the system counts it, would begin with its parent's."""
        found = _RESIDENT.search(Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii"))
        return int(found[1]) / _MEGABYTE if found else 0.0

    def processor(self, *, ends_itself: bool = False) -> float:
        """Seconds of processor that it took in its life, which ends here."""
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
def process(
    command: Sequence[str],
    environment: Mapping[str, str],
    python: str = sys.executable,
    stdout: int = subprocess.PIPE,
) -> Iterator[Process]:
    """It, ended when it is not needed any more."""
    started = Process(command, environment, python, stdout)
    try:
        yield started
    finally:
        started.close()


@contextmanager
def server(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[tuple[str, Process]]:
    """The address of a server, from when it can be reached; `{port}` in its command line is where it is to listen.

    Raises:
        DidNotStart: it cannot be reached in time.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    filled = [word.replace("{port}", str(port)) for word in command]
    with process(filled, environment, stdout=subprocess.DEVNULL) as started:
        while not _is_reached(port):
            if started.seconds > SECONDS or not started.is_running:
                raise DidNotStart
            sleep(0.005)
        yield f"http://127.0.0.1:{port}", started


def _is_reached(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
