"""An HTTP client of the API with a user's token."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import httpx2

from assistant.types import Scope
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.tokens import LedgerTokens
from tests.support.people.page_client import KEPT_SHORTLY


def token_for(person: str, home: Path) -> str:
    ledger = Ledger(f"sqlite:///{home / 'ledger.sqlite3'}")
    _, secret = LedgerTokens(ledger).make(Scope(person))
    ledger.close()
    return secret


class ApiClient:
    """A client of one user.

    Args:
        url: address of the app.
        token: None to send none.
    """

    def __init__(self, url: str, token: str | None = None, **headers: str) -> None:
        self.headers = {"X-Forwarded-For": "192.0.2.1", **headers}
        if token is not None:
            self.headers["Authorization"] = f"Bearer {token}"
        self.http = httpx2.Client(base_url=url, headers=self.headers, timeout=60, limits=KEPT_SHORTLY)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def post(self, name: str, **told: Any) -> httpx2.Response:
        return self.http.post(f"/api/{name}", json=told)

    def call(self, name: str, **told: Any) -> Any:
        response = self.post(name, **told)
        assert response.status_code == 200, response.text
        return response.json()

    def stream(self, name: str, **told: Any) -> Iterator[tuple[str, Any]]:
        """Yield the names and data of the events of a call."""
        streamed = {"Accept": "text/event-stream"}
        with self.http.stream("POST", f"/api/{name}", json=told, headers=streamed) as response:
            event = ""
            for line in response.iter_lines():
                kind, _, rest = line.partition(": ")
                if kind == "event":
                    event = rest
                elif kind == "data":
                    yield event, json.loads(rest)
