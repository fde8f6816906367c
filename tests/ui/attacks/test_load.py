"""Two hundred visitors from twenty addresses, half of them hostile: the honest half gets every answer."""

import multiprocessing
import statistics
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from random import SystemRandom

import httpx2

from tests.support.people.page_client import JOIN, PageClient, Refused
from tests.support.people.raw import HALF, connect
from tests.support.servers.served import served

ADDRESSES, VISITORS = 4, 16
QUESTIONS = 2
SECONDS_BETWEEN = 0.5  # who asks also reads
CHANCE = SystemRandom()
HALF_SENT = HALF + b"Content-Length: 1000\r\n\r\n{"


def headers(visitor: int) -> dict[str, str]:
    """Honest and hostile visitors come from the same addresses."""
    return {"X-Forwarded-For": f"203.0.113.{visitor // 2 % ADDRESSES}"}


def ask(page: PageClient, questions: int) -> list[float]:
    """An honest visitor asks now and then, and reads. How long each answer took, in seconds."""
    taken = []
    for _ in range(questions):
        time.sleep(CHANCE.uniform(0.5, 1.5) * SECONDS_BETWEEN)
        began = time.monotonic()
        turn = page.ask(f"What is akin to {CHANCE.choice(['quick', 'brave', 'calm', 'happy'])}?")
        taken.append(time.monotonic() - began)
        assert turn["state"] == "answered", turn
    return taken


def half_send(url: str, visitor: int) -> None:
    """Opens connections that never say what they want."""
    with ExitStack() as open_ones:
        for _ in range(20):
            open_ones.enter_context(connect(url, HALF_SENT))
        time.sleep(1)


def leave_unread(url: str, visitor: int) -> None:
    """Asks, and never reads the answer."""
    page = PageClient(url, headers(visitor)).open()
    page.join("conversation.ask", {"text": "What is akin to big?", "conversation": "c", "run": "r"})
    time.sleep(0.2)


def flood(url: str, visitor: int) -> None:
    """Asks as often as it can, as somebody else each time."""
    page = PageClient(url, headers(visitor)).open()
    with suppress(Refused):
        for _ in range(20):
            page.ask("What is akin to big?")


def bring_in(url: str, visitor: int) -> None:
    """Begins to send files, and does not go on."""
    page = PageClient(url, headers(visitor)).open()
    for place in (0, 0, 1, 5):
        with suppress(Refused):
            page.do("memory.piece", {"place": place, "last": place == 5, "bytes": "QUJD" * 20_000})
    page.http.post(JOIN, content=b"[" * 200_000)


HOSTILE: tuple[Callable[[str, int], None], ...] = (half_send, leave_unread, flood, bring_in)


def be_hostile(url: str) -> None:
    """A process of its own: half of the visitors, until it is ended."""

    def attack(visitor: int) -> None:
        while True:
            with suppress(httpx2.HTTPError, OSError, AssertionError, StopIteration):
                HOSTILE[visitor // 2 % len(HOSTILE)](url, visitor)
            time.sleep(0.2)

    for visitor in range(1, VISITORS, 2):
        threading.Thread(target=attack, args=(visitor,), daemon=True).start()
    time.sleep(3600)


def answered_all(pages: Iterable[PageClient], questions: int = QUESTIONS) -> list[float]:
    with ThreadPoolExecutor(VISITORS // 2) as threads:
        return [seconds for taken in threads.map(partial(ask, questions=questions), pages) for seconds in taken]


def test_the_honest_half_gets_every_answer(tmp_path: Path) -> None:
    with served(tmp_path, NOTED_PROXIES="127.0.0.1", NOTED_EMBEDDER="none") as server:
        pages = [PageClient(server.url, headers(visitor)).open() for visitor in range(0, VISITORS, 2)]
        answered_all(pages, 1)  # they were here before the others came
        alone = answered_all(pages)
        hostile = multiprocessing.get_context("spawn").Process(target=be_hostile, args=(server.url,), daemon=True)
        hostile.start()
        time.sleep(1)
        beside = answered_all(pages)
        hostile.terminate()
        hostile.join()
        for page in pages:
            page.close()
    quantiles = [statistics.quantiles(taken, n=20)[-1] * 1000 for taken in (alone, beside)]
    print(f"p95 of an answer: {quantiles[0]:.0f} ms alone, {quantiles[1]:.0f} ms beside the hostile half")
