"""Lists of models in the formats of local model servers, for `ChatServer.lists`."""

from collections.abc import Callable, Iterable
from typing import Any

from tests.support.servers.chat_server import ChatServer, Exchange

OPENAI_PATH = "/v1/models"


def says_json(body: Any) -> Callable[[Exchange], None]:
    return lambda exchange: exchange.json(200, body)


def openai_list(names: Iterable[Any]) -> Any:
    return {"object": "list", "data": [{"id": name, "object": "model", "owned_by": "somebody"} for name in names]}


def lists_openai(server: ChatServer, *names: str) -> None:
    """Make a server list these models."""
    server.lists[OPENAI_PATH] = says_json(openai_list(names))
