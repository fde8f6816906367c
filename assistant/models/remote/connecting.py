"""Connect a model of the user's own, by its name and a key, which is never stored; say why it does not answer.

Only listed providers are allowed, against server-side request forgery; the caller decides who may give an address. The
key is sent to the provider's public address, whatever the environment sets.
"""

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from assistant import errors
from assistant.errors import InputError, ModelError
from assistant.models.remote.event_loop import EventLoopThread
from assistant.models.remote.library import NO_KEY, PROVIDERS
from assistant.models.remote.remote import RemoteModel
from assistant.models.remote.server_discovery import CannotConnect, list_models
from assistant.settings import Settings, clean_address, clean_key, is_local

_NAME = re.compile(rf"(?:{'|'.join(PROVIDERS)})/(?:[A-Za-z0-9][\w.:-]{{0,80}}(?:/[A-Za-z0-9][\w.:-]{{0,80}})?)?")
_ANY_NAME = re.compile(r"(?:openai|ollama_chat)/(?:[A-Za-z0-9/][\w./:@+-]{0,119})?", re.ASCII)
_KEY = re.compile(r"[!-~]{1,500}")
_NO_NETWORK = {"connect.unknown_host", "connect.timed_out", "connect.nothing_there"}  # of a public address
# Errors of a call that say too little. Others name their cause.
_UNCLEAR = (errors.WrongAddress, errors.BadReply, errors.UnknownModel, errors.ModelUnavailable, errors.ModelTimeout)

MakeOwn = Callable[[str, str, str], RemoteModel]
"""`own_model` by name, key and address."""


def own_model(
    settings: Settings, loop: EventLoopThread, writes_keys: bool, name: str, key: str, address: str
) -> RemoteModel:
    """Return the model with this LiteLLM name and key, at its provider or at an address, if given.

    A name may end with "/": `only_model` finds the rest. With an address, any name is valid and the key is optional.
    Raises InputError.
    """
    name, key, base = clean_key(name), clean_key(key), clean_address(address) if address.strip() else ""
    if base is None:
        raise InputError("own_model.no_such_address")
    if not (_NAME.fullmatch(name) or (base and _ANY_NAME.fullmatch(name))):
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


def only_model(model: RemoteModel) -> str:
    """Return the name of the only model of a server. Raises ModelError, also where it lists none or several."""
    names = list_models(model)
    if len(names) == 1:
        return names[0]
    raise CannotConnect("connect.choose", names) if names else CannotConnect("connect.no_list")


def explain(error: ModelError, model: RemoteModel) -> ModelError:
    """Return an error that names the cause why a model did not answer its trial, as far as its server tells.

    A failed call alone says little: that a server is not there, that its address lacks `/v1` and that it does not know
    a model may all arrive as one error. The list of its models tells these apart.
    """
    if isinstance(error, errors.KeyRefused) and model.api_key == NO_KEY:
        return CannotConnect("connect.key_wanted")
    is_public = model.api_base in PROVIDERS.values()  # nobody can mend that address
    unclear = (errors.UnknownModel, errors.ModelUnavailable) if is_public else _UNCLEAR
    is_unclear = isinstance(error, unclear) or (type(error) is ModelError and not is_public)
    if not is_unclear or isinstance(error, errors.ModelLoading):
        return error
    try:
        names = list_models(model)
    except ModelError as cause:
        return _without_list(error, cause, model, is_public=is_public)
    if isinstance(error, errors.ModelUnavailable):
        return CannotConnect("connect.server_error")
    name = model.name.partition("/")[2]
    if names and name not in names and not isinstance(error, errors.ModelTimeout):
        return CannotConnect("connect.unknown_model", names, model=name)
    return error


def _without_list(error: ModelError, cause: ModelError, model: RemoteModel, *, is_public: bool) -> ModelError:
    """Return the cause of an error where the list of models fails by `cause`."""
    code = cause.cause if isinstance(cause, CannotConnect) else ""
    if is_public:
        host = urlsplit(model.api_base or "").hostname or ""
        return CannotConnect("connect.no_network", host=host) if code in _NO_NETWORK else error
    if code not in {"connect.no_list", "connect.no_model_server"}:
        return cause
    is_address = isinstance(error, errors.WrongAddress | errors.BadReply)
    return CannotConnect("connect.no_model_server", address=model.api_base or "") if is_address else error
