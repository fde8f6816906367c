"""Measure the start of the page, and many readers at once.

python -m evaluation.perf.page PORT serves a model that writes ten words a second to each reader. Each word names its
reader, so that a word sent to the wrong reader is detected.
"""

import asyncio
import json
import re
import sys
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from statistics import median
from typing import NamedTuple

import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from evaluation.harness.simulated_user import fresh_folder
from evaluation.perf.timing import SECONDS, DidNotStart, TimingRow, run_server
from memory_store.embedding.embedder import NONE

PAGE_BAR, ANSWER_BAR, MEMORY_BAR = 0.8, 0.9, 1.3  # ratios to an empty Gradio chat
PAGE = ("app.py", "serve", "--port", "{port}")
_WORDS, _PACE = 200, 0.1
_PERSON = re.compile(r"person (\d+)")
_WORD = re.compile(rb"\bp(\d+)w\d+")
_EMPTY = """
import gradio
chat = gradio.ChatInterface(lambda message, history: "Hello", api_name="chat")
chat.launch(server_port={port}, server_name="127.0.0.1", quiet=True, ssr_mode=False)
"""


class Start(NamedTuple):
    """One start of a server, measured from the start of its process."""

    page: float  # ms of wall time
    answer: float  # ms of processor time
    megabytes: float  # after the answer


def measure_start(environment: Mapping[str, str], questions: int = 1) -> Start:
    """Start Noted and ask `questions` questions; return times and memory."""
    return _start(PAGE, environment, _read_one, questions)


def _start(
    command: tuple[str, ...], environment: Mapping[str, str], answer: Callable[[str], object], questions: int = 1
) -> Start:
    with run_server(command, environment) as started:
        httpx2.get(f"{started.url}/", timeout=SECONDS).raise_for_status()
        page = started.seconds * 1000
        for _ in range(questions):
            answer(started.url)
        megabytes = started.megabytes()
        return Start(page, started.processor() * 1000, megabytes)


def measure_starts(times: int) -> list[TimingRow]:
    """Measure starts of the page and of an empty Gradio chat alternately, and compare them."""
    empty, ours = list[Start](), list[Start]()
    for _ in range(times):
        empty.append(_start(("-c", _EMPTY), {"GRADIO_ANALYTICS_ENABLED": "False"}, _ask_gradio))
        with fresh_folder() as home:
            ours.append(measure_start({"NOTED_HOME": str(home)}))
    noted, chat = (Start(*map(median, zip(*starts, strict=True))) for starts in (ours, empty))
    return [
        TimingRow("first page by that of an empty chat, wall", noted.page, chat.page, PAGE_BAR),
        TimingRow("first answer by that of an empty chat", noted.answer, chat.answer, ANSWER_BAR),
        TimingRow("resident memory then by that of an empty chat", noted.megabytes, chat.megabytes, MEMORY_BAR, "MB"),
    ]


def _ask_gradio(url: str) -> None:
    event = httpx2.post(f"{url}/gradio_api/call/chat", json={"data": ["Hello?"]}, timeout=SECONDS).json()["event_id"]
    if "event: complete" not in httpx2.get(f"{url}/gradio_api/call/chat/{event}", timeout=SECONDS).text:
        raise DidNotStart


def measure_readers(people: int) -> list[TimingRow]:
    """Let many people read an answer of 20 seconds at once."""
    with fresh_folder() as home, run_server(["-m", "evaluation.perf.page", "{port}"]) as model:
        environment = {
            "NOTED_HOME": str(home), "NOTED_EMBEDDER": NONE, "NOTED_MODEL": "openai/measured",
            "NOTED_API_BASE": model.url, "NOTED_API_KEY": "none", "NOTED_PROXIES": "127.0.0.1",
            "NOTED_TURNS_PER_MINUTE": "100000", "NOTED_ANSWERS_AT_ONCE": str(2 * people + 8),
        }  # fmt: skip
        with run_server(PAGE, environment) as page:
            heard = asyncio.run(_read_all(page.url, people))
    crossed = sum(int(word) != person for person, text in enumerate(heard) for word in {*_WORD.findall(text)})
    whole = sum(f"p{person}w{_WORDS - 1}".encode() in text for person, text in enumerate(heard))
    return [
        TimingRow(f"of {people} readers without a whole answer", people - whole, bar=0, unit="readers"),
        TimingRow("words that reached another reader", crossed, bar=0, unit="words"),
    ]


def _read_one(url: str) -> None:
    if not any(asyncio.run(_read_all(url, 1))):
        raise DidNotStart


async def _read_all(url: str, people: int) -> list[bytes]:
    """Return everything that the page sends to each reader, in a new browser; nothing if that failed."""

    async def read(person: int) -> bytes:
        headers = {"X-Forwarded-For": f"2001:db8:{person:x}::1", "Accept": "text/html"}  # a different address each
        asked = f"What does person {person} want to hear?"
        told = {"question": asked, "conversation": str(uuid.uuid4()), "run": str(uuid.uuid4())}
        async with httpx2.AsyncClient(base_url=url, headers=headers, timeout=SECONDS, verify=False) as http:
            event = {"page": str(uuid.uuid4()), "data": told}
            with suppress(httpx2.HTTPError, OSError, ValueError):
                (await http.get("/")).raise_for_status()
                return (await http.post("/page/conversation/ask", json=event)).raise_for_status().content
        return b""

    return list(await asyncio.gather(*map(read, range(people))))


async def answer(request: Request) -> StreamingResponse:
    """Answer a call of an OpenAI-compatible model with words at a steady pace."""
    people = _PERSON.findall(str((await request.json())["messages"][-1]["content"]))

    async def pieces() -> AsyncIterator[str]:
        yield _event("<understanding>You want to hear words.</understanding>\n<answer>")
        for number in range(_WORDS if people else 0):
            await asyncio.sleep(_PACE)
            yield _event(f" p{people[-1]}w{number}")
        yield _event("</answer>", "stop")
        yield "data: [DONE]\n\n"

    return StreamingResponse(pieces(), media_type="text/event-stream")


def _event(text: str, end: str | None = None) -> str:
    choice = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": end}
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "measured", "choices": [choice]}
    return f"data: {json.dumps(chunk)}\n\n"


if __name__ == "__main__":
    model = Starlette(routes=[Route("/chat/completions", answer, methods=["POST"])])
    uvicorn.run(model, host="127.0.0.1", port=int(sys.argv[1]), backlog=512, log_level="error")
