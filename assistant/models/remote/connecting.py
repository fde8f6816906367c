"""Connect a model of the user's own, by its name and a key, which is never stored.

Only listed providers are allowed, against server-side request forgery; the caller decides who may give an address. The
key is sent to the provider's public address, whatever the environment sets.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from assistant.errors import InputError
from assistant.models.remote.event_loop import EventLoopThread
from assistant.models.remote.library import NO_KEY, PROVIDERS
from assistant.models.remote.remote import RemoteModel
from assistant.models.remote.server_discovery import CannotConnect, list_models
from assistant.settings import Settings, clean_address, clean_key, is_local

_NAME = re.compile(rf"(?:{'|'.join(PROVIDERS)})/(?:[A-Za-z0-9][\w.:-]{{0,80}}(?:/[A-Za-z0-9][\w.:-]{{0,80}})?)?")
_ANY_NAME = re.compile(r"(?:openai|ollama_chat)/(?:[A-Za-z0-9/][\w./:@+-]{0,119})?", re.ASCII)
_KEY = re.compile(r"[!-~]{1,500}")

MakeOwn = Callable[[str, str, str], RemoteModel]
"""`own_model` by name, key and address."""


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


def name_model(model: RemoteModel) -> RemoteModel:
    """Return a model with the name of the only one that its server lists, if its own name ends with "/".

    The list also says what is wrong with an address, which a failed call does not tell apart. Raises ModelError.
    """
    if not model.name.endswith("/"):
        if model.api_base not in PROVIDERS.values():
            list_models_if_any(model)
        return model
    names = list_models(model)
    if len(names) != 1:
        raise CannotConnect("connect.choose", names) if names else CannotConnect("connect.no_list")
    return replace(model, name=model.name + names[0])


def list_models_if_any(model: RemoteModel) -> Sequence[str]:
    """Return the names that a server lists, none if it has no list: it may still answer. Raises ModelError."""
    try:
        return list_models(model)
    except CannotConnect as error:
        if error.cause != "connect.no_list":
            raise
        return ()
