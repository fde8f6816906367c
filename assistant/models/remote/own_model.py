"""A model of the user's own: a name and a key, which is never stored.

Only listed providers are allowed, against server-side request forgery; the caller decides who may give an address. The
key is sent to the provider's public address, whatever the environment sets.
"""

import re
from collections.abc import Callable

from assistant.errors import InputError
from assistant.models.remote.event_loop import EventLoopThread
from assistant.models.remote.library import PROVIDERS
from assistant.models.remote.remote import RemoteModel
from assistant.settings import Settings, clean_address, clean_key, is_local

_NAME = re.compile(rf"(?:{'|'.join(PROVIDERS)})(?:/[A-Za-z0-9][\w.:-]{{0,80}}){{1,2}}")
_ANY_NAME = re.compile(r"(?:openai|ollama_chat)/[A-Za-z0-9/][\w./:@+-]{0,119}", re.ASCII)
_KEY, _ANY_KEY = re.compile(r"[!-~]{8,500}"), re.compile(r"[!-~]{1,500}")
NO_KEY = "no-key-given"  # for a custom server without keys

MakeOwn = Callable[[str, str, str], RemoteModel]
"""`own_model` by name, key and address."""


class NotOffered(InputError):
    code = "own_model.not_offered"


class NoSuchKey(InputError):
    code = "own_model.no_such_key"


class NoSuchAddress(InputError):
    code = "own_model.no_such_address"


def own_model(
    settings: Settings, loop: EventLoopThread, writes_keys: bool, name: str, key: str, address: str
) -> RemoteModel:
    """Return the model with this LiteLLM name and key, at its provider or at an address, if given.

    With an address, any name is valid and the key is optional. Raises NoSuchAddress, NotOffered and NoSuchKey.
    """
    name, key, base = clean_key(name), clean_key(key), clean_address(address) if address.strip() else ""
    if base is None:
        raise NoSuchAddress
    if not (_NAME.fullmatch(name) or (base and _ANY_NAME.fullmatch(name))):
        raise NotOffered
    key = key or (NO_KEY if base else "")
    if not (_ANY_KEY if base else _KEY).fullmatch(key):
        raise NoSuchKey
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
