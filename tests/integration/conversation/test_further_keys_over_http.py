"""Further keys over HTTP: a server that fails and later answers, and processes that come and go."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.conversation import Assistant
from assistant.types import Scope
from tests.support.chat_server import ChatServer
from tests.support.commands import Commands
from tests.support.keys import KEY_TEXTS, KEYS_REPLY, asks_for_keys, by_model, wait_until
from tests.support.loop import RIGHT, WRONG, last
from tests.support.served import served
from tests.support.sizes import IS_FULL
from ui.server.services import Services

ME = Scope("local")
QUESTION, WORDS = "what is akin to quick ?", "I want a synonym"


def clarify(assistant: Assistant) -> None:
    list(assistant.clarify(last(assistant.ask(QUESTION, ME, "c")).id, WORDS, ME))


def test_the_app_writes_keys_in_the_background_after_the_answer(
    server: ChatServer, composed: Callable[..., Services]
) -> None:
    server.replies(WRONG, RIGHT, KEYS_REPLY)
    services = composed({"NOTED_MODEL": "openai/scripted", "NOTED_API_BASE": server.url})
    services.start()
    clarify(services.assistant)
    wait_until(lambda: by_model(services.assistant.memory.entries(ME)[0]))
    assert by_model(services.assistant.memory.entries(ME)[0]) == KEY_TEXTS
    assert [asks_for_keys(request.body) for request in server.requests] == [False, False, True]
    assert json.dumps(WORDS)[1:-1] in server.requests[-1].question


@pytest.mark.soak
@pytest.mark.skipif(not IS_FULL, reason="The app looks every half a minute; test_further_keys.py has the short form.")
def test_what_one_process_leaves_undone_the_next_one_does(server: ChatServer, tmp_path: Path) -> None:
    settings = {"NOTED_MODEL": "openai/scripted", "NOTED_API_BASE": server.url, "NOTED_EMBEDDER": "none"}
    here = Commands(tmp_path, **settings)
    server.replies(WRONG, RIGHT)
    asked = here.json("ask", QUESTION)
    here.json("clarify", asked["turn"], WORDS)
    assert not any(asks_for_keys(request.body) for request in server.requests)
    server.answer = lambda body: KEYS_REPLY
    with served(tmp_path, **settings):
        wait_until(lambda: any(asks_for_keys(request.body) for request in server.requests), seconds=90)
        wait_until(lambda: KEY_TEXTS[0] in here.json("memory", "list")[0]["keys"], seconds=90)
    (entry,) = here.json("memory", "list")
    assert entry["keys"] == [QUESTION, "what is akin to ▢ ?", *KEY_TEXTS]
    assert len([request for request in server.requests if asks_for_keys(request.body)]) == 1
