"""Whole conversations over the REST API: requests, model replies, results and prompts.

Each file in `conversations/` has several. A step calls one operation, as `/api/openapi.json` describes it:

    call          the operation; its arguments are in `with`
    replies       of a connected model, in order: a text, or the number of an HTTP error; none for the embedded model
    status        of the response, 200 by default
    expect        dotted path in the result to the value there, as JSON; "used" means the texts of used entries
    contains      dotted path to a text that the value contains, ignoring case
    prompt_has    texts that the last prompt contains; `prompt_lacks`, texts that it does not
    save          a name for the result: later, "$name.path" is a value of it, and "$last.path" one of the last result

Each conversation has its own user; a step with `user = "other"` is another user's.
"""

import json
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.blackbox.noted import Program, reply_in_background, serve
from tests.support.servers.chat_server import ChatServer, Exchange

FOLDER = Path(__file__).with_name("conversations")
CONVERSATIONS = [
    pytest.param(told, id=f"{file.stem}-{told['name'].replace(' ', '-')}")
    for file in sorted(FOLDER.glob("*.toml"))
    for told in tomllib.loads(file.read_text(encoding="utf-8"))["conversation"]
]
EVERYBODY = {
    "NOTED_API": "everyone", "NOTED_TURNS_PER_MINUTE": "9999", "NOTED_SAVES_PER_MINUTE": "9999",
    "NOTED_DRAFT_LESSONS": "off",
}  # fmt: skip


@pytest.fixture(scope="module")
def model() -> Iterator[ChatServer]:
    with ChatServer(aside=reply_in_background) as server:
        yield server


@pytest.fixture(scope="module")
def connected(model: ChatServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    own = {"NOTED_MODEL": "openai/test", "NOTED_API_BASE": model.url, "NOTED_API_KEY": "none"}
    with serve(tmp_path_factory.mktemp("connected"), EVERYBODY | own) as (url, _):
        yield url


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serve(tmp_path_factory.mktemp("embedded"), EVERYBODY) as (url, _):
        yield url


@pytest.mark.parametrize("told", CONVERSATIONS)
def test_conversation(told: dict[str, Any], model: ChatServer, request: pytest.FixtureRequest) -> None:
    model.forget_replies()
    model.requests.clear()
    url = request.getfixturevalue(told["model"])
    saved: dict[str, Any] = {}
    with ExitStack() as open_:
        users: dict[str, Program] = {}
        for number, step in enumerate(told["step"], start=1):
            if (name := step.get("user", "")) not in users:
                users[name] = open_.enter_context(Program(url))
            saved["last"] = _take(number, step, users[name], model, saved)
            if "save" in step:
                saved[step["save"]] = saved["last"]


def _take(number: int, step: dict[str, Any], user: Program, model: ChatServer, saved: dict[str, Any]) -> Any:
    """Take one step, check it, and return its result."""
    model.replies(*(_error(each) if isinstance(each, int) else each for each in step.get("replies", ())))
    arguments = {name: _value(value, saved) for name, value in step.get("with", {}).items()}
    response = user.post(step["call"], **arguments)
    where = f"step {number}, {step['call']}: {response.text}"
    assert response.status_code == step.get("status", 200), where
    result = response.json()
    for path, wanted in step.get("expect", {}).items():
        assert _at(result, path) == _value(wanted, saved), f"{path} of {where}"
    for path, text in step.get("contains", {}).items():
        assert text.lower() in json.dumps(_at(result, path), ensure_ascii=False).lower(), f"{path} of {where}"
    prompt = _prompt(model.requests[-1].body) if model.requests else ""
    assert [text for text in step.get("prompt_has", ()) if text not in prompt] == [], f"{where}\n{prompt}"
    assert [text for text in step.get("prompt_lacks", ()) if text in prompt] == [], f"{where}\n{prompt}"
    return result


def _error(status: int) -> Callable[[Exchange], None]:
    return lambda exchange: exchange.error(status, "refused")


def _at(result: Any, path: str) -> Any:
    """Return the value at a path: `a.0.b`; `used`, `found` and `entries` return the texts of entries."""
    entries = {"used": "entry", "found": "entry", "entries": ""}
    if path in entries:
        return [(each[entries[path]] if entries[path] else each)["text"] for each in result[path]]
    for name in path.split("."):
        result = result[int(name)] if isinstance(result, list) else result[name]
    return result


def _value(value: Any, saved: dict[str, Any]) -> Any:
    if isinstance(value, str) and value.startswith("$"):
        name, _, path = value[1:].partition(".")
        return _at(saved[name], path)
    return value


def _prompt(body: dict[str, Any]) -> str:
    return "\n".join(str(message["content"]) for message in body["messages"])
