"""The page, read by many people at once, and from the start of its process.

A model on this machine writes ten words a second to each reader, and each word says when it was written and for whom, so
that a word that reaches another reader is found. Page, model and readers are processes of their own; the readers do as
little as they can, because they share the cores.

python -m evaluation.perf.page PORT runs the model.
"""

import asyncio
import json
import re
import sys
import urllib.request
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory
from time import time_ns
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx2

from evaluation.perf.timing import SECONDS, DidNotStart, Process, Row, Timed, both, middle, percentile, process, server
from memory_store.embedding.embedder import NONE

ADDED_BAR = 50.0  # ms that the page may add to a word
PAGE_BAR, ANSWER_BAR, MEMORY_BAR = 0.8, 0.9, 1.3  # by an empty Gradio chat
ASK_BAR, ASK_SERVED_BAR = 2_500.0, 1_500.0  # ms
_WORDS, _PACE, _PARAGRAPH = 200, 0.1, 25
_APART = 0.02  # seconds between two people who begin: a hundred of them within two seconds
_LARGEST = 1 << 20
_CONFIG = re.compile(r"window\.gradio_config = (\{.*?\});</script>", re.DOTALL)
_WORD = re.compile(rb"p(\d+)t(\d{19})")
_PERSON = re.compile(r"person (\d+)")
_EMPTY = """
import gradio
chat = gradio.ChatInterface(lambda message, history: "Hello", api_name="chat")
chat.launch(server_port={port}, server_name="127.0.0.1", quiet=True, ssr_mode=False)
"""


def measure_readers(people: int) -> list[Row]:
    """Compare how late words are through the page with the model read directly. Raises DidNotStart."""
    with (
        TemporaryDirectory(prefix="noted-page-") as home,
        server(["-m", "evaluation.perf.page", "{port}"], {}) as (model, _),
    ):
        direct = asyncio.run(_listen_all(people, lambda person, ready: _directly(model, person, ready)))
        environment = {
            "NOTED_HOME": home, "NOTED_EMBEDDER": NONE, "NOTED_MODEL": "openai/measured", "NOTED_API_BASE": model,
            "NOTED_API_KEY": "none", "NOTED_PROXIES": "127.0.0.1", "NOTED_TURNS_PER_MINUTE": "100000",
            "NOTED_ANSWERS_AT_ONCE": str(2 * people + 8),
        }  # fmt: skip
        with server(["app.py", "serve", "--port", "{port}"], environment) as (url, _):
            # One whole answer first, so that what is loaded once is loaded.
            asyncio.run(_listen_all(1, lambda person, ready: _through_the_page(url, person, ready)))
            page = asyncio.run(_listen_all(people, lambda person, ready: _through_the_page(url, person, ready)))
    added = percentile(page.late, 95) - percentile(direct.late, 95)
    return [
        Row(f"p50 of a word, {people} readers", percentile(page.late, 50), percentile(direct.late, 50)),
        Row(f"p95 of a word, {people} readers", percentile(page.late, 95), percentile(direct.late, 95)),
        Row("added to a word by the page, p95", added, bar=ADDED_BAR),
        Row("words read while all are answered", len(page.late), unit="words"),
        Row("words that reached another reader", page.crossed, bar=0, unit="words"),
        Row(f"errors {'; '.join(sorted({*page.errors}))}".strip(), len(page.errors), bar=0, unit="readers"),
    ]


def measure_starts(times: int) -> list[Row]:
    """Compare starts of the page with those of an empty Gradio chat, by turns; then `ask` from the shell."""
    empty, ours, fresh, served = list[Start](), list[Start](), list[Timed](), list[Timed]()
    for _ in range(times):
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
    page, empty_page = (middle(one.page for one in starts) for starts in (ours, empty))
    answer, empty_answer = (middle(one.answer for one in starts) for starts in (ours, empty))
    memory, empty_memory = (percentile([one.megabytes for one in starts], 50) for starts in (ours, empty))
    return [
        Row("first page by that of an empty chat, wall", page.wall, empty_page.wall, PAGE_BAR),
        *both("first answer by that of an empty chat", answer, empty_answer, ANSWER_BAR),
        Row("resident memory then by that of an empty chat", memory, empty_memory, MEMORY_BAR, "MB"),
        *both("`ask` on a new home", middle(fresh), wall_bar=ASK_BAR),
        *both("`ask` on a home that is served", middle(served), wall_bar=ASK_SERVED_BAR),
    ]


class Start(NamedTuple):
    """One start of a server, from the beginning of its process."""

    page: Timed
    answer: Timed
    megabytes: float


def _start(url: str, started: Process, answer: Callable[[str], None]) -> Start:
    with urllib.request.urlopen(f"{url}/", timeout=SECONDS) as page:  # noqa: S310  it is this machine
        page.read()
    opened = started.seconds
    answer(url)
    answered, megabytes = started.seconds, started.megabytes()
    return Start(Timed(opened * 1000, 0.0), Timed(answered * 1000, started.processor() * 1000), megabytes)


def _answer_of_the_page(url: str) -> None:
    async def at_once() -> None:
        """Wait for nobody."""

    async def heard() -> None:
        async for _ in _through_the_page(url, 0, at_once):
            pass

    asyncio.run(heard())


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


@dataclass
class Heard:
    """What readers heard: when each word was written (ns), how late it came (ms), and what went wrong."""

    words: list[tuple[int, float]] = field(default_factory=list)
    late: list[float] = field(default_factory=list)  # of words that were written while all were being answered
    crossed: int = 0
    errors: list[str] = field(default_factory=list)


Ready = Callable[[], AsyncIterator[object]]


async def _listen_all(people: int, hear: Callable[..., AsyncIterator[bytes]]) -> Heard:
    """Let so many people listen at once."""
    ready = asyncio.Barrier(people).wait
    each = await asyncio.gather(*(_listen(number, hear(number, ready)) for number in range(people)))
    written = [[when for when, _ in one.words] or [0] for one in each]
    first, last = max(map(min, written)), min(map(max, written))
    every = Heard(crossed=sum(one.crossed for one in each), errors=[error for one in each for error in one.errors])
    every.late = [late for one in each for when, late in one.words if first <= when <= last]
    return every


async def _listen(person: int, pieces: AsyncIterator[bytes]) -> Heard:
    heard, last, text = Heard(), b"", b""
    try:
        async for piece in pieces:
            now = time_ns()
            # The page sends all that it shows; only what is after the last known word is looked at again.
            text = text[-_LARGEST:] + piece
            for word in _WORD.finditer(text, max(0, text.rfind(last)) if last else 0):
                heard.crossed += int(word[1]) != person
                if word[2] > last:
                    last = word[2]
                    heard.words.append((int(last), (now - int(last)) / 1e6))
            text = text[text.rfind(b"\n") + 1 :]
    except (httpx2.HTTPError, OSError, KeyError, ValueError, AssertionError) as error:
        heard.errors.append(f"{type(error).__name__}: {error}")
    if not heard.words and not heard.errors:
        heard.errors.append("No answer came.")
    return heard


async def _directly(url: str, person: int, ready: Callable[[], object]) -> AsyncIterator[bytes]:
    """Yield what the model sends, as any client reads it."""
    asked = {"stream": True, "messages": [{"role": "user", "content": _question(person)}]}
    await ready()  # type: ignore[misc]
    await asyncio.sleep(person * _APART)
    async for piece in _received(url, "POST", "/chat/completions", body=json.dumps(asked)):
        yield piece


async def _through_the_page(url: str, person: int, ready: Callable[[], object]) -> AsyncIterator[bytes]:
    """Yield what the page sends to a browser that nobody has seen before."""
    headers = {"X-Forwarded-For": f"2001:db8:{person:x}::1", "Accept": "text/html"}  # each comes from elsewhere
    session = uuid.uuid4().hex[:11]
    event = {"text": _question(person), "conversation": str(uuid.uuid4()), "run": str(uuid.uuid4())}
    async with httpx2.AsyncClient(base_url=url, headers=headers, timeout=SECONDS, verify=False) as http:
        page = (await http.get("/")).raise_for_status().text
        body = {"fn_index": _asking(page), "data": [], "event_data": event, "session_hash": session}
        await ready()  # type: ignore[misc]
        await asyncio.sleep(person * _APART)
        (await http.post("/gradio_api/queue/join", json=body | {"trigger_id": None})).raise_for_status()
        headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
    async for piece in _received(url, "GET", f"/gradio_api/queue/data?session_hash={session}", headers=headers):
        yield piece
        if b'"process_completed"' in piece:
            return


async def _received(
    url: str, method: str, path: str, *, headers: dict[str, str] | None = None, body: str = ""
) -> AsyncIterator[bytes]:
    """Yield the bytes of an answer. A library of HTTP would take more time for them than what is measured."""
    where = urlsplit(url)
    reader, writer = await asyncio.open_connection(where.hostname, where.port, limit=_LARGEST)
    told = {"Host": where.netloc, "Content-Length": str(len(body)), "Connection": "close", **(headers or {})}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in told.items())]
    try:
        writer.write(("\r\n".join(lines) + "\r\n\r\n" + body).encode())
        status = await reader.readline()
        if b" 200 " not in status:
            raise ValueError(f"{path}: {status.decode().strip()}")
        while piece := await reader.read(_LARGEST):
            yield piece
    finally:
        writer.close()


def _question(person: int) -> str:
    return f"What does person {person} want to hear?"


def _asking(page: str) -> int:
    """Return the number of the event that asks a question."""
    found = _CONFIG.search(page)
    if found is None:
        raise ValueError("The page has no configuration.")
    told = json.loads(found[1])
    elements = {part["id"]: part["props"].get("elem_id") for part in told["components"]}
    for function in told["dependencies"]:
        if any(elements.get(target) == "conversation" and name == "ask" for target, name in function["targets"]):
            return int(function["id"])
    raise ValueError("Nothing can be asked on the page.")


async def serve_model(port: int) -> None:
    """Serve a model of the OpenAI protocol that writes words at a steady pace, until this process ends."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):  # a reader went away
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = re.search(r"content-length: (\d+)", head)
            body = json.loads(await reader.readexactly(int(length[1]) if length else 0))
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
            people = _PERSON.findall(str(body["messages"][-1]["content"]))
            writer.write(_piece("<understanding>You want to hear words.</understanding>\n<answer>"))
            due = asyncio.get_running_loop().time()
            for number in range(_WORDS if people else 0):
                due += _PACE
                await asyncio.sleep(due - asyncio.get_running_loop().time())
                writer.write(_piece(f"{' ' if number % _PARAGRAPH else chr(10) * 2}p{people[-1]}t{time_ns()}"))
                await writer.drain()
            writer.write(_piece("</answer>", "stop") + b"data: [DONE]\n\n")
            await writer.drain()
        writer.close()

    listening = await asyncio.start_server(answer, "127.0.0.1", port, backlog=512)
    async with listening:
        await listening.serve_forever()


def _piece(text: str, end: str | None = None) -> bytes:
    chunk = {
        "id": "1", "object": "chat.completion.chunk", "created": 1, "model": "measured",
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": end}],
    }  # fmt: skip
    return f"data: {json.dumps(chunk)}\n\n".encode()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(serve_model(int(sys.argv[1])))
