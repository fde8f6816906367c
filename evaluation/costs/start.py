"""What it takes from the start of a process to the first page and the first answer, against an empty Gradio chat."""

import asyncio
import json
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from tempfile import TemporaryDirectory

from evaluation.costs.page_load import first_answer
from evaluation.costs.processes import SECONDS, DidNotStart, Process, process, server
from evaluation.costs.timing import Row, Timed, both, middle
from evaluation.decisions.running import with_progress

PAGE_BAR, WALL_BAR, PROCESSOR_BAR, MEMORY_BAR = 1.0, 1.1, 1.2, 1.5
ASK_BAR, ASK_SERVED_BAR = 2_500.0, 1_500.0  # ms
_EMPTY = """
import gradio
chat = gradio.ChatInterface(lambda message, history: "Hello", api_name="chat")
chat.launch(server_port={port}, server_name="127.0.0.1", quiet=True, ssr_mode=False)
"""


@dataclass(frozen=True, slots=True)
class Start:
    """One start of a server. Milliseconds from the beginning of the process."""

    page: float
    answer: Timed
    megabytes: float


def measure(times: int) -> list[Row]:
    """So many starts of each, by turns."""
    empty, ours, fresh, served = [], [], [], []
    for _ in with_progress(range(times), "starts"):
        with server(["-c", _EMPTY], {"GRADIO_ANALYTICS_ENABLED": "False"}) as (url, started):
            empty.append(_start(url, started, _answer_of_gradio))
        with TemporaryDirectory(prefix="noted-start-", ignore_cleanup_errors=True) as folder:
            home, other = ({"NOTED_HOME": f"{folder}/{name}"} for name in ("served", "new"))
            with server(["app.py", "serve", "--port", "{port}"], home) as (url, started):
                ours.append(_start(url, started, _answer_of_the_page))
            with server(["app.py", "serve", "--port", "{port}"], home) as (url, started):
                _answer_of_the_page(url)
                served.append(_ask(home))
            fresh.append(_ask(other))
    page, empty_page = (median(one.page for one in starts) for starts in (ours, empty))
    answer, empty_answer = (middle(one.answer for one in starts) for starts in (ours, empty))
    memory, empty_memory = (median(one.megabytes for one in starts) for starts in (ours, empty))
    return [
        Row("first page by that of an empty chat, wall", page, empty_page, PAGE_BAR),
        *both("first answer by that of an empty chat", answer, empty_answer, PROCESSOR_BAR, WALL_BAR),
        Row("resident memory then", memory, empty_memory, MEMORY_BAR, "MB"),
        *both("`ask` on a new home", middle(fresh), wall_bar=ASK_BAR),
        *both("`ask` on a home that is served", middle(served), wall_bar=ASK_SERVED_BAR),
    ]


def _start(url: str, started: Process, answer: Callable[[str], None]) -> Start:
    """Open the page, ask, and end it."""
    with urllib.request.urlopen(f"{url}/", timeout=SECONDS) as page:  # noqa: S310  it is this machine
        page.read()
    opened = started.seconds
    answer(url)
    answered, megabytes = started.seconds, started.megabytes()
    return Start(opened * 1000, Timed(answered * 1000, started.processor() * 1000), megabytes)


def _answer_of_the_page(url: str) -> None:
    asyncio.run(first_answer(url))


def _answer_of_gradio(url: str) -> None:
    asked = urllib.request.Request(  # noqa: S310  it is this machine
        f"{url}/gradio_api/call/chat", b'{"data": ["Hello?"]}', {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(asked, timeout=SECONDS) as told:  # noqa: S310
        event = json.load(told)["event_id"]
    with urllib.request.urlopen(f"{url}/gradio_api/call/chat/{event}", timeout=SECONDS) as answer:  # noqa: S310
        if b"event: complete" not in answer.read():
            raise DidNotStart


def _ask(home: dict[str, str]) -> Timed:
    with process(["app.py", "ask", "What is akin to quick?"], home) as started:
        answer = started.stdout.read()
        wall = started.seconds
        processor = started.processor(ends_itself=True)
    if not answer:
        raise DidNotStart
    return Timed(wall * 1000, processor * 1000)
