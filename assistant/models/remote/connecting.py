"""Name the cause where a model cannot be connected, in one sentence that says what to do.

A failed call alone says little: that a server is not there, that its address lacks `/v1` and that it does not know a
model may all arrive as one error. The list of its models tells these apart.
"""

import asyncio
import socket
import ssl
from collections.abc import Mapping, Sequence
from urllib.parse import urljoin, urlsplit

from assistant import errors
from assistant.errors import ModelError
from assistant.models.remote.errors import chain_of
from assistant.models.remote.library import PROVIDERS
from assistant.models.remote.model_list import ask_for_models, list_client
from assistant.models.remote.own_model import NO_KEY
from assistant.models.remote.proxies import reach_loopback_directly
from assistant.models.remote.remote import RemoteModel

_SECONDS = 5.0  # for the list of models
_MOST = 500  # models of a list
_MOST_NAMED = 5  # in a sentence
_LISTS = {"anthropic": "/v1/models", "deepseek": "/models", "gemini": "/v1beta/openai/models"}
"""Paths of the lists of providers that have them elsewhere than below their address."""

_NO_NETWORK = {"connect.unknown_host", "connect.timed_out", "connect.nothing_there"}  # of a public address

# What an exception of a request means, and what a status does; the first that fits decides.
_BY_EXCEPTION: Mapping[type[BaseException], str] = {
    socket.gaierror: "connect.unknown_host",
    ssl.SSLCertVerificationError: "connect.certificate",
    ssl.SSLError: "connect.no_tls",
    TimeoutError: "connect.timed_out",
    ConnectionResetError: "connect.no_model_server",
    OSError: "connect.nothing_there",
}
_BY_STATUS: Mapping[int, type[ModelError]] = {
    **dict.fromkeys((301, 302, 303, 307, 308), errors.ModelMoved),
    401: errors.KeyRefused,
    403: errors.KeyRefused,
    429: errors.RateLimited,
}
# Errors of a call that say too little. Others name their cause.
_UNCLEAR = (errors.WrongAddress, errors.BadReply, errors.UnknownModel, errors.ModelUnavailable, errors.ModelTimeout)


class CannotConnect(ModelError):
    """A model cannot be connected.

    Attributes:
        cause: the code of the sentence that says why.
        models: the names of the models that the server has, where it listed them.
    """

    def __init__(self, cause: str, models: Sequence[str] = (), **values: str | int) -> None:
        named = ", ".join(models[:_MOST_NAMED]) + (", …" if len(models) > _MOST_NAMED else "")
        super().__init__(cause, **({"models": named} if models else {}), **values)
        self.cause, self.models = cause, models


def list_models(model: RemoteModel) -> Sequence[str]:
    """Return the names of the models that the server of a model lists, without the provider. Raises ModelError."""
    reach_loopback_directly(model.api_base or "")
    return asyncio.run(_list_models(model))[:_MOST]


def only_model(model: RemoteModel) -> str:
    """Return the name of the only model of a server. Raises ModelError, also where it lists none or several."""
    names = list_models(model)
    if not names:
        raise CannotConnect("connect.no_list")
    if len(names) > 1:
        raise CannotConnect("connect.choose", names)
    return names[0]


def explain(error: ModelError, model: RemoteModel) -> ModelError:
    """Return an error that names the cause why a model did not answer its trial, as far as its server tells."""
    if isinstance(error, errors.KeyRefused) and model.api_key == NO_KEY:
        return CannotConnect("connect.key_wanted")
    is_unclear = isinstance(error, _UNCLEAR) or type(error) is ModelError
    is_public = model.api_base in PROVIDERS.values()  # nobody can mend that address
    if not is_unclear or isinstance(error, errors.ModelLoading):
        return error
    if is_public and not isinstance(error, errors.UnknownModel | errors.ModelUnavailable):
        return error
    return _by_list(error, model, is_public=is_public)


def _by_list(error: ModelError, model: RemoteModel, *, is_public: bool) -> ModelError:
    """Return the cause of an error by the list of models of the server."""
    try:
        names = list_models(model)
    except ModelError as cause:
        if is_public:
            is_network = isinstance(cause, CannotConnect) and cause.cause in _NO_NETWORK
            host = urlsplit(model.api_base or "").hostname or ""
            return CannotConnect("connect.no_network", host=host) if is_network else error
        if not isinstance(cause, CannotConnect) or cause.cause not in {"connect.no_list", "connect.no_model_server"}:
            return cause
        is_address = isinstance(error, errors.WrongAddress | errors.BadReply)
        return CannotConnect("connect.no_model_server", address=model.api_base or "") if is_address else error
    name = model.name.partition("/")[2]
    if isinstance(error, errors.ModelTimeout):
        return error
    if isinstance(error, errors.ModelUnavailable):
        return CannotConnect("connect.server_error")
    return CannotConnect("connect.unknown_model", names, model=name) if names and name not in names else error


async def _list_models(model: RemoteModel) -> Sequence[str]:
    base = model.api_base or ""
    url, headers = _list_of(model, base)
    async with list_client() as client:
        status, names = await _ask(client, url, headers)
        if names is not None:
            return names
        if (kind := _BY_STATUS.get(status)) is not None:
            raise CannotConnect("connect.key_wanted") if kind is errors.KeyRefused and not headers else kind()
        if status >= 500:
            raise CannotConnect("connect.server_error")
        may_lack = base not in PROVIDERS.values() and not url.endswith("/v1/models")
        if may_lack and (await _ask(client, f"{base}/v1/models", headers))[1] is not None:
            raise CannotConnect("connect.needs_v1", address=f"{base}/v1")
        raise CannotConnect("connect.no_model_server" if status == 200 else "connect.no_list", address=base)


def _list_of(model: RemoteModel, base: str) -> tuple[str, Mapping[str, str]]:
    """Return the address of the list of models, and the headers that it takes: none without a key."""
    provider, key = model.name.partition("/")[0], model.api_key
    headers = {"Authorization": f"Bearer {key}"} if key and key != NO_KEY else {}
    if base not in PROVIDERS.values():
        return f"{base}/v1/models" if provider.startswith("ollama") else f"{base}/models", headers
    if provider == "anthropic":
        headers = {"x-api-key": key or "", "anthropic-version": "2023-06-01"}
    return urljoin(base, _LISTS[provider]) if provider in _LISTS else f"{base}/models", headers


async def _ask(client: object, url: str, headers: Mapping[str, str]) -> tuple[int, Sequence[str] | None]:
    """Return the status of an answer, and the models that it lists. Raises CannotConnect: there was none."""
    try:
        async with asyncio.timeout(_SECONDS):
            return await ask_for_models(client, url, headers)
    except Exception as error:  # whatever a foreign program brings about
        chain = tuple(chain_of(error))
    is_of = (cause for kind, cause in _BY_EXCEPTION.items() if any(isinstance(each, kind) for each in chain))
    address = urlsplit(url)
    raise CannotConnect(
        next(is_of, "connect.no_model_server"),
        address=f"{address.scheme}://{address.netloc}",
        host=address.hostname or "",
    )
