"""Model servers on this machine and keys in the environment: found, listed and connected without other calls."""

import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import NotAllowed
from assistant.models.remote.library import PROVIDERS
from assistant.models.remote.server_discovery import USUAL_MODELS, USUAL_PORTS, find_servers
from assistant.types import Scope
from tests.support.commands import Commands
from tests.support.memory.keys import wait_until
from tests.support.people.header import LOCAL, PAGE, SIGNED_IN, VISITOR, Header
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer, Exchange
from tests.support.servers.model_lists import OPENAI_PATH, lists_openai, openai_list, says_json
from ui.page.header import own_models
from ui.page.header.header import HeaderHandlers
from ui.server.services import Services
from ui.words.texts import in_language

KEY = "sk-a-very-secret-key-0123456789"
ANSWER = '<understanding>You want a synonym of "quick".</understanding>\n<answer>from my machine</answer>'


@pytest.fixture(autouse=True)
def _busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow the test servers more time than real ones."""
    monkeypatch.setattr("assistant.models.remote.server_discovery._SECONDS", 3.0)


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """Yield a server at the port of Ollama."""
    with ChatServer() as server:
        lists_openai(server, "qwen2.5:1.5b", "llama3.2")
        monkeypatch.setitem(USUAL_PORTS, "Ollama", server.port)
        yield server


@pytest.fixture
def studio(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """Yield a server at the port of LM Studio."""
    with ChatServer() as server:
        lists_openai(server, "lmstudio-community/qwen2.5-7b-instruct", "text-embedding-nomic-embed-text-v1.5")
        monkeypatch.setitem(USUAL_PORTS, "LM Studio", server.port)
        yield server


@pytest.fixture
def header(composed: Callable[..., Services]) -> Header:
    return Header(composed())


@pytest.fixture
def head(header: Header) -> HeaderHandlers:
    return header.head


def paths(*servers: ChatServer) -> list[str]:
    return [request.path for server in servers for request in server.requests]


def test_servers_of_this_machine_are_found(ollama: ChatServer, studio: ChatServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        nobody = closed.getsockname()[1]
    with socket.create_server(("127.0.0.1", 0)) as silent:
        ports = {**USUAL_PORTS, "llama.cpp": nobody, "vLLM": silent.getsockname()[1]}
        found = find_servers(ports)
    assert [(one.name, one.address, one.models) for one in found] == [
        ("Ollama", f"http://127.0.0.1:{ollama.port}", ("ollama_chat/qwen2.5:1.5b", "ollama_chat/llama3.2")),
        ("LM Studio", studio.url, ("openai/lmstudio-community/qwen2.5-7b-instruct",)),
    ]
    assert paths(ollama, studio) == [OPENAI_PATH, OPENAI_PATH]


def drips(exchange: Exchange) -> None:
    exchange.begin("application/json")
    while True:
        exchange.stream_bytes(b" ")
        exchange.request.disconnected.wait(0.01)


def floods(exchange: Exchange) -> None:
    exchange.begin("application/json")
    while True:
        exchange.stream_bytes(b" " * 100_000)


DEEP = b'{"object": "list", "data": ' + b"[" * 100_000
HOSTILE: dict[str, Callable[[Exchange], None]] = {
    "a page": faults.html,
    "deep": lambda exchange: exchange.raw(DEEP, content_type="application/json"),
    "endless": floods,
    "slow": drips,
    "another list": says_json([{"id": "a-model"}]),
    "redirect": lambda exchange: exchange.raw(
        b"", 302, Location=f"http://127.0.0.1:{USUAL_PORTS['Ollama']}{OPENAI_PATH}"
    ),
    "markup": says_json(openai_list(["<img src=x onerror=alert(1)>", "a\nb", "$(reboot)", "a b", "é", "", "m" * 200])),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_foreign_answer_is_not_listed(name: str, ollama: ChatServer, studio: ChatServer) -> None:
    studio.lists[OPENAI_PATH] = HOSTILE[name]
    assert [found.name for found in find_servers()] == ["Ollama"]
    assert paths(studio) == [OPENAI_PATH]


def test_looking_goes_through_no_proxy(ollama: ChatServer, studio: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{studio.port}")
    monkeypatch.setenv("no_proxy", "")
    assert [found.name for found in find_servers({"Ollama": ollama.port})] == ["Ollama"]
    assert studio.requests == []


def test_lists_are_short_and_of_chat_models_here(ollama: ChatServer) -> None:
    names = [f"model-{number}" for number in range(1_000)]
    lists_openai(ollama, "gpt-oss:120b-cloud", "all-minilm:latest", "nomic-embed-text:latest", *names, "model-1")
    (found,) = find_servers()
    assert found.models == tuple(f"ollama_chat/model-{number}" for number in range(20))


def test_only_who_works_here_has_servers_looked_for(
    ollama: ChatServer, composed: Callable[..., Services], head: HeaderHandlers
) -> None:
    assert head.look(LOCAL, PAGE)["may_find"]
    for scope in (VISITOR, SIGNED_IN, Scope("me")):
        assert not head.look(scope, PAGE)["may_find"]
        assert head.find({}, scope, PAGE)["refused"] == NotAllowed().sentence
    for settings in ({"NOTED_MODEL": "openai/any"}, {"NOTED_OWN_MODELS": "off"}, {"SPACE_ID": "a/b"}):
        services = composed(settings)
        services.start()
        assert Header(services).head.find({}, LOCAL, PAGE)["refused"] == NotAllowed().sentence, settings
    assert ollama.requests == []  # composing and starting made no request
    (found,) = head.find({}, LOCAL, PAGE)["found"]
    assert found["models"] == ["ollama_chat/qwen2.5:1.5b", "ollama_chat/llama3.2"]


def test_found_model_is_connected(ollama: ChatServer, studio: ChatServer, header: Header) -> None:
    head = header.head
    found, _ = head.find({}, LOCAL, PAGE)["found"]
    chosen = {"model": found["models"][0], "key": "", "address": found["address"]}
    assert head.use(chosen, VISITOR, PAGE)["refused"] == NotAllowed().sentence
    ollama.replies(faults.ollama("yes", 5), faults.ollama(ANSWER, 5))
    connected = head.use(chosen, LOCAL, PAGE)["own"]
    assert (connected["model"], connected["where"]) == (found["models"][0], found["address"])
    assert "from my machine" in header.ask()["turns"][0]["answer"]
    called = [path for path in paths(ollama)[1:] if path != "/api/show"]  # litellm requests it after the answer
    assert called == ["/api/chat"] * 2
    assert paths(studio) == [OPENAI_PATH]


def test_trial_of_server_here_waits_and_stops(
    studio: ChatServer, head: HeaderHandlers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_models, "_SECONDS_OF_TRIAL", 0.0)
    chosen = {"model": "openai/slow", "key": "", "address": studio.url}
    go_on, shown = threading.Event(), list[Any]()
    studio.replies(faults.stream_until(go_on, "", "yes"), Exchange.stall)
    for end in (go_on.set, lambda: head.stop_trying({}, LOCAL, PAGE)):
        trying = threading.Thread(target=lambda: shown.append(head.use(chosen, LOCAL, PAGE)))
        trying.start()
        wait_until(lambda: head.check({}, LOCAL, PAGE)["own"]["trying"] == "reading")
        end()
        trying.join()
    assert [one.get("refused") for one in shown] == [None, None]
    assert [one["own"]["model"] for one in shown] == ["openai/slow"] * 2  # the working model stays


def test_key_of_environment_is_used_by_choice_only(
    studio: ChatServer, head: HeaderHandlers, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    monkeypatch.setitem(PROVIDERS, "openai", studio.url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("GROQ_API_KEY", "  ")
    shown: list[Any] = [head.find({}, LOCAL, PAGE)]
    assert shown[0]["keys"] == [{"provider": "openai", "variable": "OPENAI_API_KEY", "model": USUAL_MODELS["openai"]}]
    chosen = {"model": "openai/gpt-5.4-mini", "key": "", "address": ""}
    assert head.use(chosen, LOCAL, PAGE)["refused"]
    studio.requests.clear()
    for scope in (VISITOR, SIGNED_IN):
        refused = head.use(chosen | {"from_environment": True}, scope, PAGE)["refused"]
        assert refused == NotAllowed().sentence
    assert studio.requests == []
    studio.replies("yes", "yes")
    shown.append(head.use(chosen | {"from_environment": True}, LOCAL, PAGE))
    assert studio.requests[-1].headers["authorization"] == f"Bearer {KEY}"
    at_home = chosen | {"model": "openai/any", "address": studio.url, "from_environment": True}
    shown.append(head.use(at_home, LOCAL, PAGE))  # anyone's scope
    assert KEY not in str(studio.requests[-1].headers)
    shown.append(head.look(LOCAL, PAGE))
    assert KEY not in json.dumps([in_language(one, "en") for one in shown])


def test_noted_models_lists_what_is_found(ollama: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    shown = Commands(tmp_path).run("models").stdout
    assert f"NOTED_MODEL=ollama_chat/qwen2.5:1.5b NOTED_API_BASE=http://127.0.0.1:{ollama.port} noted\n" in shown
    assert f"ANTHROPIC_API_KEY is set. To use it:\n  NOTED_MODEL=anthropic/{USUAL_MODELS['anthropic']} noted\n" in shown
    assert KEY not in shown
    assert paths(ollama) == [OPENAI_PATH]
    Commands(tmp_path, NOTED_MODEL="openai/any").run("models")
    Commands(tmp_path, SPACE_ID="a/b").run("models")
    assert paths(ollama) == [OPENAI_PATH]
