"""Which key a model's server gets: the one that was set, the provider's own, or a placeholder; never a stranger's."""

from __future__ import annotations

import ipaddress
from typing import Any
from urllib.parse import urlsplit

from assistant.errors import NoKey

# What a local server without keys gets, so that a real key in the environment never goes there.
_PLACEHOLDER_KEY = "none"


def key_for(litellm: Any, model: str, provider: str, api_key: str | None, api_base: str | None) -> str | None:
    """The key to send; None leaves it to litellm, which finds the provider's own.

    Args:
        litellm: the library.
        model: LiteLLM model string.
        provider: whose protocol the model speaks.
        api_key: the key that was set, if any.
        api_base: address of the server; None for the provider's own.

    Raises:
        NoKey: it needs one, and there is none.
    """
    if api_key:
        return api_key
    anybody = provider == "openai" and api_base is not None
    missing = litellm.validate_environment(model, api_base=api_base)["missing_keys"]
    if not anybody and not any(name.endswith("_API_KEY") for name in missing):
        return None
    if api_base is not None and _is_local(api_base):
        return _PLACEHOLDER_KEY
    raise NoKey


def _is_local(address: str) -> bool:
    """Whether a server is on this machine or in its own network, judged by its name alone."""
    host = urlsplit(address).hostname or ""
    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.endswith((".local", ".internal", ".lan", ".localhost"))
    return number.is_private
