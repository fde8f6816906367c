"""Prepare litellm and the environment that it reads, and get the provider, the key and the price of a call from it.

litellm is imported late, without its network calls at import, its `.env` loading and its logs, which would contain
prompts. The proxy variables are repaired before the first HTTP client reads them: libraries accept different forms,
raise on others, and use the proxy even for this machine.
"""

import importlib
import ipaddress
import logging
import os
import re
import socket
from contextlib import suppress
from functools import cache, wraps
from typing import Any
from urllib.parse import urlsplit

from assistant.errors import KeyRefused, NoKey, UnknownModel
from assistant.model_usage import Usage
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
NO_KEY = "none"
"""Key for a server without keys, so that a real key in the environment is never sent there."""
_SWITCHED_ON = (  # settings of litellm
    *("disable_hf_tokenizer_download", "suppress_debug_info"),
    *("redact_messages_in_exceptions", "turn_off_message_logging"),
)
_LOGGERS_WITH_PROMPTS = (
    *("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai"),
    *("httpx", "httpcore", "httpx2", "httpcore2", "hpack", "aiohttp"),
)
# Factories of HTTP clients. LiteLLM has no setting against redirects, which would send the prompt to another server.
_CLIENT_MAKERS = (
    ("litellm.llms.custom_httpx.http_handler", "AsyncHTTPHandler", "create_client"),
    ("litellm.llms.custom_httpx.http_handler", "HTTPHandler", "create_client"),
    ("litellm.llms.openai.common_utils", "BaseOpenAILLM", "_get_async_http_client"),
)

_PROXY_VARIABLES = frozenset({"http_proxy", "https_proxy", "all_proxy", "ws_proxy", "wss_proxy"})
_PROXY = re.compile(
    r"(?:(?P<scheme>https?)://)?"
    r"(?P<rest>(?:[^\s/?#\\[\]]{0,999}@)?(?P<host>[a-z0-9_.-]{1,253}|\[[0-9a-f:.]+\])(?::(?P<port>\d{1,5}))?)(?:/\S*)?",
    re.IGNORECASE | re.ASCII,
)
# Nothing listens there. An unusable proxy must not be bypassed: it may be there for a reason.
_CLOSED_PORT = "http://127.0.0.1:9"
_UNUSABLE = (
    "%s is not the address of an HTTP proxy; requests that need it fail. Write http://proxy.example:3128, or unset it."
    " SOCKS proxies cannot be used."
)
_EXCEPTION = re.compile(r"\*|\.?\w[\w.-]*(?::\d{1,5}|/\d{1,2})?", re.ASCII)  # of NO_PROXY
_HERE = ("localhost", ".localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback")


def set_variables() -> None:
    """Set the environment variables that litellm reads when it is loaded.

    Call it before starting threads: the index reads variables in its own threads, and adding one meanwhile crashes with
    glibc before 2.41. Setting them to the same value again is safe.
    """
    os.environ.update(LITELLM_LOCAL_MODEL_COST_MAP="True", LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS="True")
    os.environ["LITELLM_MODE"] = "PRODUCTION"


@cache  # setting the level of a logger clears the caches of all loggers, which is too slow for each question
def load_litellm() -> Any:
    """Load the library, once."""
    set_variables()
    # By name, so that type checkers do not read all of litellm, which takes half a minute.
    litellm: Any = importlib.import_module("litellm")
    for name in _LOGGERS_WITH_PROMPTS:  # afterwards: litellm and openai set levels when they are imported
        logging.getLogger(name).setLevel(logging.CRITICAL)
    for name in _SWITCHED_ON:
        setattr(litellm, name, True)
    _ignore_pings(importlib.import_module("openai._streaming").SSEDecoder)
    for module, owner, name in _CLIENT_MAKERS:
        _forbid_redirects(getattr(importlib.import_module(module), owner), name)
    return litellm


def _ignore_pings(decoder: Any) -> None:
    """Patch the decoder of event streams, which fails at events without data, as some servers send to keep alive."""
    decode = decoder.decode

    @wraps(decode)
    def decoded(self: Any, line: str) -> Any:
        event = decode(self, line)
        return event if event and event.data else None

    decoder.decode = decoded


def _forbid_redirects(maker: type, name: str) -> None:
    """Patch a factory of HTTP clients, so that they follow no redirects."""
    make = getattr(maker, name)

    @wraps(make)
    def made(*args: Any, **named: Any) -> Any:
        client = make(*args, **named)
        client.follow_redirects = False
        return client

    setattr(maker, name, staticmethod(made) if isinstance(vars(maker)[name], staticmethod) else made)


def provider_and_key(name: str, api_key: str | None, api_base: str | None) -> tuple[str, str | None]:
    """Return the provider of a model, and its key; None if litellm finds the key itself.

    The key of one provider is never sent to another. Raises UnknownModel, NoKey, and KeyRefused if the key does not fit
    in a header.
    """
    litellm, key = load_litellm(), api_key
    try:
        reach_loopback_directly(api_base or "")
        _, provider, _, _ = litellm.get_llm_provider(name, api_base=api_base)
    except litellm.exceptions.BadRequestError:
        raise UnknownModel from None
    if not key:
        is_unknown_server = provider == "openai" and api_base is not None
        missing = litellm.validate_environment(name, api_base=api_base)["missing_keys"]
        if not is_unknown_server and not any(variable.endswith("_API_KEY") for variable in missing):
            key = clean_key(os.environ.get(f"{provider.upper()}_API_KEY", "")) or None
        elif api_base is not None and is_local(api_base):
            key = NO_KEY
        else:
            raise NoKey
    if key and not (key.isascii() and key.isprintable()):
        _log.warning("The key contains characters that no key has. Copy it again.")
        raise KeyRefused
    return provider, key


def dollars_of(name: str, usage: Usage) -> float | None:
    """Return the price of a call in US dollars, None if unknown."""
    try:
        return float(sum(load_litellm().cost_per_token(name, usage.prompt, usage.reply)))
    except Exception:  # litellm raises a bare Exception for a model that is not in its list
        return None


def repair_proxies() -> None:
    """Rewrite the proxy variables in a form that every HTTP library reads, and exempt this machine.

    An unusable value becomes a closed port. The log names its variable only, since it may contain a password.
    """
    names = [name for name in os.environ if name.lower() in _PROXY_VARIABLES]
    for name in names:
        given = os.environ[name].strip()
        proxy, value = _PROXY.fullmatch(given), _CLOSED_PORT if given else ""
        with suppress(ValueError):  # of an IP address
            if proxy and re.fullmatch(r"\[.*|[\d.]+", proxy["host"]):
                ipaddress.ip_address(proxy["host"].strip("[]"))
            if proxy and 0 < int(proxy["port"] or 1) < 1 << 16:
                value = f"{(proxy['scheme'] or 'http').lower()}://{proxy['rest']}"
        if value == _CLOSED_PORT:
            _log.warning(_UNUSABLE, name)
        os.environ[name] = value
    if names:  # without proxy variables, some libraries read the settings of the system
        _exempt(*_HERE, "127.0.0.1", "::1", "127.0.0.0/8")


def reach_loopback_directly(address: str) -> None:
    """Exempt the host of a URL, or a host, if it is another address of this machine."""
    host = urlsplit(address if "//" in address else f"//{address}").hostname or ""
    is_proxied = any(name.lower() in _PROXY_VARIABLES for name in os.environ)
    if is_proxied and is_this_machine(host) and host not in os.environ.get("no_proxy", "").split(","):
        _exempt(host)


def is_this_machine(host: str) -> bool:
    """Return True if a host is this machine, judged by its name or address alone."""
    host = host.strip("[]").lower().rstrip(".")
    if host in _HERE or host.endswith(".localhost"):
        return True
    try:
        number = ipaddress.ip_address(socket.inet_aton(host) if ":" not in host else host)
    except (OSError, ValueError):
        return False
    number = getattr(number, "ipv4_mapped", None) or number
    return number.is_loopback or number.is_unspecified


def _exempt(*hosts: str) -> None:
    """Exempt hosts from the proxies, in both spellings of the variable, and drop entries on which libraries raise."""
    spelled = sorted((name for name in os.environ if name.lower() == "no_proxy"), reverse=True)  # lower case wins
    exempt = list[str]()
    for given in re.split(r"[,\s]+", os.environ[spelled[0]] if spelled else ""):
        entry = given.removeprefix("*") or given
        try:
            exempt.append(str(ipaddress.ip_address(entry.strip("[]"))))
        except ValueError:
            exempt += [entry] if _EXCEPTION.fullmatch(entry) else []
    for name in {"no_proxy", "NO_PROXY", *spelled}:
        os.environ[name] = "*" if "*" in exempt else ",".join(dict.fromkeys([*exempt, *hosts]))
