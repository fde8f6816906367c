"""Connect a user's own model: find servers and keys on this machine, list a server's models, build the model object.

Only listed providers are allowed, against server-side request forgery; the caller decides who may give an address. A
key is sent only to the provider's public address, even if the environment names another, and is never stored. Any
program may answer at a given address, so size and time of its answer are limited, and only plain names are read.
"""

import asyncio
import json
import logging
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urljoin

from assistant.errors import BadReply, InputError, KeyRefused, ModelError, NoKey, WrongAddress
from assistant.models.remote.errors import read_failure
from assistant.models.remote.library import NO_KEY, PROVIDERS, reach_loopback_directly
from assistant.models.remote.remote import RemoteModel
from assistant.models.remote.streaming import EventLoopThread
from assistant.settings import Settings, clean_address, clean_key, is_local

_log = logging.getLogger(__name__)

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
# Paths of the model lists, for providers that do not serve them at their API address plus "/models".
_LISTS = {"anthropic": "/v1/models", "deepseek": "/models", "gemini": "/v1beta/openai/models"}
_OWN_NAME = re.compile(rf"(?:{'|'.join(PROVIDERS)})/(?:[A-Za-z0-9][\w.:-]{{0,80}}(?:/[A-Za-z0-9][\w.:-]{{0,80}})?)?")
_ANY_OWN_NAME = re.compile(r"(?:openai|ollama_chat)/(?:[A-Za-z0-9/][\w./:@+-]{0,119})?", re.ASCII)
_KEY = re.compile(r"[!-~]{1,500}")

MakeOwn = Callable[[str, str, str], RemoteModel]
"""`own_model` by name, key and address."""


class CannotConnect(ModelError):
    """A model cannot be connected; `models` are the names that its server lists, for the user to choose from."""

    def __init__(self, code: str, models: Sequence[str] = ()) -> None:
        super().__init__(code, models=", ".join(models[:_MOST_NAMED]) + (", …" if len(models) > _MOST_NAMED else ""))
        self.models = models


class StatusError(Exception):
    """A server answered with a status other than 200."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status_code = status


@dataclass(frozen=True, slots=True)
class FoundServer:
    name: str
    address: str
    models: tuple[str, ...]  # as LiteLLM names them


def find_servers(ports: Mapping[str, int] = USUAL_PORTS) -> Sequence[FoundServer]:
    """Return the servers of this machine that answer within half a second, with their models."""

    async def ask_all() -> Sequence[Sequence[str] | BaseException]:
        urls = [f"http://127.0.0.1:{port}/v1/models" for port in ports.values()]
        # No proxy, and no certificates, which take time to load.
        asked = [_ask(url, {}, _SECONDS, trust_env=False, verify=False) for url in urls]
        return await asyncio.gather(*asked, return_exceptions=True)  # other programs may cause any error

    found = []
    for (name, port), names in zip(ports.items(), asyncio.run(ask_all()), strict=True):
        if names and not isinstance(names, BaseException):
            kind, path = ("ollama_chat", "") if name == OLLAMA else ("openai", "/v1")
            models = tuple(f"{kind}/{model}" for model in names[:_MOST_FOUND])
            found.append(FoundServer(name, f"http://127.0.0.1:{port}{path}", models))
    return found


def keys_set() -> Mapping[str, str]:
    """Return the names of the environment variables with a key, by provider."""
    return {provider: f"{provider.upper()}_API_KEY" for provider in PROVIDERS if key_set(provider)}


def key_set(provider: str) -> str:
    """Return the key of a provider in the environment, empty if there is none."""
    return clean_key(os.environ.get(f"{provider.upper()}_API_KEY", "")) if provider in PROVIDERS else ""


def list_models(model: RemoteModel) -> Sequence[str]:
    """Return the names of the models that the server of a model lists, without the provider.

    Raises CannotConnect if there is no answer, NoKey, and ModelError if the answer is not a list.
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
    reach_loopback_directly(url)
    try:
        return asyncio.run(_ask(url, headers, _LIST_SECONDS))[:_MOST]
    except Exception as error:  # other programs may cause any error
        failure = read_failure(error, begun=False)
        _log.warning("The models at %s cannot be listed: %s (status %s)", base, type(error).__name__, failure.status)
        refusal: ModelError = failure.error
        if isinstance(error, BadReply):
            refusal = WrongAddress()
        elif not isinstance(error, StatusError):
            refusal = CannotConnect(failure.error.code)
    raise NoKey if isinstance(refusal, KeyRefused) and not headers else refusal


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
    """Complete a model name that ends with "/", if the server lists only one model. Raises ModelError.

    For a complete name at a custom address, the list is requested only to check that a server answers.
    """
    is_named = not model.name.endswith("/")
    if is_named and model.api_base in PROVIDERS.values():
        return model
    try:
        names = list_models(model)
    except ModelError as error:
        if is_named and not isinstance(error, CannotConnect | NoKey):  # the server may still have it
            return model
        raise
    if is_named:
        return model
    if len(names) != 1:
        raise CannotConnect("connect.choose" if names else "connect.no_list", names)
    return replace(model, name=model.name + names[0])


async def _ask(url: str, headers: Mapping[str, str], seconds: float, **options: Any) -> Sequence[str]:
    """Return the names of the chat models that a server lists, without following redirects or decompressing.

    Raises StatusError; BadReply if the answer is not a list of models. Errors of httpx pass through.
    """
    import httpx2  # late: starting Noted does not need it

    body = b""
    async with (
        httpx2.AsyncClient(timeout=None, **options) as client,
        asyncio.timeout(seconds),  # starts after the client has loaded certificates
        client.stream("GET", url, headers={"Accept-Encoding": "identity", **headers}) as response,
    ):
        if response.status_code != 200:
            raise StatusError(response.status_code)
        async for piece in response.aiter_raw():
            body += piece
            if len(body) > _LONGEST_BYTES:
                raise BadReply
    try:
        listed = [str(model["id"]) for model in json.loads(body)["data"] if model.get("object", "model") == "model"]
    except (ValueError, RecursionError, TypeError, LookupError, AttributeError):
        raise BadReply from None
    names = dict.fromkeys(name.removeprefix("models/") for name in listed)  # Gemini names them so
    return [name for name in names if _NAME.fullmatch(name) and not _NO_CHAT.search(name)]
