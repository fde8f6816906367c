"""Connect a model of the user's own: find servers and keys of this machine, list the models of a server, make one.

Only listed providers are allowed, against server-side request forgery; the caller decides who may give an address. A
key is sent to the provider's public address, whatever the environment sets, and never stored. Any program may listen at
an address: its answer is bounded in size and time, and only names in plain characters are taken from it.
"""

import asyncio
import json
import os
import re
import socket
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urljoin, urlsplit

from assistant.errors import InputError, KeyRefused, ModelError, ModelMoved, RateLimited
from assistant.models.remote.errors import chain_of
from assistant.models.remote.library import NO_KEY, PROVIDERS, reach_loopback_directly
from assistant.models.remote.remote import RemoteModel
from assistant.models.remote.streaming import EventLoopThread
from assistant.settings import Settings, clean_address, clean_key, is_local

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
_SECONDS = 0.5  # for all servers of this machine together
_LIST_SECONDS = 5.0
_MOST_FOUND, _MOST = 20, 500  # models of a list
_MOST_NAMED = 5  # in a sentence
_LONGEST_BYTES = 2_000_000
_NAME = re.compile(r"[A-Za-z0-9/][\w./:@+-]{0,119}", re.ASCII)
# Embedding models, and models that Ollama runs on a remote server.
_NO_CHAT = re.compile(r"embed|bert|rerank|minilm|paraphrase|\bbge\b|[-:]cloud$", re.IGNORECASE)
# Paths of the lists of providers that have them elsewhere than below their address.
_LISTS = {"anthropic": "/v1/models", "deepseek": "/models", "gemini": "/v1beta/openai/models"}
# What an exception of a request means; the first that fits decides.
_BY_EXCEPTION: Mapping[type[BaseException], str] = {
    socket.gaierror: "connect.unknown_host",
    ssl.SSLCertVerificationError: "connect.certificate",
    ssl.SSLError: "connect.no_tls",
    TimeoutError: "connect.timed_out",
    ConnectionResetError: "connect.no_model_server",
    OSError: "connect.nothing_there",
    Exception: "connect.no_model_server",
}
_OWN_NAME = re.compile(rf"(?:{'|'.join(PROVIDERS)})/(?:[A-Za-z0-9][\w.:-]{{0,80}}(?:/[A-Za-z0-9][\w.:-]{{0,80}})?)?")
_ANY_OWN_NAME = re.compile(r"(?:openai|ollama_chat)/(?:[A-Za-z0-9/][\w./:@+-]{0,119})?", re.ASCII)
_KEY = re.compile(r"[!-~]{1,500}")

_Answer = tuple[int, Sequence[str] | None]  # status, and the names that it lists; None where it holds no list
MakeOwn = Callable[[str, str, str], RemoteModel]
"""`own_model` by name, key and address."""


class CannotConnect(ModelError):
    """A model cannot be connected; `models` are those that its server lists, to choose one."""

    def __init__(self, code: str, models: Sequence[str] = (), **values: str) -> None:
        named = ", ".join(models[:_MOST_NAMED]) + (", …" if len(models) > _MOST_NAMED else "")
        super().__init__(code, models=named, **values)
        self.models = models


@dataclass(frozen=True, slots=True)
class FoundServer:
    name: str
    address: str
    models: tuple[str, ...]  # as LiteLLM names them


def find_servers(ports: Mapping[str, int] = USUAL_PORTS) -> Sequence[FoundServer]:
    """Return the servers of this machine that answer within half a second, with their models."""

    async def ask_all() -> Sequence[_Answer | BaseException]:
        urls = [f"http://127.0.0.1:{port}/v1/models" for port in ports.values()]
        # No proxy, and no file of certificates to read.
        asked = [_ask(url, {}, _SECONDS, trust_env=False, verify=False) for url in urls]
        return await asyncio.gather(*asked, return_exceptions=True)  # foreign programs may bring about any

    found = []
    for (name, port), answer in zip(ports.items(), asyncio.run(ask_all()), strict=True):
        if isinstance(answer, tuple) and answer[1]:
            kind, path = ("ollama_chat", "") if name == OLLAMA else ("openai", "/v1")
            models = tuple(f"{kind}/{model}" for model in answer[1][:_MOST_FOUND])
            found.append(FoundServer(name, f"http://127.0.0.1:{port}{path}", models))
    return found


def keys_set() -> Mapping[str, str]:
    """Return the names of the environment variables with a key, by provider."""
    return {provider: f"{provider.upper()}_API_KEY" for provider in PROVIDERS if key_set(provider)}


def key_set(provider: str) -> str:
    """Return the key of a provider in the environment, empty if there is none."""
    return clean_key(os.environ.get(f"{provider.upper()}_API_KEY", "")) if provider in PROVIDERS else ""


def list_models(model: RemoteModel) -> Sequence[str]:
    """Return the names of the models that the server of a model lists, without the provider; none if it has no list.

    Raises CannotConnect if the address is wrong or wants a key, and ModelError for other answers than a list.
    """
    base, provider = model.api_base or "", model.name.partition("/")[0]
    headers = {"Authorization": f"Bearer {model.api_key}"} if model.api_key and model.api_key != NO_KEY else {}
    url, is_public = f"{base}/models", base in PROVIDERS.values()
    if is_public and provider in _LISTS:
        url = urljoin(base, _LISTS[provider])
    elif not is_public and provider.startswith("ollama"):
        url = f"{base}/v1/models"
    if is_public and provider == "anthropic":
        headers = {"x-api-key": model.api_key or "", "anthropic-version": "2023-06-01"}
    status, names = _ask_or_refuse(url, headers)
    if names is not None:
        return names[:_MOST]
    if status in {401, 403}:
        raise KeyRefused if headers else CannotConnect("connect.key_wanted")
    if status == 429:
        raise RateLimited
    if status in {301, 302, 303, 307, 308}:
        raise ModelMoved
    if status >= 500:
        raise ModelError("connect.server_error")
    if not is_public and not url.endswith("/v1/models") and _ask_or_refuse(f"{base}/v1/models", headers)[1] is not None:
        raise CannotConnect("connect.needs_v1", address=f"{base}/v1")
    if status == 200:
        raise ModelError("connect.no_model_server", address=base)
    return ()


def own_model(
    settings: Settings, loop: EventLoopThread, writes_keys: bool, name: str, key: str, address: str
) -> RemoteModel:
    """Return the model with this LiteLLM name and key, at its provider or at an address, if given.

    A name may end with "/": `name_model` finds the rest. With an address, any name is valid and the key is optional.
    Raises InputError.
    """
    name, key, base = clean_key(name), clean_key(key), clean_address(address) if address.strip() else ""
    if base is None:
        raise InputError("own_model.no_such_address")
    if not (_OWN_NAME.fullmatch(name) or (base and _ANY_OWN_NAME.fullmatch(name))):
        raise InputError("own_model.not_offered")
    key = key or (NO_KEY if base else "")
    if not _KEY.fullmatch(key):
        raise InputError("own_model.no_such_key")
    return RemoteModel(
        name,
        api_key=key,
        api_base=base or PROVIDERS[name.partition("/")[0]],
        first_token_seconds=settings.first_token_seconds,
        read_seconds=settings.read_seconds,
        reply_tokens=settings.reply_tokens,
        loop=loop,
        writes_keys=writes_keys,
        is_small=bool(base) and is_local(base),
    )


def name_model(model: RemoteModel) -> RemoteModel:
    """Return a model with the name of the only one that its server lists, if its own name ends with "/".

    For a name at an own address, the list says what is wrong with the address, which a failed call does not tell
    apart. Raises ModelError.
    """
    is_named = not model.name.endswith("/")
    if is_named and model.api_base in PROVIDERS.values():
        return model
    try:
        names = list_models(model)
    except CannotConnect:
        raise
    except ModelError:
        if is_named:  # the server may still have it
            return model
        raise
    if not is_named and len(names) != 1:
        raise CannotConnect("connect.choose", names) if names else CannotConnect("connect.no_list")
    return model if is_named else replace(model, name=model.name + names[0])


def _ask_or_refuse(url: str, headers: Mapping[str, str]) -> _Answer:
    """Return the answer of a server. Raises CannotConnect: there was none."""
    reach_loopback_directly(url)
    try:
        return asyncio.run(_ask(url, headers, _LIST_SECONDS))
    except Exception as error:  # foreign programs may bring about any
        chain = tuple(chain_of(error))
    cause = next(cause for kind, cause in _BY_EXCEPTION.items() if any(isinstance(each, kind) for each in chain))
    address = urlsplit(url)
    raise CannotConnect(cause, address=f"{address.scheme}://{address.netloc}", host=address.hostname or "")


async def _ask(url: str, headers: Mapping[str, str], seconds: float, **options: Any) -> _Answer:
    """Return the answer of a server, without following redirects or unpacking anything."""
    import httpx2  # late: whoever starts Noted asks no server

    headers = {"Accept-Encoding": "identity", **headers}
    async with (
        httpx2.AsyncClient(timeout=None, **options) as client,
        asyncio.timeout(seconds),  # without reading certificates
        client.stream("GET", url, headers=headers) as response,
    ):
        body = b""
        async for piece in response.aiter_raw():
            body += piece
            if response.status_code != 200 or len(body) > _LONGEST_BYTES:
                return response.status_code, None
        return response.status_code, _names(body) if response.status_code == 200 else None


def _names(body: bytes) -> Sequence[str] | None:
    """Return the names of the chat models that a list holds; None where it is no list of models."""
    try:
        listed = [str(model["id"]) for model in json.loads(body)["data"] if model.get("object", "model") == "model"]
    except (ValueError, RecursionError, TypeError, LookupError, AttributeError):
        return None
    names = dict.fromkeys(name.removeprefix("models/") for name in listed)  # Gemini names them so
    return [name for name in names if _NAME.fullmatch(name) and not _NO_CHAT.search(name)]
