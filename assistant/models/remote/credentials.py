"""Choose the key that a call carries: one that was given, the provider's own, or none that is real."""

import logging
import os
from typing import Any

from assistant.errors import KeyRefused, NoKey
from assistant.settings import clean_key, is_local

_log = logging.getLogger(__name__)

# What a local server without keys gets, so that a real key in the environment never goes there.
_PLACEHOLDER_KEY = "none"


def key_for(litellm: Any, model: str, provider: str, api_key: str | None, api_base: str | None) -> str | None:
    """Return the key to send, never a stranger's; None leaves it to litellm, which finds the provider's own.

    Raises NoKey where it needs one, and there is none; KeyRefused where no header can hold it.
    """
    if api_key:
        return _sendable(api_key)
    anybody = provider == "openai" and api_base is not None
    missing = litellm.validate_environment(model, api_base=api_base)["missing_keys"]
    if not anybody and not any(name.endswith("_API_KEY") for name in missing):
        return _sendable(clean_key(os.environ.get(f"{provider.upper()}_API_KEY", ""))) or None
    if api_base is not None and is_local(api_base):
        return _PLACEHOLDER_KEY
    raise NoKey


def _sendable(key: str) -> str:
    if not (key.isascii() and key.isprintable()):
        _log.warning("The key holds signs that no key has: it was copied wrongly.")
        raise KeyRefused
    return key
