"""Each cause why a model cannot be connected, by a server that behaves so, is named in one sentence."""

import socket
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from assistant.errors import NotAllowed
from assistant.models.remote.library import PROVIDERS
from tests.support.people.header import LOCAL, PAGE, VISITOR, Header
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer, Exchange
from tests.support.servers.faults import Fault
from tests.support.servers.model_lists import OPENAI_PATH, lists_openai
from ui.page.header.header import HeaderHandlers
from ui.server.services import Services
from ui.words.texts import in_language, languages

KEY = "sk-a-very-secret-key-0123456789"


@pytest.fixture
def head(composed: Callable[..., Services], monkeypatch: pytest.MonkeyPatch) -> HeaderHandlers:
    monkeypatch.setattr("assistant.models.remote.server_discovery._LIST_SECONDS", 2.0)
    return Header(composed()).head


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


def refused(head: HeaderHandlers, address: str, name: str = "", key: str = "") -> dict[str, Any]:
    """Return the view of an attempt that fails."""
    view = head.use({"model": f"openai/{name}", "key": key, "address": address}, LOCAL, PAGE)
    assert view["refused"], view
    for language in languages():
        assert KEY not in str(in_language(view, language))
    return view


def moved(exchange: Exchange) -> None:
    exchange.raw(b"", 302, Location="http://127.0.0.1:9/v1/models")


@pytest.mark.parametrize("name", ["", "any"])
def test_address_where_nothing_listens(head: HeaderHandlers, name: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    sentence = refused(head, f"http://127.0.0.1:{port}/v1", name)["refused"]
    assert (sentence.code, sentence.parameters["address"]) == ("connect.nothing_there", f"http://127.0.0.1:{port}")


def test_provider_that_cannot_be_reached(head: HeaderHandlers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROVIDERS, "openai", "http://127.0.0.1:1/v1")
    assert refused(head, "", "any", KEY)["refused"].code == "connect.no_network"


ADDRESSES = {
    "http://no-such-host.invalid/v1": "connect.unknown_host",
    "https://127.0.0.1:{port}/v1": "connect.no_tls",
    "not an address at all?": "own_model.no_such_address",
}


@pytest.mark.parametrize("address", ADDRESSES)
def test_address_that_is_wrong(head: HeaderHandlers, server: ChatServer, address: str) -> None:
    for name in ("", "any"):
        assert refused(head, address.format(port=server.port), name)["refused"].code == ADDRESSES[address]


def test_server_that_stays_silent(head: HeaderHandlers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.models.remote.server_discovery._LIST_SECONDS", 0.2)
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        told = refused(head, f"http://127.0.0.1:{silent.getsockname()[1]}/v1")
    assert told["refused"].code == "connect.timed_out"


# What a server answers to a list and to a call, with a key or none, and the cause.
ANSWERS: dict[str, tuple[Fault, Fault, str, str]] = {
    "a page": (faults.html, faults.html, "", "connect.no_model_server"),
    "another program": (faults.status(404), faults.html, "", "connect.no_model_server"),
    "redirect": (moved, moved, "", "model.moved"),
    "no key": (faults.refused_key, faults.refused_key, "", "connect.key_wanted"),
    "wrong key": (faults.refused_key, faults.refused_key, KEY, "model.key_refused"),
    "quota": (faults.rate_limited("60"), faults.rate_limited("60"), KEY, "model.rate_limited"),
    "broken": (faults.status(500), faults.status(500), KEY, "connect.server_error"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answer_names_its_cause(head: HeaderHandlers, server: ChatServer, name: str) -> None:
    listed, called, key, code = ANSWERS[name]
    server.lists[OPENAI_PATH] = listed
    server.replies(*[called] * 4)
    assert refused(head, server.url, "any", key)["refused"].code == code
    if name != "another program":  # which might be a model server without a list
        assert refused(head, server.url, "", key)["refused"].code == code


def test_v1_that_is_missing_is_named(head: HeaderHandlers, server: ChatServer) -> None:
    lists_openai(server, "llama3.2")
    server.replies(lambda exchange: exchange.error(404, "Not found."))
    for name in ("", "llama3.2"):
        sentence = refused(head, server.url.removesuffix("/v1"), name)["refused"]
        assert (sentence.code, sentence.parameters["address"]) == ("connect.needs_v1", server.url)


def test_only_model_needs_no_name(head: HeaderHandlers, server: ChatServer) -> None:
    lists_openai(server, "org/llama3.2", "nomic-embed-text")
    server.replies("yes")
    chosen = {"model": "openai/", "key": "", "address": server.url}
    assert head.list_models(chosen, LOCAL, PAGE) == {"models": ["org/llama3.2"]}
    assert head.use(chosen, LOCAL, PAGE)["own"]["model"] == "openai/org/llama3.2"


def test_one_of_several_models_is_chosen(head: HeaderHandlers, server: ChatServer) -> None:
    names = [f"model-{number}" for number in range(7)]
    lists_openai(server, *names)
    server.replies(faults.unknown_model)
    for name, code in (("", "connect.choose"), ("nonesuch", "connect.unknown_model")):
        told = refused(head, server.url, name)
        assert (told["refused"].code, told["models"]) == (code, names)
        assert str(told["refused"]).endswith("model-0, model-1, model-2, model-3, model-4, …")


def test_server_without_a_list_is_asked_by_name(head: HeaderHandlers, server: ChatServer) -> None:
    assert refused(head, server.url)["refused"].code == "connect.no_list"
    assert head.list_models({"model": "openai/", "key": "", "address": server.url}, LOCAL, PAGE) == {"models": []}
    server.replies("yes")
    assert head.use({"model": "openai/any", "key": "", "address": server.url}, LOCAL, PAGE)["own"]["model"]


@pytest.mark.promise("own-addresses-are-local")
def test_visitors_have_nothing_listed(
    head: HeaderHandlers, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PROVIDERS, "openai", server.url)
    lists_openai(server, "gpt-one", "gpt-two")
    for told in ({"address": server.url}, {"address": ""}, {"address": "", "from_environment": True}):
        view = head.list_models({"model": "openai/", "key": KEY, **told}, VISITOR, PAGE)
        assert view["refused"] == NotAllowed().sentence
    assert server.requests == []
    # With a key of their own, and no name, they choose among the models of its provider.
    view = head.use({"model": "openai/", "key": KEY, "address": ""}, VISITOR, PAGE)
    assert (view["refused"].code, view["models"]) == ("connect.choose", ["gpt-one", "gpt-two"])
    assert [request.headers["authorization"] for request in server.requests] == [f"Bearer {KEY}"]
