"""What the page costs: the load of many readers, the first request after a start, and what a browser loads."""

import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Any

from rich.console import Console

from assistant.errors import NotedError
from evaluation.costs.page_load import Load, directly, measure, through_the_page
from evaluation.costs.timing import machine, print_columns
from memory_store.embedding.embedder import NONE

ROOT = Path(__file__).parents[2]
MEASURED = "openai/measured"
"""The model that `model_server` runs, as in the setting."""
PACE = 0.1  # seconds between two words: ten updates a second
_WORDS = 200
_SECONDS = 120.0
_EMPTY = """
import gradio
with gradio.Blocks() as page:
    gradio.Markdown("")
page.launch(server_port={port}, server_name="127.0.0.1", quiet=True, ssr_mode=False)
"""


class DidNotStart(NotedError):
    code = "The server that is to be measured did not start."


@dataclass(frozen=True, slots=True)
class Start:
    """Seconds from the beginning of a process."""

    ready: float  # until the first page was answered
    request: float  # for answering that first page, once the port was open


@dataclass(frozen=True, slots=True)
class Measured:
    direct: Load  # the model, read directly
    page: Load  # the same, read through the page
    pairs: tuple[tuple[Start, Start], ...]  # of an empty page and of the app

    @property
    def added_p95(self) -> float:
        """Milliseconds that the page adds to a word."""
        return self.page.p95 - self.direct.p95

    @property
    def ratio(self) -> float:
        """The first request to the app by that to an empty page, each the median of its starts."""
        empty, ours = (median(start.request for start in starts) for starts in zip(*self.pairs, strict=True))
        return float(ours / empty)

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"machine": machine(), "added_p95": self.added_p95, "ratio": self.ratio}


def measure_all(people: int, times: int) -> Measured:
    """The load of so many people, and so many starts."""
    direct, page = load(people)
    return Measured(direct, page, tuple(starts(times)))


def load(people: int) -> tuple[Load, Load]:
    """How late words are with so many people at once: read directly, and through the page."""
    with TemporaryDirectory(prefix="noted-page-") as home, model_server() as model:
        alone = measure(people, directly(model))
        environment = {
            "NOTED_MODEL": MEASURED, "NOTED_API_BASE": model, "NOTED_API_KEY": "none",
            # All come from one address, which has a quarter of the places.
            "NOTED_TURNS_PER_MINUTE": "100000", "NOTED_ANSWERS_AT_ONCE": str(4 * people + 8),
        }  # fmt: skip
        with _app(Path(home), environment) as (page, _):
            told = measure(1, through_the_page(page))  # one whole answer, so that what is loaded once is loaded
            if told.errors:
                raise DidNotStart(f"The page does not answer: {told.errors[0]}")
            return alone, measure(people, through_the_page(page))


def starts(times: int) -> list[tuple[Start, Start]]:
    """Starts of an empty Gradio page and of the app, by turns."""
    pairs = []
    for _ in range(times):
        with _started(["-c", _EMPTY], {}) as (_, empty):
            pass
        with TemporaryDirectory(prefix="noted-page-") as home, _app(Path(home), {}) as (_, ours):
            pairs.append((empty, ours))
    return pairs


@contextmanager
def model_server() -> Iterator[str]:
    """The address of a model that runs meanwhile (`evaluation.costs.page_model`)."""
    with _running(["-m", "evaluation.costs.page_model", "{port}", str(_WORDS), str(PACE)]) as address:
        yield address


@contextmanager
def _app(home: Path, environment: dict[str, str]) -> Iterator[tuple[str, Start]]:
    always = {"NOTED_HOME": str(home), "NOTED_EMBEDDER": NONE}
    with _started(["app.py", "serve", "--port", "{port}"], always | environment) as running:
        yield running


@contextmanager
def _started(command: list[str], environment: dict[str, str]) -> Iterator[tuple[str, Start]]:
    """A server, from the answer to its first request on."""
    begun = monotonic()
    with _running(command, environment) as address:
        asked = monotonic()
        with urllib.request.urlopen(f"{address}/", timeout=_SECONDS) as answer:  # noqa: S310  it is this machine
            answer.read()
        now = monotonic()
        yield address, Start(now - begun, now - asked)


@contextmanager
def _running(command: list[str], environment: Mapping[str, str] = os.environ) -> Iterator[str]:
    """The address of a server that Python runs, from when it can be reached.

    Raises:
        DidNotStart: it cannot be reached in time.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    filled = [sys.executable, *(word.replace("{port}", str(port)) for word in command)]
    process = subprocess.Popen(filled, cwd=ROOT, env={**os.environ, **environment}, stdout=subprocess.DEVNULL)  # noqa: S603
    try:
        deadline = monotonic() + _SECONDS
        while not _is_reached(port):
            if monotonic() > deadline or process.poll() is not None:
                raise DidNotStart
            sleep(0.005)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(_SECONDS)


def _is_reached(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


BARS = {"added_p95": 50.0, "ratio": 1.2}
"""What the page may add to a word, in milliseconds, and its first request by that of an empty page."""


def show(measured: Measured) -> None:
    """Print it, with the bars beside it."""
    console = Console()
    rows: dict[str, Callable[[Load], object]] = {
        "words": lambda load: f"{load.words:,}",
        "p50, ms": lambda load: f"{load.p50:.1f}",
        "p95, ms": lambda load: f"{load.p95:.1f}",
        "p95 with beginnings, ms": lambda load: f"{load.all_p95:.1f}",
        "crossed": lambda load: load.crossed,
        "errors": lambda load: len(load.errors),
    }
    title = f"{measured.page.people} readers, ten words a second to each"
    print_columns(title, {"read directly": measured.direct, "through the page": measured.page}, rows)
    console.print(
        "Milliseconds from the model's writing of a word to its arrival, while all are being answered; beginnings: "
        "also while some still begin or have ended. The page updates ten times a second: where a word waits for that, "
        "the wait is counted."
    )
    console.print(f"Added to a word, p95: {measured.added_p95:.1f} ms (bar {BARS['added_p95']:.0f} ms)")
    empty, ours = (
        tuple(median(getattr(start, name) for start in starts) for name in ("request", "ready"))
        for starts in zip(*measured.pairs, strict=True)
    )
    console.print(
        f"First request: {ours[0] * 1000:.0f} ms, an empty Gradio page {empty[0] * 1000:.0f} ms: "
        f"{measured.ratio:.2f} times (bar {BARS['ratio']})"
    )
    console.print(f"From the start of the process to the first page: {ours[1]:.1f} s, empty {empty[1]:.1f} s")
    for error in sorted(set(measured.page.errors)):
        console.print(error, style="red", markup=False)
