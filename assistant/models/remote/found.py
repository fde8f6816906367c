"""Find the model servers of this machine, and the keys in its environment, without calling a model.

Requests the list of models in the OpenAI protocol from the usual ports on loopback. Any program may listen there: its
answer is limited in size, and must be a list of models.
"""

import asyncio
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.models.remote.library import PROVIDERS
from assistant.settings import clean_key

OLLAMA = "Ollama"
USUAL_PORTS = {OLLAMA: 11434, "LM Studio": 1234, "llama.cpp": 8080, "vLLM": 8000}
USUAL_MODELS = {
    "anthropic": "claude-haiku-latest",
    "deepseek": "deepseek-flash",
    "gemini": "gemini-flash-latest",
    "groq": "openai/gpt-oss-120b",
    "mistral": "mistral-small-latest",
    "openai": "gpt-5.4-mini",
}
"""Default model of each provider, all in LiteLLM's list (tested). For other providers the user names the model."""
_SECONDS = 0.5  # for all together
_LONGEST_BYTES = 500_000
_MOST_MODELS = 20
_NAME = re.compile(r"[A-Za-z0-9/][\w./:@+-]{0,119}", re.ASCII)
# Embedding models, and models that Ollama runs on a remote server.
_NO_CHAT = re.compile(r"embed|bert|rerank|minilm|paraphrase|\bbge\b|[-:]cloud$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FoundServer:
    name: str
    address: str
    models: tuple[str, ...]  # as LiteLLM names them


def find_servers(ports: Mapping[str, int] = USUAL_PORTS) -> Sequence[FoundServer]:
    """Return the servers of this machine that answer within half a second, with their models."""
    return asyncio.run(_find(ports)) if ports else ()


def keys_set(environment: Mapping[str, str] = os.environ) -> Mapping[str, str]:
    """Return the names of the environment variables with a key, by provider."""
    return {provider: f"{provider.upper()}_API_KEY" for provider in PROVIDERS if key_set(provider, environment)}


def key_set(provider: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the key of a provider in the environment, empty if there is none."""
    return clean_key(environment.get(f"{provider.upper()}_API_KEY", "")) if provider in PROVIDERS else ""


async def _find(ports: Mapping[str, int]) -> Sequence[FoundServer]:
    import httpx2  # imported late: starting Noted does not need it

    # No proxies, no redirects, and no certificates to load.
    client = httpx2.AsyncClient(trust_env=False, verify=False, timeout=None, headers={"Accept-Encoding": "identity"})
    async with client:
        asked = [asyncio.wait_for(_ask(client, name, port), _SECONDS) for name, port in ports.items()]
        answers = await asyncio.gather(*asked, return_exceptions=True)
    return [answer for answer in answers if isinstance(answer, FoundServer)]


async def _ask(client: Any, name: str, port: int) -> FoundServer | None:
    """Request the models of one server; None if it lists none. May raise anything for a foreign program."""
    address = f"http://127.0.0.1:{port}"
    async with client.stream("GET", f"{address}/v1/models") as response:
        body = b""
        async for piece in response.aiter_raw():
            body += piece
            if response.status_code != 200 or len(body) > _LONGEST_BYTES:
                return None
    told = json.loads(body)
    if told["object"] != "list":
        return None
    kind = "ollama_chat" if name == OLLAMA else "openai"
    listed = [model["id"] for model in told["data"] if model.get("object", "model") == "model"]
    models = dict.fromkeys(f"{kind}/{one}" for one in listed if _NAME.fullmatch(one) and not _NO_CHAT.search(one))
    server = FoundServer(name, address if name == OLLAMA else f"{address}/v1", tuple(models)[:_MOST_MODELS])
    return server if models else None
