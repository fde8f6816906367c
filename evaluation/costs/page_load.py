"""Many people who read answers at once: how much later a word is with them than where the model is read directly.

The words say when they were written and for whom, so that a word that reaches somebody else is found. Page, model and
readers are processes of their own on this machine; the readers do as little as they can, because they share its cores.
"""

import asyncio
import json
import re
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from time import time_ns
from urllib.parse import urlsplit

import httpx2

from evaluation.decisions.metrics import percentile

_CONFIG = re.compile(r"window\.gradio_config = (\{.*?\});</script>", re.DOTALL)
_WORD = re.compile(rb"p(\d+)t(\d{19})")
_SECONDS = 120.0
_LARGEST = 1 << 20
_NANOSECONDS = 1e6  # in a millisecond
_APART = 0.02  # seconds between two people who begin: a hundred of them within two seconds

Ready = Callable[[], Awaitable[object]]
"""Waits until everybody is ready to ask."""
Hear = Callable[[int, Ready], AsyncIterator[bytes]]
"""What somebody receives, piece by piece, by their number."""


@dataclass
class Heard:
    """What one person heard: when each word was written, how late it came, and what went wrong."""

    words: list[tuple[int, float]] = field(default_factory=list)
    crossed: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True)
class Load:
    """Milliseconds from the model's writing of a word to its arrival."""

    people: int
    words: int  # read while all were being answered; `p50` and `p95` are over these
    p50: float
    p95: float
    all_p95: float  # over all words, also those while others begin or end
    crossed: int  # words that reached somebody else
    errors: Sequence[str]  # a sentence for each person


def measure(people: int, hear: Hear) -> Load:
    """Let so many people listen at once."""

    async def listen() -> list[Heard]:
        ready = asyncio.Barrier(people).wait
        return await asyncio.gather(*(_listen(number, hear(number, ready)) for number in range(people)))

    heard = asyncio.run(listen())
    written = [[when for when, _ in one.words] or [0] for one in heard]
    first, last = max(map(min, written)), min(map(max, written))  # all of them were being answered
    late = [late for one in heard for when, late in one.words if first <= when <= last]
    always = [late for one in heard for _, late in one.words]
    p50, p95, all_p95 = (percentile(values, of) or 0.0 for values, of in ((late, 50), (late, 95), (always, 95)))
    errors = [one.error for one in heard if one.error]
    if not late and not errors:
        errors = ["They were not all answered at the same time."]
    return Load(people, len(late), p50, p95, all_p95, sum(one.crossed for one in heard), errors)


async def _listen(person: int, pieces: AsyncIterator[bytes]) -> Heard:
    heard, last, text = Heard(), b"", b""
    try:
        async for piece in pieces:
            now = time_ns()
            # The page sends all that it shows; only what is behind the last known word is looked at again.
            text = text[-_LARGEST:] + piece
            for word in _WORD.finditer(text, max(0, text.rfind(last)) if last else 0):
                heard.crossed += int(word[1]) != person
                if word[2] > last:
                    last = word[2]
                    heard.words.append((int(last), (now - int(last)) / _NANOSECONDS))
            text = text[text.rfind(b"\n") + 1 :]
    except (httpx2.HTTPError, OSError, KeyError, ValueError, AssertionError) as error:
        heard.error = f"{type(error).__name__}: {error}"
    if not heard.words and not heard.error:
        heard.error = "No answer came."
    return heard


def directly(url: str) -> Hear:
    """The model itself, as any client reads it."""

    async def hear(person: int, ready: Ready) -> AsyncIterator[bytes]:
        asked = {"stream": True, "messages": [{"role": "user", "content": _question(person)}]}
        await ready()
        await asyncio.sleep(person * _APART)
        async for piece in _received(url, "POST", "/chat/completions", body=json.dumps(asked)):
            yield piece

    return hear


def through_the_page(url: str) -> Hear:
    """The page, as a browser reads it that nobody has seen before."""

    async def hear(person: int, ready: Ready) -> AsyncIterator[bytes]:
        headers = {"X-Forwarded-For": f"2001:db8:{person:x}::1", "Accept": "text/html"}  # each comes from elsewhere
        session = uuid.uuid4().hex[:11]
        event = {"text": _question(person), "conversation": str(uuid.uuid4()), "run": str(uuid.uuid4())}
        async with httpx2.AsyncClient(base_url=url, headers=headers, timeout=_SECONDS, verify=False) as http:
            page = (await http.get("/")).raise_for_status().text
            body = {"fn_index": _asking(page), "data": [], "event_data": event, "session_hash": session}
            await ready()
            await asyncio.sleep(person * _APART)
            (await http.post("/gradio_api/queue/join", json=body | {"trigger_id": None})).raise_for_status()
            cookies = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
        headers |= {"Cookie": cookies}
        async for piece in _received(url, "GET", f"/gradio_api/queue/data?session_hash={session}", headers=headers):
            yield piece
            if b'"process_completed"' in piece:
                return

    return hear


async def first_answer(url: str) -> None:
    """Ask the page one question, and hear the answer to its end."""

    async def ready() -> None:
        """Nobody is waited for."""

    async for _ in through_the_page(url)(0, ready):
        pass


async def _received(
    url: str, method: str, path: str, *, headers: dict[str, str] | None = None, body: str = ""
) -> AsyncIterator[bytes]:
    """The bytes of an answer as they come. A library of HTTP would take more time for them than what is measured."""
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
    """The number of the event that asks a question."""
    found = _CONFIG.search(page)
    if found is None:
        raise ValueError("The page has no configuration.")
    told = json.loads(found[1])
    elements = {part["id"]: part["props"].get("elem_id") for part in told["components"]}
    for function in told["dependencies"]:
        if any(elements.get(target) == "conversation" and name == "ask" for target, name in function["targets"]):
            return int(function["id"])
    raise ValueError("Nothing can be asked on the page.")
