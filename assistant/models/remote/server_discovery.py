"""Find the model servers of this machine, and the keys in its environment, without calling a model.

Requests the list of models from the usual ports on loopback.
"""

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.models.remote.library import PROVIDERS
from assistant.models.remote.model_list import ask_for_models, list_client
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
_MOST_MODELS = 20


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
    # No proxy, and no file of certificates to read.
    async with list_client(trust_env=False, verify=False) as client:
        asked = [asyncio.wait_for(_ask(client, name, port), _SECONDS) for name, port in ports.items()]
        answers = await asyncio.gather(*asked, return_exceptions=True)
    return [answer for answer in answers if isinstance(answer, FoundServer)]


async def _ask(client: Any, name: str, port: int) -> FoundServer | None:
    """Request the models of one server; None if it lists none. May raise anything for a foreign program."""
    address = f"http://127.0.0.1:{port}"
    _, listed = await ask_for_models(client, f"{address}/v1/models")
    kind = "ollama_chat" if name == OLLAMA else "openai"
    models = tuple(f"{kind}/{model}" for model in (listed or ())[:_MOST_MODELS])
    return FoundServer(name, address if name == OLLAMA else f"{address}/v1", models) if models else None
