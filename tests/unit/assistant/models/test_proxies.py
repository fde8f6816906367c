"""Proxy variables: those left work for every HTTP library, and this machine is never reached through a proxy."""

import os
import urllib.request

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from assistant.models.remote.library import reach_loopback_directly, repair_proxies

pytestmark = pytest.mark.promise("proxy-variables")

LOOPBACK = ["http://localhost:1", "http://a.localhost:1", "https://127.0.0.1", "http://[::1]:1"]
ODD = st.text("abc:/.@[]*%?#, \\190-_é\t", max_size=14)


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    for name in ("no_proxy", "NO_PROXY"):  # so that monkeypatch restores them
        monkeypatch.setenv(name, "")


def is_direct(address: str) -> bool:
    """Return True if both families of libraries connect directly: those with own patterns, and those using urllib."""
    with httpx.Client(verify=False) as client:  # noqa: S501  nothing is sent
        url = httpx.URL(address)
        answers = {client._transport_for_url(url) is client._transport, bool(urllib.request.proxy_bypass(url.host))}
    assert len(answers) == 1
    return answers.pop()


@pytest.mark.parametrize("name", ["http_proxy", "Http_Proxy"])
@pytest.mark.parametrize(("value", "read"), [
    ("http://proxy:3128", "http://proxy:3128"),
    (" HTTP://a:b@proxy:3128/x ", "http://a:b@proxy:3128"),
    ("proxy:3128", "http://proxy:3128"),
])  # fmt: skip
def test_usable_proxy_is_kept(name: str, value: str, read: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    repair_proxies()
    assert urllib.request.getproxies()["http"] == read
    assert not is_direct("http://example.com")
    assert all(map(is_direct, LOOPBACK))


@pytest.mark.parametrize("value", [
    "::", "http://", "not a url", "ftp://x", "http://x:99999", "http://user:s3cret@", "socks5://u:s3cret@x:1",
])  # fmt: skip
def test_unusable_proxy_is_named(value: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv("ALL_PROXY", value)
    repair_proxies()
    (line,) = caplog.messages
    assert line.startswith("ALL_PROXY ")
    assert "s3cret" not in line
    assert not is_direct("http://example.com")
    assert os.environ["ALL_PROXY"] == "http://127.0.0.1:9"  # requests fail rather than bypass the proxy


@given(proxy=ODD | ODD.map("http://{}".format), exceptions=ODD)
def test_any_value_lets_clients_start(proxy: str, exceptions: str) -> None:
    with pytest.MonkeyPatch.context() as environment:
        for name, value in {"http_proxy": proxy, "no_proxy": exceptions, "NO_PROXY": ""}.items():
            environment.setenv(name, value)
        repair_proxies()
        URL(os.environ["http_proxy"])  # as aiohttp does
        assert all(map(is_direct, LOOPBACK))


def test_exceptions_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy:1")
    monkeypatch.setenv("no_proxy", "corp.test, other.test:80,[::2],10.0.0.1")
    repair_proxies()
    excepted = ["http://corp.test", "http://a.corp.test", "http://10.0.0.1", "http://[::2]"]
    assert all(map(is_direct, [*excepted, *LOOPBACK]))


@pytest.mark.parametrize("address", [
    "http://127.0.0.2:8000/v1", "http://127.1", "http://2130706433/", "http://0.0.0.0:1", "http://[::ffff:127.0.0.3]:1",
])  # fmt: skip
def test_odd_loopback_is_reached_directly(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy:1")
    repair_proxies()
    reach_loopback_directly(address)
    assert is_direct(address)
    reach_loopback_directly("http://127.0.0.1.example")
    assert not is_direct("http://127.0.0.1.example")
