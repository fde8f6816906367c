"""The promises of the design, each once, from outside: a killed server, a failing model, hostile text."""

import json
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.blackbox.noted import Program, reply, reply_in_background, run, serve
from tests.support.servers.chat_server import ChatServer

SECRET = "zanzibarsecret"
HERE_IT_IS = reply("You want an answer.", "Here it is.")
EVERYONE = {
    "NOTED_API": "everyone", "NOTED_TURNS_PER_MINUTE": "9999", "NOTED_SAVES_PER_MINUTE": "9999",
    "NOTED_DRAFT_LESSONS": "off",
}  # fmt: skip
HOSTILE = ("\ud83d", "a\x00b", "\u202eabc\u202c", "﷽" * 800, "e" + "\u0301" * 3000, "\r\n" * 3000, "{{7*7}}", "';--")


@pytest.fixture(scope="module")
def answering() -> Iterator[ChatServer]:
    with ChatServer(aside=reply_in_background) as server:
        yield server


@pytest.fixture
def model(answering: ChatServer) -> ChatServer:
    """Reset the model server: empty queue and log, and a default answer."""
    answering.forget_replies()
    answering.requests.clear()
    answering.answer = lambda _: HERE_IT_IS
    return answering


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("promised")


@pytest.fixture(scope="module")
def url(answering: ChatServer, home: Path) -> Iterator[str]:
    own = {"NOTED_MODEL": "openai/test", "NOTED_API_BASE": answering.url, "NOTED_API_KEY": "none"}
    with serve(home, EVERYONE | own) as (url, _):
        yield url


@pytest.fixture
def visitor(url: str) -> Iterator[Program]:
    with Program(url) as program:
        yield program


def token(home: Path, name: str = "local") -> str:
    made = run(home, "token", "--user", name)
    assert made.returncode == 0, made.stderr
    return made.stdout.strip()


@pytest.mark.promise("kill-loses-nothing")
def test_kill_loses_nothing_that_was_saved(tmp_path: Path) -> None:
    secret, saved = token(tmp_path), []
    with serve(tmp_path, EVERYONE) as (url, process), Program(url, secret) as program:
        for number in range(8):
            saved.append(f"meaning {number}")
            program.call("remember", question=f"What is {number}?", text=saved[-1])
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    with serve(tmp_path, EVERYONE) as (url, _), Program(url, secret) as program:
        assert sorted(program.notes()) == saved


@pytest.mark.promise("saved-once")
def test_saving_at_once_stores_once(visitor: Program) -> None:
    visitor.call("list")  # sets the cookie

    def save(_: int) -> str:
        return str(visitor.call("remember", question="What is a bank?", text="a river side")["entry"])

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(save, range(16)))) == 1


@pytest.mark.promise("outages-recover")
def test_model_that_is_down_keeps_what_is_said(visitor: Program, model: ChatServer) -> None:
    answered = visitor.call("ask", question="What does light mean?")
    model.answer = lambda _: lambda exchange: exchange.error(500, "down")
    failed = visitor.call("clarify", turn=answered["turn"], text="the opposite")
    assert failed["error"].strip().endswith((".", "?"))
    assert "Traceback" not in json.dumps(failed)
    assert visitor.notes() == ["the opposite"]
    assert visitor.http.get("/healthz").status_code == 200
    model.answer = lambda _: reply("You want the opposite.", "Heavy.")
    assert visitor.call("ask", question="What does light mean?")["state"] == "answered"


@pytest.mark.usefixtures("model")
@pytest.mark.promise("limits-are-sentences")
def test_hostile_text_gets_a_sentence(visitor: Program) -> None:
    for text in HOSTILE:
        sent = {"ask": {"question": text}, "preview": {"question": text}, "remember": {"question": text, "text": text}}
        for name, arguments in sent.items():
            response = visitor.http.post(f"/api/{name}", content=json.dumps(arguments))  # escaped, to send any text
            assert response.status_code in {200, 422}, (name, text[:9], response.text)
    huge = visitor.http.post("/api/ask", content=json.dumps({"question": "x" * 2**20}))
    assert huge.status_code == 413
    assert visitor.call("ask", question="still there?")["state"] == "answered"


@pytest.mark.promise("forgotten-is-in-no-file")
def test_forgotten_bytes_are_in_no_file(visitor: Program, home: Path, model: ChatServer) -> None:
    visitor.call("remember", question="Where is the key?", text="under the mat")
    note = visitor.call("remember", question="What is in the shed?", text=f"the {SECRET}")
    model.replies(reply("You ask what is in the shed.", f"The {SECRET}.", notes="1"))
    answered = visitor.call("ask", question="What is in the shed?")
    assert [used["entry"]["entry"] for used in answered["used"]] == [note["entry"]]
    assert visitor.call("forget", entry=note["entry"])["complete"]
    assert visitor.notes() == ["under the mat"]
    files = [path for path in home.rglob("*") if path.is_file()]
    assert [path.name for path in files if SECRET.encode() in path.read_bytes().lower()] == []


@pytest.mark.promise("prompts-repeat")
def test_same_store_gives_same_prompt(visitor: Program, model: ChatServer) -> None:
    visitor.call("remember", question="Where is the key?", text="under the mat")
    for _ in range(2):
        visitor.call("ask", question="Where is the key?")
    first, second = (request.body["messages"] for request in model.requests[:2])
    assert first == second
    assert "under the mat" in first[-1]["content"]


@pytest.mark.promise("curator-sees-every-field")
def test_accepted_offer_is_what_others_get(tmp_path: Path) -> None:
    secret = token(tmp_path, "bob")
    settings = EVERYONE | {"NOTED_CURATORS": "ann"}
    with serve(tmp_path, settings) as (url, _), Program(url, secret) as bob, Program(url) as visitor:
        note = bob.call("remember", question="When is tea?", text="tea is at four")
        offered = run(tmp_path, "offer", note["entry"], "--user", "bob", "--yes", settings=settings)
        assert offered.returncode == 0, offered.stderr
        listed = json.loads(run(tmp_path, "offers", "--user", "ann", "--json", settings=settings).stdout)
        (offer,) = listed["offers"]
        assert "When is tea?" in json.dumps(offer)
        assert "tea is at four" in json.dumps(offer)
        assert visitor.call("preview", question="When is tea?")["found"] == []
        shown = offer["offer"]["id"], offer["seal"]
        accepted = run(tmp_path, "accept", *shown, "--user", "ann", "--yes", settings=settings)
        assert accepted.returncode == 0, accepted.stderr
        (found,) = visitor.call("preview", question="When is tea?")["found"]
        assert (found["entry"]["question"], found["entry"]["text"]) == ("When is tea?", "tea is at four")
        assert visitor.notes() == []
