"""The page without a browser: opens it, does what a person does in it, and keeps every byte that comes back."""

import json
import re
import uuid
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import count
from typing import Any, Self

import httpx2

# Shorter than the server keeps a connection, so that none is used just when it closes it.
KEPT_SHORTLY = httpx2.Limits(keepalive_expiry=1.0)
_CUSTOMERS = count(1)
_DATA = re.compile(r'<script type="application/json" id="noted-data">(.*?)</script>', re.DOTALL)


def address_of(event: str) -> str:
    """Where an event (`PANEL.EVENT`) is answered."""
    return f"/page/{event.replace('.', '/')}"


class Refused(Exception):
    """The page said, in one sentence, why nothing was done."""


class PageClient:
    """One browser with the page open.

    Args:
        url: address of the page.
        headers: sent with each request. By default they are a visitor's, each from an address of its own.

    Attributes:
        seen: all that was received, as text.
    """

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        headers = {"X-Forwarded-For": f"2001:db8:{next(_CUSTOMERS):x}::1"} if headers is None else headers
        self.http = httpx2.Client(base_url=url, headers=dict(headers), timeout=60, limits=KEPT_SHORTLY)
        self.id = uuid.uuid4().hex
        self.conversation = str(uuid.uuid4())
        self.seen: list[str] = []

    def open(self) -> Self:
        """Load the page, as a browser does; whoever comes without a cookie gets one."""
        self.page = self._kept(self.http.get("/", headers={"Accept": "text/html"}).raise_for_status())
        return self

    def close(self) -> None:
        self.http.close()

    @cached_property
    def told(self) -> dict[str, Any]:
        """What the server told of the page when it was loaded."""
        found = _DATA.search(self.page)
        assert found, "the page has no data"
        told: dict[str, Any] = json.loads(found[1])
        return told

    def body(self, told: object = None) -> dict[str, Any]:
        return {"page": self.id, "data": told}

    def do(self, event: str, told: object = None) -> Any:
        """Let something happen (`PANEL.EVENT`) that is answered at once; what its panel then shows."""
        response = self.http.post(address_of(event), json=self.body(told))
        return json.loads(self._kept(response.raise_for_status()))

    def run(self, event: str, told: object = None) -> Any:
        """Let something happen that is answered in a stream; the last of it."""
        updates = list(self.stream(event, told))
        assert updates, "the stream ended before the answer"
        return updates[-1]

    def stream(self, event: str, told: object = None) -> Iterator[dict[str, Any]]:
        """What comes of something, until it ends or the generator is closed."""
        with self.http.stream("POST", address_of(event), json=self.body(told)) as response:
            response.raise_for_status()
            for line in response.iter_lines():
                self.seen.append(line)
                if line:
                    yield json.loads(line.removeprefix("data: "))

    def ask(self, text: str) -> dict[str, Any]:
        """Ask in this page's conversation; the turn as it is shown last."""
        return self._turn(
            self.run("conversation.ask", {"text": text, "conversation": self.conversation, "run": str(uuid.uuid4())})
        )

    def clarify(self, turn: str, text: str) -> dict[str, Any]:
        told = {"turn": turn, "text": text, "conversation": self.conversation, "run": str(uuid.uuid4())}
        return self._turn(self.run("conversation.clarify", told))

    def memory(self, search: str = "") -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self.do("memory.search", {"search": search, "shown": 1000})["entries"]
        return entries

    def turns(self, conversation: str = "") -> list[dict[str, Any]]:
        """What a conversation shows when the page is opened again."""
        turns: list[dict[str, Any]] = self.do(
            "conversation.begin", {"conversation": conversation or self.conversation}
        )["turns"]
        return turns

    @staticmethod
    def _turn(update: dict[str, Any]) -> dict[str, Any]:
        if update.get("refused"):
            raise Refused(update["refused"])
        turn: dict[str, Any] = update["turns"][-1]
        return turn

    def _kept(self, response: httpx2.Response) -> str:
        self.seen.append(response.text)
        return response.text
