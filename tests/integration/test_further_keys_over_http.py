"""Further keys over HTTP: a server that fails and later answers, and processes that come and go."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app import compose
from assistant.conversation import Assistant
from assistant.events import Finished
from assistant.key_worker import KeyWorker, Pace
from assistant.key_writing import ModelKeyWriter
from assistant.models.remote import RemoteModel
from assistant.settings import Settings
from assistant.types import Entry, KeyOrigin, Scope
from memory_store.glossed import READINGS
from memory_store.store import Store, open_store
from tests.support import faults
from tests.support.chat_server import ChatServer
from tests.support.keys import KEY_TEXTS, KEYS_REPLY, asks_for_keys, wait_until
from tests.support.loop import PROMPTS, RIGHT, WRONG
from tests.support.served import ROOT, served

ME = Scope("local")
QUESTION, WORDS = "what is akin to quick ?", "I want a synonym"
# litellm switches this warning off when it is imported; pytest switches it on again after that test.
pytestmark = pytest.mark.filterwarnings("ignore:Item .* on TypedDict class:UserWarning")


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


def environment(server: ChatServer, home: Path) -> dict[str, str]:
    return {
        "NOTED_HOME": str(home),
        "NOTED_MODEL": "openai/scripted",
        "NOTED_API_BASE": server.url,
        "NOTED_EMBEDDER": "none",
    }


def clarify(assistant: Assistant) -> None:
    first = [event.turn for event in assistant.ask(QUESTION, ME, "c") if isinstance(event, Finished)][-1]
    list(assistant.clarify(first.id, WORDS, ME))


def by_model(entry: Entry) -> tuple[str, ...]:
    return tuple(key.text for key in entry.keys if key.origin is KeyOrigin.MODEL)


def test_the_app_writes_keys_in_the_background_after_the_answer(server: ChatServer, tmp_path: Path) -> None:
    server.replies(WRONG, RIGHT, KEYS_REPLY)
    services = compose(Settings.load(environment(server, tmp_path)))
    services.start()
    clarify(services.assistant)
    wait_until(lambda: by_model(services.assistant.memory.entries(ME)[0]))
    assert by_model(services.assistant.memory.entries(ME)[0]) == KEY_TEXTS
    assert [asks_for_keys(request.body) for request in server.requests] == [False, False, True]
    assert json.dumps(WORDS)[1:-1] in server.requests[-1].question
    services.close()


@pytest.mark.parametrize("fault", [
    faults.status(500), faults.refused_key, faults.resets_after("<phrase>akin</phrase>"), faults.says(""),
    faults.ends_after("<phrase>akin"), faults.html,
])  # fmt: skip
def test_what_fails_is_written_later(server: ChatServer, tmp_path: Path, fault: faults.Fault) -> None:
    services = compose(Settings.load(environment(server, tmp_path)))
    server.replies(WRONG, RIGHT)
    clarify(services.assistant)
    services.close()
    again = compose_store(tmp_path)
    model = RemoteModel("openai/scripted", api_base=server.url, api_key="none", backoff_seconds=0.01)
    writer = ModelKeyWriter(model, PROMPTS, again.ledger.secret())
    worker = KeyWorker(writer, again.key_work, Pace(look=0.05, settle=0.0, pause=0.1, longest_pause=0.2))
    server.replies(fault, fault)
    server.answer = lambda body: KEYS_REPLY
    worker.start()
    wait_until(lambda: by_model(again.memory.entries(ME)[0]))
    assert by_model(again.memory.entries(ME)[0]) == KEY_TEXTS
    worker.close()
    model.close()
    again.close()


def test_what_one_process_leaves_undone_the_next_one_does(server: ChatServer, tmp_path: Path) -> None:
    settings = environment(server, tmp_path)
    server.replies(WRONG, RIGHT)
    asked = command(settings, "ask", QUESTION, "--json")
    command(settings, "clarify", asked["turn"], WORDS, "--json")
    assert not any(asks_for_keys(request.body) for request in server.requests)
    server.answer = lambda body: KEYS_REPLY
    with served(tmp_path, **settings):
        wait_until(lambda: KEY_TEXTS[0] in command(settings, "memory", "list", "--json")[0]["keys"], seconds=90)
    (entry,) = command(settings, "memory", "list", "--json")
    assert entry["keys"] == [QUESTION, "what is akin to ▢ ?", *KEY_TEXTS]
    assert len([request for request in server.requests if asks_for_keys(request.body)]) == 1


def compose_store(home: Path) -> Store:
    settings = Settings.load({"NOTED_HOME": str(home)})
    return open_store(settings.ledger, settings.index, None, READINGS)


def command(settings: dict[str, str], *arguments: str) -> Any:
    """What a command prints, run as a process of its own."""
    result = subprocess.run(
        [sys.executable, "app.py", *arguments],
        cwd=ROOT,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(result.stdout)
