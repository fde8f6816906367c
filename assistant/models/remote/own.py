"""A model that a person brings: a name and a key, for as long as they use it, never written anywhere.

Only providers on a list can be named, and no address, so that nobody can make this server ask another one for them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assistant.errors import InputError, KeyRefused, UnknownModel
from assistant.event_loop import EventLoopThread
from assistant.models.remote import RemoteModel
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


@dataclass(frozen=True, slots=True)
class OwnModel:
    """A `ChatModel` that one person pays for.

    Args:
        remote: asks it.
        writes_keys: as the host's model does: what is saved is looked after by that.
    """

    remote: RemoteModel = field(repr=False)
    writes_keys: bool
    chooses_notes: bool = True

    @property
    def name(self) -> str:
        return self.remote.name

    @property
    def window(self) -> int:
        return self.remote.window

    def stream(self, messages: Sequence[Message], count: Count = not_counted) -> Generator[str, None, None]:
        """The reply, piece by piece; see `RemoteModel.stream`. What the person can mend is said to them."""
        try:
            yield from self.remote.stream(messages, count)
        except KeyRefused:
            raise OwnKeyRefused from None
        except UnknownModel:
            raise OwnUnknown from None


def own_models(settings: Settings, loop: EventLoopThread, *, writes_keys: bool) -> MakeOwn | None:
    """How to make such models; None where the settings do not allow it.

    Args:
        settings: what the host wants.
        loop: where all of their calls run.
        writes_keys: whether the host's model writes further keys.
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
        remote = RemoteModel(name, api_key=key, first_token_seconds=first, read_seconds=further, loop=loop)
        return OwnModel(remote, writes_keys)

    return make
