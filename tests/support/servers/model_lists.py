"""Lists of models, as the model servers of a machine word them, for `ChatServer.lists`."""

from collections.abc import Callable, Iterable
from typing import Any

from tests.support.servers.chat_server import ChatServer, Exchange

OLLAMA_PATH, OPENAI_PATH = "/api/tags", "/v1/models"


def says_json(body: Any) -> Callable[[Exchange], None]:
    return lambda exchange: exchange.json(200, body)


def ollama_list(names: Iterable[Any]) -> Any:
    details = {"format": "gguf", "family": "qwen2", "parameter_size": "1.5B", "quantization_level": "Q4_K_M"}
    models = [
        {"name": name, "model": name, "size": 986_061_892, "digest": "65ec", "details": details} for name in names
    ]
    return {"models": models}


def openai_list(names: Iterable[Any], owner: str = "organization_owner") -> Any:
    return {"object": "list", "data": [{"id": name, "object": "model", "owned_by": owner} for name in names]}


def lists_ollama(server: ChatServer, *names: str) -> None:
    """Let a server be Ollama with these models."""
    server.lists[OLLAMA_PATH] = says_json(ollama_list(names))


def lists_openai(server: ChatServer, *names: str, owner: str = "organization_owner") -> None:
    """Let a server be one of the OpenAI protocol with these models."""
    server.lists[OPENAI_PATH] = says_json(openai_list(names, owner))
