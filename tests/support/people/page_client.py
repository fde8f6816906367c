"""The page without a browser: opens it, does what a person does in it, and keeps every byte that comes back."""

import json
import re
import uuid
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import count
from typing import Any, Self

import httpx2

JOIN, PREDICT, STREAM = "/gradio_api/queue/join", "/gradio_api/run/predict", "/gradio_api/queue/data"
# Shorter than the server keeps a connection, so that none is used just when it closes it.
KEPT_SHORTLY = httpx2.Limits(keepalive_expiry=1.0)
_CUSTOMERS = count(1)
_CONFIG = re.compile(r"window\.gradio_config = (\{.*?\});</script>", re.DOTALL)


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
        self.session_hash = uuid.uuid4().hex[:11]
        self.conversation = str(uuid.uuid4())
        self.seen: list[str] = []

    def open(self) -> Self:
        """Load the page, as a browser does; whoever comes without a cookie gets one."""
        self.page = self._kept(self.http.get("/", headers={"Accept": "text/html"}).raise_for_status())
        return self

    def close(self) -> None:
        self.http.close()

    @cached_property
    def config(self) -> dict[str, Any]:
        found = _CONFIG.search(self.page)
        assert found, "the page has no configuration"
        told: dict[str, Any] = json.loads(found[1])
        return told

    @cached_property
    def functions(self) -> dict[str, dict[str, Any]]:
        """What can happen on the page, by the element and the name of the event, as in `conversation.ask`."""
        elements = {part["id"]: part["props"].get("elem_id") or part["type"] for part in self.config["components"]}
        return {
            f"{elements.get(target, 'page')}.{event}": function
            for function in self.config["dependencies"]
            for target, event in function["targets"]
        }

    def body(self, event: str, told: object = None, data: list[Any] | None = None) -> dict[str, Any]:
        function = self.functions[event]
        return {
            "fn_index": function["id"],
            "data": [None] * len(function["inputs"]) if data is None else data,
            "event_data": told,
            "trigger_id": None,
            "session_hash": self.session_hash,
        }

    def do(self, event: str, told: object = None, data: list[Any] | None = None) -> Any:
        """Let something happen that is answered at once; what its first output then is, if it has any."""
        response = self.http.post(PREDICT, json=self.body(event, told, data))
        return next(iter(json.loads(self._kept(response.raise_for_status()))["data"]), None)

    def run(self, event: str, told: object = None) -> Any:
        """Let something happen that is answered in a stream; what its first output is at the end."""
        event_id = self.join(event, told)
        for message in self.stream():
            if message["msg"] == "process_completed" and message["event_id"] == event_id:
                return json.loads(message["output"]["data"][0])
        raise AssertionError("the stream ended before the answer")

    def join(self, event: str, told: object = None) -> str:
        """Begin something that is answered in a stream; the id of it."""
        response = self.http.post(JOIN, json=self.body(event, told))
        return str(json.loads(self._kept(response.raise_for_status()))["event_id"])

    def stream(self, session_hash: str = "") -> Iterator[dict[str, Any]]:
        """The messages of the stream, until it ends or the generator is closed."""
        asked = {"session_hash": session_hash or self.session_hash}
        with self.http.stream("GET", STREAM, params=asked) as response:
            response.raise_for_status()
            for line in response.iter_lines():
                self.seen.append(line)
                if line.startswith("data:"):
                    yield json.loads(line.removeprefix("data:"))

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
        turns: list[dict[str, Any]] = self.do("page.load", data=[conversation or self.conversation])["turns"]
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
