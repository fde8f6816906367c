"""The promises of the design, each once, from outside: a killed server, a model that is down, hostile text."""

import json
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.blackbox.noted import Program, answer_in_background, reply, run, served
from tests.support.servers.chat_server import ChatServer

SECRET = "zanzibarsecret"
EVERYONE = {"NOTED_TURNS_PER_MINUTE": "9999", "NOTED_SAVES_PER_MINUTE": "9999", "NOTED_DRAFT_LESSONS": "off"}
HOSTILE = ("\ud83d", "a\x00b", "\u202eabc\u202c", "﷽" * 800, "e" + "\u0301" * 3000, "\r\n" * 3000, "{{7*7}}", "';--")


@pytest.fixture
def model() -> Iterator[ChatServer]:
    with ChatServer(lambda _: reply("You want an answer.", "Here it is."), aside=answer_in_background) as server:
        yield server


@pytest.fixture
def settings(model: ChatServer) -> dict[str, str]:
    return {"NOTED_MODEL": "openai/test", "NOTED_API_BASE": model.url, "NOTED_API_KEY": "none", **EVERYONE}


def token(home: Path) -> str:
    made = run(home, "token", "local")
    assert made.returncode == 0, made.stderr
    return made.stdout.strip()


@pytest.mark.promise("kill-loses-nothing")
def test_kill_loses_nothing_that_was_saved(tmp_path: Path) -> None:
    secret, saved = token(tmp_path), list[str]()
    for kill in range(2):
        with served(tmp_path, EVERYONE) as (url, process), Program(url, secret) as program:
            assert set(program.notes()) == set(saved)
            for number in range(5):
                meant = f"meaning {number} of run {kill}"
                program.call("remember", question=f"What is {number}{kill}?", meant=meant)
                saved.append(meant)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
    with served(tmp_path, EVERYONE) as (url, _), Program(url, secret) as program:
        assert sorted(program.notes()) == sorted(saved)


@pytest.mark.promise("saved-once")
def test_saving_at_once_stores_once(tmp_path: Path) -> None:
    secret = token(tmp_path)
    with served(tmp_path, EVERYONE) as (url, _):

        def save(_: int) -> str:
            with Program(url, secret) as program:
                return str(program.call("remember", question="What is a bank?", meant="a river side")["entry"])

        with ThreadPoolExecutor(8) as pool:
            assert len(set(pool.map(save, range(16)))) == 1


@pytest.mark.promise("outages-recover")
def test_model_that_is_down_keeps_what_is_said(tmp_path: Path, settings: dict[str, str], model: ChatServer) -> None:
    secret = token(tmp_path)
    with served(tmp_path, settings) as (url, _), Program(url, secret) as program:
        answered = program.call("ask", question="What does light mean?")
        model.answer = lambda _: lambda exchange: exchange.error(503, "down")
        failed = program.call("clarify", turn=answered["turn"], meant="the opposite")
        assert failed["error"].strip().endswith((".", "?"))
        assert "Traceback" not in json.dumps(failed)
        assert program.notes() == ["the opposite"]
        assert program.http.get("/healthz").status_code == 200
        model.answer = lambda _: reply("You want the opposite.", "Heavy.")
        assert program.call("ask", question="What does light mean?")["state"] == "answered"


@pytest.mark.promise("limits-are-sentences")
def test_hostile_text_gets_a_sentence(tmp_path: Path, settings: dict[str, str]) -> None:
    secret = token(tmp_path)
    with served(tmp_path, settings) as (url, _), Program(url, secret) as program:
        for text in HOSTILE:
            sent = {
                "ask": {"question": text},
                "recall": {"question": text},
                "remember": {"question": text, "meant": text},
            }
            for name, arguments in sent.items():
                response = program.http.post(f"/api/{name}", content=json.dumps(arguments))  # escaped: any text is sent
                assert response.status_code in {200, 422}, (name, text[:9], response.text)
        huge = program.http.post("/api/ask", content=json.dumps({"question": "x" * 2**20}))
        assert huge.status_code == 413
        assert program.call("ask", question="still there?")["state"] == "answered"


@pytest.mark.promise("forgotten-is-in-no-file")
def test_forgotten_bytes_are_in_no_file(tmp_path: Path, settings: dict[str, str], model: ChatServer) -> None:
    secret = token(tmp_path)
    with served(tmp_path, settings) as (url, _), Program(url, secret) as program:
        program.call("remember", question="Where is the key?", meant="under the mat")
        note = program.call("remember", question="What is in the shed?", meant=f"the {SECRET}")
        model.replies(reply("You ask what is in the shed.", f"The {SECRET}.", notes="1"))
        answered = program.call("ask", question="What is in the shed?")
        assert [used["note"]["entry"] for used in answered["used"]] == [note["entry"]]
        assert program.call("forget", entry=note["entry"])["complete"]
        assert program.notes() == ["under the mat"]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.name for path in files if SECRET.encode() in path.read_bytes().lower()] == []


@pytest.mark.promise("prompts-repeat")
def test_same_store_gives_same_prompt(tmp_path: Path, settings: dict[str, str], model: ChatServer) -> None:
    secret, prompts = token(tmp_path), []
    for _ in range(2):
        with served(tmp_path, settings) as (url, _), Program(url, secret) as program:
            program.call("remember", question="Where is the key?", meant="under the mat")
            model.requests.clear()
            program.call("ask", question="Where is the key?")
            prompts.append(model.requests[0].body["messages"])
    assert prompts[0] == prompts[1]


@pytest.mark.promise("curator-sees-every-field")
def test_accepted_offer_is_what_others_get(tmp_path: Path) -> None:
    names = {"NOTED_CURATORS": "ann", **EVERYONE}
    tokens = {name: run(tmp_path, "token", name, settings=names).stdout.strip() for name in ("ann", "bob", "cid")}
    with served(tmp_path, names) as (url, _):
        with Program(url, tokens["bob"]) as bob:
            note = bob.call("remember", question="When is tea?", meant="tea is at four")
        assert run(tmp_path, "memory", "offer", note["entry"], "--user", "bob", "--yes", settings=names).returncode == 0
        (offer,) = json.loads(run(tmp_path, "memory", "offers", "--user", "ann", "--json", settings=names).stdout)
        assert (offer["question"], offer["text"]) == ("When is tea?", "tea is at four")
        with Program(url, tokens["cid"]) as cid:
            assert cid.call("recall", question="When is tea?")["found"] == []
            accepted = run(tmp_path, "memory", "accept", offer["offer"], "--user", "ann", "--yes", settings=names)
            assert accepted.returncode == 0, accepted.stderr
            (found,) = cid.call("recall", question="When is tea?")["found"]
            assert (found["note"]["question"], found["note"]["meant"]) == ("When is tea?", "tea is at four")
            assert cid.notes() == []
