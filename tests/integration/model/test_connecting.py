"""Servers of this machine are found, and each cause why a model is not connected is named in one sentence."""

import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from assistant.errors import NotAllowed
from assistant.models.remote.connecting import USUAL_MODELS, USUAL_PORTS, find_servers
from assistant.models.remote.library import PROVIDERS
from assistant.types import Scope
from tests.support.memory.keys import wait_until
from tests.support.people.header import LOCAL, PAGE, SIGNED_IN, VISITOR, Header
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer, Exchange
from tests.support.servers.faults import Fault
from tests.support.servers.model_lists import OPENAI_PATH, lists_openai, openai_list, says_json
from ui.page import header as header_module
from ui.page.header import HeaderHandlers
from ui.server.services import Services
from ui.words.texts import in_language, languages

KEY = "sk-a-very-secret-key-0123456789"


@pytest.fixture
def head(services: Services) -> HeaderHandlers:
    return Header(services).head


@pytest.fixture
def ollama(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> ChatServer:
    """Return the server at the port of Ollama."""
    lists_openai(server, "qwen2.5:1.5b", "gpt-oss:120b-cloud", "llama3.2", "all-minilm:latest")
    monkeypatch.setitem(USUAL_PORTS, "Ollama", server.port)
    return server


@pytest.fixture
def studio(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """Yield a server at the port of LM Studio; servers have more time than real ones."""
    monkeypatch.setattr("assistant.models.remote.connecting._SECONDS", 3.0)
    with ChatServer() as server:
        lists_openai(server, *(f"org/model-{number}" for number in range(1_000)))
        monkeypatch.setitem(USUAL_PORTS, "LM Studio", server.port)
        yield server


def test_servers_of_this_machine_are_found(
    ollama: ChatServer, studio: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    with socket.create_server(("127.0.0.1", 0)) as closed:
        nobody = closed.getsockname()[1]
    with socket.create_server(("127.0.0.1", 0)) as silent:
        found = find_servers({**USUAL_PORTS, "llama.cpp": nobody, "vLLM": silent.getsockname()[1]})
    assert [(one.name, one.address, one.models[:3]) for one in found] == [
        ("Ollama", f"http://127.0.0.1:{ollama.port}", ("ollama_chat/qwen2.5:1.5b", "ollama_chat/llama3.2")),
        ("LM Studio", studio.url, tuple(f"openai/org/model-{number}" for number in range(3))),
    ]
    assert len(found[1].models) == 20
    assert [request.path for server in (ollama, studio) for request in server.requests] == [OPENAI_PATH] * 2


def floods(exchange: Exchange) -> None:
    exchange.begin("application/json")
    while True:
        exchange.stream_bytes(b" " * 100_000)


def moved(exchange: Exchange) -> None:
    exchange.raw(b"", 302, Location=f"http://127.0.0.1:{USUAL_PORTS.get('Ollama', 9)}{OPENAI_PATH}")


HOSTILE: dict[str, Fault] = {
    "a page": faults.html,
    "deep": lambda exchange: exchange.raw(b'{"data": ' + b"[" * 100_000, content_type="application/json"),
    "endless": floods,
    "another list": says_json([{"id": "a-model"}]),
    "redirect": moved,
    "markup": says_json(openai_list(["<img src=x onerror=alert(1)>", "a\nb", "$(reboot)", "a b", "é", "", "m" * 200])),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_foreign_answer_is_not_listed(name: str, ollama: ChatServer, studio: ChatServer) -> None:
    studio.lists[OPENAI_PATH] = HOSTILE[name]
    assert [found.name for found in find_servers()] == ["Ollama"]
    assert [request.path for request in studio.requests] == [OPENAI_PATH]


def test_only_who_works_here_has_servers_looked_for(
    ollama: ChatServer, composed: Callable[..., Services], head: HeaderHandlers
) -> None:
    assert head.look({}, LOCAL, PAGE)["may_find"]
    for scope in (VISITOR, SIGNED_IN, Scope("me")):
        assert not head.look({}, scope, PAGE)["may_find"]
        assert head.find({}, scope, PAGE)["refused"] == NotAllowed().sentence
    for settings in ({"NOTED_MODEL": "openai/any"}, {"NOTED_OWN_MODELS": "off"}, {"SPACE_ID": "a/b"}):
        services = composed(settings)
        services.start()
        assert Header(services).head.find({}, LOCAL, PAGE)["refused"] == NotAllowed().sentence, settings
    assert ollama.requests == []  # composing and starting made no request


@pytest.mark.promise("own-model-is-forgotten")
def test_trial_of_server_here_waits_and_stops(
    server: ChatServer, head: HeaderHandlers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(header_module, "_SECONDS_OF_TRIAL", 0.0)
    chosen = {"model": "openai/slow", "key": "", "address": server.url}
    go_on, shown = threading.Event(), list[Any]()
    server.replies(faults.stream_until(go_on, "", "yes"), Exchange.stall)
    for end in (go_on.set, lambda: head.stop_trying({}, LOCAL, PAGE)):
        trying = threading.Thread(target=lambda: shown.append(head.use(chosen, LOCAL, PAGE)))
        trying.start()
        wait_until(lambda: head.check({}, LOCAL, PAGE)["own"]["trying"] == "reading")
        end()
        trying.join()
    assert [one.get("refused") for one in shown] == [None, None]
    assert [one["own"]["model"] for one in shown] == ["openai/slow"] * 2  # the working model stays


def test_key_of_environment_is_used_by_choice_only(
    server: ChatServer, head: HeaderHandlers, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    monkeypatch.setitem(PROVIDERS, "openai", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("GROQ_API_KEY", "  ")
    shown: list[Any] = [head.find({}, LOCAL, PAGE)]
    assert shown[0]["keys"] == [{"provider": "openai", "variable": "OPENAI_API_KEY", "model": USUAL_MODELS["openai"]}]
    chosen = {"model": "openai/gpt-5.4-mini", "key": "", "address": ""}
    assert head.use(chosen, LOCAL, PAGE)["refused"]
    from_environment = chosen | {"from_environment": True}
    for scope in (VISITOR, SIGNED_IN):
        assert head.use(from_environment, scope, PAGE)["refused"] == NotAllowed().sentence
    assert server.requests == []
    server.replies("yes", "yes")
    shown.append(head.use(from_environment, LOCAL, PAGE))
    assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"
    shown.append(head.use(from_environment | {"address": server.url}, LOCAL, PAGE))  # anyone's server
    assert KEY not in str(server.requests[-1].headers)
    assert KEY not in json.dumps([in_language(one, "en") for one in shown])


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


# What a server answers instead of a list, with a key or none, and the cause.
ANSWERS: dict[str, tuple[Fault, str, str]] = {
    "a page": (faults.html, "", "model.wrong_address"),
    "redirect": (moved, "", "model.moved"),
    "no key": (faults.refused_key, "", "model.no_key"),
    "wrong key": (faults.refused_key, KEY, "model.key_refused"),
    "silence": (Exchange.stall, "", "model.timeout"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answer_names_its_cause(
    head: HeaderHandlers, server: ChatServer, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "silence":
        monkeypatch.setattr("assistant.models.remote.connecting._LIST_SECONDS", 0.2)
    server.lists[OPENAI_PATH], key, code = ANSWERS[name]
    view = head.use({"model": "openai/", "key": key, "address": server.url}, LOCAL, PAGE)
    assert view["refused"].code == code
    assert not any(KEY in str(in_language(view, language)) for language in languages())
    if key:  # a list that fails hinders no model whose name is known
        server.replies("yes")
        assert head.use({"model": "openai/any", "key": key, "address": server.url}, LOCAL, PAGE)["own"]["model"]
