"""A model that a person brings: a name and a key, for as long as they use it, never written anywhere.

Only providers on a list can be named, and no address, so that nobody can make this server ask another one for them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING

from assistant.errors import InputError, KeyRefused, UnknownModel
from assistant.models.remote.event_loop import EventLoopThread
from assistant.models.remote.remote import RemoteModel
from assistant.ports import ChatModel
from assistant.usage import Count, not_counted

if TYPE_CHECKING:
    from assistant.settings import Settings
    from assistant.types import Message

PROVIDERS = ("anthropic", "deepseek", "gemini", "groq", "mistral", "openai", "openrouter", "xai")
"""Providers as LiteLLM names them, each at its own public address."""

_NAME = re.compile(rf"(?:{'|'.join(PROVIDERS)})(?:/[A-Za-z0-9][\w.:-]{{0,80}}){{1,2}}")
_KEY = re.compile(r"[!-~]{8,500}")

MakeOwn = Callable[[str, str], ChatModel]
"""The model with this name, asked with this key."""


class NotOffered(InputError):
    sentence = f"Please name a model as provider/model; the provider is one of {', '.join(PROVIDERS)}."


class NoSuchKey(InputError):
    sentence = "This is no key. Please copy it again from your provider's page."


class OwnKeyRefused(KeyRefused):
    sentence = "The provider refused your key. Please give another, or stop using your own model."


class OwnUnknown(UnknownModel):
    sentence = "The provider does not know this model. Please name another, or stop using your own model."


class OwnModel(RemoteModel):
    """One that one person pays for."""

    def stream(self, messages: Sequence[Message], count: Count = not_counted) -> Generator[str, None, None]:
        """What the person can mend is said to them."""
        try:
            yield from super().stream(messages, count)
        except KeyRefused:
            raise OwnKeyRefused from None
        except UnknownModel:
            raise OwnUnknown from None


def own_models(settings: Settings, loop: EventLoopThread, *, writes_keys: bool) -> MakeOwn | None:
    """How to make such models, with their calls in one loop; None where the settings do not allow it.

    They write keys as the host's model does, which looks after what is saved.
    """
    if not settings.own_models:
        return None

    def make(name: str, key: str) -> ChatModel:
        name, key = name.strip(), key.strip()
        if not _NAME.fullmatch(name):
            raise NotOffered
        if not _KEY.fullmatch(key):
            raise NoSuchKey
        first, further = settings.first_token_seconds, settings.read_seconds
        return OwnModel(
            name, api_key=key, first_token_seconds=first, read_seconds=further, loop=loop, writes_keys=writes_keys
        )

    return make
