"""Repair the proxy variables of the environment, before the first HTTP client reads them.

HTTP libraries disagree about what is a proxy, raise where they cannot read it, and call this machine through it.
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
_EXCEPTION = re.compile(r"\.?\w[\w.-]*(?::\d{1,5}|/\d{1,2})?", re.ASCII)
# Nothing listens there. A proxy that cannot be used must not be gone round: it may be there for a reason.
_NO_PROXY_AT_ALL = "http://127.0.0.1:9"
_SOCKS = (
    "%s names a SOCKS proxy, and only HTTP proxies can be used; what would need it fails. Name another or unset it."
)
_UNREADABLE = (
    "%s is no address of a proxy, so what would need it fails. Write it as http://proxy.example:3128 or unset it."
)


def repair_proxies() -> None:
    """Put the proxy variables into a form that every HTTP library reads, and exempt this machine from them.

    A value that cannot be used is named in the log (never shown: it may hold a password), and calls that need it fail.
    """
    names = [name for name in os.environ if name.lower() in _PROXIES]
    for name in names:
        value = os.environ[name].strip()
        os.environ[name] = _usable(value) if value else ""
        if os.environ[name] == _NO_PROXY_AT_ALL:
            _log.warning(_SOCKS if value.lower().startswith("socks") else _UNREADABLE, name)
    if names:  # else the settings of the system would count no more, as some libraries read them
        _reach_directly(*_ALWAYS_DIRECT)


def reach_loopback_directly(address: str) -> None:
    """Exempt the host of a URL, or a host, where it is this machine under an address that `repair_proxies` omits."""
    host = urlsplit(address if "//" in address else f"//{address}").hostname or ""
    is_proxied = any(name.lower() in _PROXIES for name in os.environ)
    if is_proxied and is_this_machine(host) and host not in os.environ.get("no_proxy", "").split(","):
        _reach_directly(host)


def is_this_machine(host: str) -> bool:
    """Return True if a host is this machine, judged by its name or address alone."""
    host = host.strip("[]").lower().rstrip(".")
    try:
        number: ipaddress.IPv4Address | ipaddress.IPv6Address = ipaddress.IPv4Address(socket.inet_aton(host))
    except (OSError, UnicodeError):
        try:
            number = ipaddress.ip_address(host)
        except ValueError:
            return host in _NAMES or host.endswith(".localhost")
    number = getattr(number, "ipv4_mapped", None) or number
    return number.is_loopback or number.is_unspecified


def _usable(value: str) -> str:
    """Return a proxy as all libraries read it, or one where nothing listens for what is none."""
    proxy = _PROXY.fullmatch(value)
    try:
        if proxy is None or not 0 < int(proxy["port"] or 1) < 1 << 16:
            return _NO_PROXY_AT_ALL
        if re.fullmatch(r"\[.*|[\d.]+", proxy["host"]):  # written like an address
            ipaddress.ip_address(proxy["host"].strip("[]"))
    except ValueError:
        return _NO_PROXY_AT_ALL
    return f"{(proxy['scheme'] or 'http').lower()}://{proxy['rest']}"


def _reach_directly(*hosts: str) -> None:
    """Exempt hosts from the proxies that are named, in both spellings of the variable."""
    spelled = sorted((name for name in os.environ if name.lower() == "no_proxy"), reverse=True)  # small letters win
    given = re.split(r"[,\s]+", os.environ[spelled[0]] if spelled else "")
    read = [_exception(entry) for entry in given if entry]
    if not all(read):
        _log.warning("NO_PROXY has entries that cannot be read. They are ignored.")
    for name in {"no_proxy", "NO_PROXY", *spelled}:
        os.environ[name] = "*" if "*" in read else ",".join(dict.fromkeys(filter(None, [*read, *hosts])))


def _exception(entry: str) -> str:
    """Return an entry of NO_PROXY as all libraries take it; empty where some raise on it."""
    entry = entry.removeprefix("*") or "*"
    try:
        return str(ipaddress.ip_address(entry.strip("[]")))
    except ValueError:
        return entry if entry == "*" or _EXCEPTION.fullmatch(entry) else ""
