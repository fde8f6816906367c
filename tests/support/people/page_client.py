"""The page without a browser: opens it, acts as a user, and records every byte received."""

import json
import re
import uuid
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import count
from typing import Any, Self

import httpx2

# Shorter than the server's keep-alive, so that no connection is used while the server closes it.
KEPT_SHORTLY = httpx2.Limits(keepalive_expiry=1.0)
_CUSTOMERS = count(1)
_DATA = re.compile(r'<script type="application/json" id="noted-data">(.*?)</script>', re.DOTALL)


def address_of(event: str) -> str:
    """Return the path of an event (`PANEL.EVENT`)."""
    return f"/page/{event.replace('.', '/')}"


class Refused(Exception):
    """The page refused; the message says why in one sentence."""


class PageClient:
    """A browser with the page open.

    Args:
        url: address of the page.
        headers: sent with each request; by default those of a visitor with a new address.

    Attributes:
        seen: all received text.
    """

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        headers = {"X-Forwarded-For": f"2001:db8:{next(_CUSTOMERS):x}::1"} if headers is None else headers
        self.http = httpx2.Client(base_url=url, headers=dict(headers), timeout=60, limits=KEPT_SHORTLY)
        self.id = uuid.uuid4().hex
        self.conversation = str(uuid.uuid4())
        self.seen: list[str] = []

    def open(self) -> Self:
        """Load the page, as a browser does; the server sets a cookie if there is none."""
        self.page = self._kept(self.http.get("/", headers={"Accept": "text/html"}).raise_for_status())
        return self

    def close(self) -> None:
        self.http.close()

    @cached_property
    def told(self) -> dict[str, Any]:
        """Return the data in the loaded page."""
        found = _DATA.search(self.page)
        assert found, "the page has no data"
        told: dict[str, Any] = json.loads(found[1])
        return told

    def body(self, told: object = None) -> dict[str, Any]:
        return {"page": self.id, "data": told}

    def do(self, event: str, told: object = None) -> Any:
        """Send an event (`PANEL.EVENT`); return the new state of its panel."""
        response = self.http.post(address_of(event), json=self.body(told))
        return json.loads(self._kept(response.raise_for_status()))

    def run(self, event: str, told: object = None) -> Any:
        """Send an event with a streamed response; return the last update."""
        updates = list(self.stream(event, told))
        assert updates, "the stream ended before the answer"
        return updates[-1]

    def stream(self, event: str, told: object = None) -> Iterator[dict[str, Any]]:
        """Yield the updates of an event, until it ends or the generator is closed."""
        with self.http.stream("POST", address_of(event), json=self.body(told)) as response:
            response.raise_for_status()
            for line in response.iter_lines():
                self.seen.append(line)
                if line:
                    yield json.loads(line.removeprefix("data: "))

    def ask(self, text: str) -> dict[str, Any]:
        """Ask in this page's conversation; return the turn as finally shown."""
        return self._turn("ask", question=text)

    def clarify(self, turn: str, text: str) -> dict[str, Any]:
        return self._turn("clarify", turn=turn, text=text)

    def memory(self, search: str = "") -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self.do("memory.search", {"search": search, "shown": 1000})["entries"]
        return entries

    def turns(self, conversation: str = "") -> list[dict[str, Any]]:
        """Return the turns of a conversation when the page is opened again."""
        begun = self.do("conversation.go_on", {"conversation": conversation or self.conversation})
        turns: list[dict[str, Any]] = begun["turns"]
        return turns

    def _turn(self, event: str, **told: str) -> dict[str, Any]:
        sent = {"conversation": self.conversation, "run": str(uuid.uuid4())} | told
        update = self.run(f"conversation.{event}", sent)
        if update.get("refused"):
            raise Refused(update["refused"])
        turn: dict[str, Any] = update["turns"][-1]
        return turn

    def _kept(self, response: httpx2.Response) -> str:
        self.seen.append(response.text)
        return response.text
