"""Repair the proxy variables of the environment, before the first HTTP client reads them.

HTTP libraries accept different forms, raise on others, and use the proxy even for this machine.
"""

import ipaddress
import logging
import os
import re
import socket
from urllib.parse import urlsplit

_log = logging.getLogger(__name__)

_PROXIES = frozenset({"http_proxy", "https_proxy", "all_proxy", "ws_proxy", "wss_proxy"})
_NAMES = ("localhost", ".localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback")
_ALWAYS_DIRECT = (*_NAMES, "127.0.0.1", "::1", "127.0.0.0/8")
_PROXY = re.compile(
    r"(?:(?P<scheme>https?)://)?"
    r"(?P<rest>(?:[^\s/?#\\[\]]{0,999}@)?(?P<host>[a-z0-9_.-]{1,253}|\[[0-9a-f:.]+\])(?::(?P<port>\d{1,5}))?)(?:/\S*)?",
    re.IGNORECASE | re.ASCII,
)
_EXCEPTION = re.compile(r"\*|\.?\w[\w.-]*(?::\d{1,5}|/\d{1,2})?", re.ASCII)
# Nothing listens there. An unusable proxy must not be bypassed: it may be there for a reason.
_NO_PROXY_AT_ALL = "http://127.0.0.1:9"
_UNUSABLE = (
    "%s is no address of an HTTP proxy, so what would need it fails. Write it as http://proxy.example:3128 or unset it."
    " SOCKS proxies cannot be used."
)


def repair_proxies() -> None:
    """Rewrite the proxy variables in a form that every HTTP library reads, and exempt this machine.

    The log names a variable with an unusable value (which may contain a password), and calls that need it fail.
    """
    names = [name for name in os.environ if name.lower() in _PROXIES]
    for name in names:
        value = os.environ[name].strip()
        os.environ[name] = _usable(value) if value else ""
        if os.environ[name] == _NO_PROXY_AT_ALL:
            _log.warning(_UNUSABLE, name)
    if names:  # without proxy variables, some libraries read the settings of the system
        _reach_directly(*_ALWAYS_DIRECT)


def reach_loopback_directly(address: str) -> None:
    """Exempt the host of a URL, or a host, if it is another address of this machine."""
    host = urlsplit(address if "//" in address else f"//{address}").hostname or ""
    is_proxied = any(name.lower() in _PROXIES for name in os.environ)
    if is_proxied and is_this_machine(host) and host not in os.environ.get("no_proxy", "").split(","):
        _reach_directly(host)


def is_this_machine(host: str) -> bool:
    """Return True if a host is this machine, judged by its name or address alone."""
    host = host.strip("[]").lower().rstrip(".")
    if host in _NAMES or host.endswith(".localhost"):
        return True
    try:
        number = ipaddress.ip_address(socket.inet_aton(host) if ":" not in host else host)
    except (OSError, ValueError):
        return False
    number = getattr(number, "ipv4_mapped", None) or number
    return number.is_loopback or number.is_unspecified


def _usable(value: str) -> str:
    """Return a proxy in a form that all libraries read; an invalid one becomes a closed port."""
    proxy = _PROXY.fullmatch(value)
    try:
        if proxy is None or not 0 < int(proxy["port"] or 1) < 1 << 16:
            return _NO_PROXY_AT_ALL
        if re.fullmatch(r"\[.*|[\d.]+", proxy["host"]):  # an IP address
            ipaddress.ip_address(proxy["host"].strip("[]"))
    except ValueError:
        return _NO_PROXY_AT_ALL
    return f"{(proxy['scheme'] or 'http').lower()}://{proxy['rest']}"


def _reach_directly(*hosts: str) -> None:
    """Exempt hosts from the proxies, in both spellings of the variable."""
    spelled = sorted((name for name in os.environ if name.lower() == "no_proxy"), reverse=True)  # lower case wins
    given = re.split(r"[,\s]+", os.environ[spelled[0]] if spelled else "")
    read = [_exception(entry) for entry in given if entry]
    for name in {"no_proxy", "NO_PROXY", *spelled}:
        os.environ[name] = "*" if "*" in read else ",".join(dict.fromkeys(filter(None, [*read, *hosts])))


def _exception(entry: str) -> str:
    """Return an entry of NO_PROXY in a form that all libraries read, empty if some raise on it."""
    entry = entry.removeprefix("*") or "*"
    try:
        return str(ipaddress.ip_address(entry.strip("[]")))
    except ValueError:
        return entry if _EXCEPTION.fullmatch(entry) else ""
