"""Many people who read answers at once: how much later a word is with them than where the model is read directly.

The words say when they were written and for whom, so that a word that reaches somebody else is found. Page, model and
readers are processes of their own on this machine.
"""

from __future__ import annotations

import asyncio
import json
import re
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic_ns

import httpx

from evaluation.metrics import percentile

_CONFIG = re.compile(r"window\.gradio_config = (\{.*?\});</script>", re.DOTALL)
_WORD = re.compile(r"p(\d+)t(\d+)")
_SECONDS = 120.0
_LIMITS = httpx.Limits(max_connections=None)
_SETTLING = 20  # words of each that are not counted: by then, all are being answered
_NANOSECONDS = 1e6  # in a millisecond


@dataclass
class Heard:
    """What one person heard: how late each word was, in milliseconds, and what went wrong."""

    late: list[float] = field(default_factory=list)
    crossed: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True)
class Load:
    """Milliseconds from the model's writing of a word to its arrival, over all words of all people."""

    people: int
    words: int
    p50: float
    p95: float
    crossed: int
    errors: Sequence[str]


def measure(people: int, hear: Callable[[int], AsyncIterator[str]]) -> Load:
    """Let so many people listen at once.

    Args:
        people: how many.
        hear: what somebody receives, line by line, by their number.
    """
    heard = asyncio.run(_all(people, hear))
    late = [each for one in heard for each in one.late]
    p50, p95 = percentile(late, 50) or 0.0, percentile(late, 95) or 0.0
    errors = [one.error for one in heard if one.error]
    return Load(people, len(late), p50, p95, sum(one.crossed for one in heard), errors)


async def _all(people: int, hear: Callable[[int], AsyncIterator[str]]) -> list[Heard]:
    return await asyncio.gather(*(_listen(number, hear(number)) for number in range(people)))


async def _listen(person: int, lines: AsyncIterator[str]) -> Heard:
    heard, last, words = Heard(), 0, 0
    try:
        async for line in lines:
            now = monotonic_ns()
            for whose, written in _WORD.findall(line):
                heard.crossed += int(whose) != person
                if int(written) <= last:
                    continue
                last, words = int(written), words + 1
                if words > _SETTLING:
                    heard.late.append((now - last) / _NANOSECONDS)
    except (httpx.HTTPError, KeyError, ValueError, AssertionError) as error:
        heard.error = f"{type(error).__name__}: {error}"
    if words <= _SETTLING and not heard.error:
        heard.error = "The answer ended too early."
    return heard


def directly(url: str) -> Callable[[int], AsyncIterator[str]]:
    """The model itself, as any client reads it."""

    async def hear(person: int) -> AsyncIterator[str]:
        asked = {"stream": True, "messages": [{"role": "user", "content": _question(person)}]}
        async with httpx.AsyncClient(timeout=_SECONDS, limits=_LIMITS) as http:
            await _one_after_another(person)
            async with http.stream("POST", f"{url}/chat/completions", json=asked) as response:
                async for line in response.aiter_lines():
                    yield line

    return hear


def through_the_page(url: str) -> Callable[[int], AsyncIterator[str]]:
    """The page, as a browser reads it that nobody has seen before."""

    async def hear(person: int) -> AsyncIterator[str]:
        headers = {"X-Forwarded-For": "192.0.2.1", "Accept": "text/html"}
        async with httpx.AsyncClient(base_url=url, headers=headers, timeout=_SECONDS, limits=_LIMITS) as http:
            page = (await http.get("/")).raise_for_status().text
            session = uuid.uuid4().hex[:11]
            event = {"text": _question(person), "conversation": str(uuid.uuid4()), "run": str(uuid.uuid4())}
            body = {"fn_index": _asking(page), "data": [], "event_data": event, "session_hash": session}
            await _one_after_another(person)
            (await http.post("/gradio_api/queue/join", json=body | {"trigger_id": None})).raise_for_status()
            async with http.stream("GET", "/gradio_api/queue/data", params={"session_hash": session}) as response:
                async for line in response.aiter_lines():
                    if '"process_completed"' in line:
                        return
                    yield line

    return hear


def _question(person: int) -> str:
    return f"What does person {person} want to hear?"


async def _one_after_another(person: int) -> None:
    """People do not all begin in the same moment: a hundred of them within a second."""
    await asyncio.sleep(person * 0.01)


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
