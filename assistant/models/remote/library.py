"""Load litellm safely, and get the provider, the key and the price of a call from it.

It is imported late, without its network calls at import, its `.env` loading and its logs, which would contain prompts.
"""

import importlib
import logging
import os
import threading
from functools import cache, wraps
from typing import Any

from assistant.errors import KeyRefused, NoKey, UnknownModel
from assistant.model_usage import Usage
from assistant.models.remote.proxies import reach_loopback_directly
from assistant.settings import clean_key, is_local

_log = logging.getLogger(__name__)

PROVIDERS = {
    "anthropic": "https://api.anthropic.com",
    "deepseek": "https://api.deepseek.com/beta",
    "gemini": "https://generativelanguage.googleapis.com/v1beta",
    "groq": "https://api.groq.com/openai/v1",
    "mistral": "https://api.mistral.ai/v1",
    "openai": "https://api.openai.com/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "xai": "https://api.x.ai/v1",
}
"""LiteLLM's names of providers, each with its public address."""
_VARIABLES = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_MODE": "PRODUCTION",
}
_SETTINGS = {
    "disable_hf_tokenizer_download": True,
    "DEFAULT_MAX_RETRIES": 0,  # its embedding call ignores a 0 passed as an argument
    "suppress_debug_info": True,
    "redact_messages_in_exceptions": True,
    "turn_off_message_logging": True,
}
_LOGGERS_WITH_PROMPTS = (
    *("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai"),
    *("httpx", "httpcore", "httpx2", "httpcore2", "hpack", "aiohttp"),
)
# Factories of HTTP clients. LiteLLM has no setting against redirects, which would send the prompt to another server.
_CLIENT_MAKERS = (
    ("litellm.llms.custom_httpx.http_handler", "AsyncHTTPHandler", "create_client"),
    ("litellm.llms.custom_httpx.http_handler", "HTTPHandler", "create_client"),
    ("litellm.llms.openai.common_utils", "BaseOpenAILLM", "_get_async_http_client"),
    ("litellm.llms.openai.common_utils", "BaseOpenAILLM", "_get_sync_http_client"),
)
NO_KEY = "none"
"""Key for a server without keys, so that a real key in the environment is never sent there."""


def set_variables() -> None:
    """Set the environment variables that litellm reads when it is loaded.

    Call it before starting threads: the index reads variables in its own threads, and adding one meanwhile crashes with
    glibc before 2.41. Setting them to the same value again is safe.
    """
    os.environ.update(_VARIABLES)


@cache  # setting the level of a logger clears the caches of all loggers, which is too slow for each question
def load_litellm() -> Any:
    """Load the library, once."""
    set_variables()
    # By name, so that type checkers do not read all of litellm, which takes half a minute.
    litellm: Any = importlib.import_module("litellm")
    for name in _LOGGERS_WITH_PROMPTS:  # afterwards: litellm and openai set levels when they are imported
        logging.getLogger(name).setLevel(logging.CRITICAL)
    for name, value in _SETTINGS.items():
        setattr(litellm, name, value)
    for module, owner, name in _CLIENT_MAKERS:
        _forbid_redirects(getattr(importlib.import_module(module), owner), name)
    return litellm


def load_soon() -> None:
    """Load litellm in the background, so that the first call does not take seconds longer."""
    threading.Thread(target=load_litellm, name="load-litellm", daemon=True).start()


def provider_and_key(name: str, api_key: str | None, api_base: str | None) -> tuple[str, str | None]:
    """Return the provider of a model, and its key; None if litellm finds the key itself.

    The key of one provider is never sent to another. Raises UnknownModel, NoKey, and KeyRefused if the key does not fit
    in a header.
    """
    litellm = load_litellm()
    try:
        reach_loopback_directly(api_base or "")
        _, provider, _, _ = litellm.get_llm_provider(name, api_base=api_base)
    except litellm.exceptions.BadRequestError:
        raise UnknownModel from None
    key = api_key
    if not key:
        is_anybody = provider == "openai" and api_base is not None
        missing = litellm.validate_environment(name, api_base=api_base)["missing_keys"]
        if not is_anybody and not any(variable.endswith("_API_KEY") for variable in missing):
            key = clean_key(os.environ.get(f"{provider.upper()}_API_KEY", "")) or None
        elif api_base is not None and is_local(api_base):
            key = NO_KEY
        else:
            raise NoKey
    if key and not (key.isascii() and key.isprintable()):
        _log.warning("The key holds signs that no key has: it was copied wrongly.")
        raise KeyRefused
    return provider, key


def dollars_of(name: str, usage: Usage, call_type: str = "completion") -> float | None:
    """Return the price of a call in US dollars, None if unknown."""
    try:
        return float(sum(load_litellm().cost_per_token(name, usage.prompt, usage.reply, call_type=call_type)))
    except Exception:  # litellm raises a bare Exception for a model that is not in its list
        return None


def _forbid_redirects(maker: type, name: str) -> None:
    """Patch a factory of HTTP clients, so that they follow no redirects."""
    make = getattr(maker, name)

    @wraps(make)
    def made(*args: Any, **named: Any) -> Any:
        client = make(*args, **named)
        client.follow_redirects = False
        return client

    setattr(maker, name, staticmethod(made) if isinstance(vars(maker)[name], staticmethod) else made)
