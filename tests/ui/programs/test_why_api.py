"""Why an answer was given, and what is said of that, by every door for programs."""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from gradio_client import Client as GradioClient
from mcp import Client as McpClient
from mcp.client.streamable_http import streamable_http_client

from tests.support.beside import run_beside
from tests.support.memory.teaching import CLAIM, COPPER, METALS, NO, PENNY, QUESTION, YES, reasons
from tests.support.people.api_client import ApiClient, token_for
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer
from ui.programs.transport import functions

pytestmark = pytest.mark.promise("reasons-by-every-interface")


@pytest.fixture
def ann(remote_url: str, chat_server: ChatServer, remote_home: Path) -> Iterator[ApiClient]:
    """A program of a person whom nobody has seen; the model has nothing to say yet."""
    assert not chat_server.requests
    with ApiClient(remote_url, token_for(f"person-{uuid.uuid4()}", remote_home)) as program:
        yield program


ACTS: dict[str, tuple[dict[str, Any], str]] = {
    "that's wrong": ({"act": "wrong", "number": 1}, f"Not true: {METALS}"),
    "that's wrong, it is …": ({"act": "wrong", "number": 2, "words": COPPER}, COPPER),
    "it does not matter here": ({"act": "does not matter", "number": 1}, f"This does not matter here: “{METALS}”"),
    "it does not follow": ({"act": "does not follow"}, f"From “{METALS}” it does not follow: {CLAIM}"),
    "something is missing": ({"act": "missing", "words": COPPER}, COPPER),
    "the answer is …": ({"act": "answer", "words": "It cannot."}, "It cannot."),
    "but it is true": ({"act": "true", "number": 2}, PENNY),
}


@pytest.mark.parametrize(("told", "noted"), ACTS.values(), ids=list(ACTS))
def test_every_act_over_http_is_noted_answers_again_and_is_undone(
    told: dict[str, Any], noted: str, ann: ApiClient, chat_server: ChatServer
) -> None:
    def call(name: str, **sent: Any) -> Any:
        functions()[name].result.validate_python(result := ann.call(name, **sent), extra="forbid")
        return result

    chat_server.replies(YES, reasons(METALS, doubted=[PENNY]), NO)
    turn = call("ask", question=QUESTION)["turn"]
    why = call("why", turn=turn)
    assert [(one["number"], one["says"], one["believed"], one["source"]) for one in why["reasons"]] == [
        (1, METALS, True, "model"), (2, PENNY, False, "model"),
    ]  # fmt: skip
    assert (why["claim"], why["proves"], why["answer"]) == (CLAIM, False, "Yes.")
    assert why["verdict"].startswith("I have no proof")
    assert call("why", turn=turn) == why
    again = call("dispute", turn=turn, **told)
    assert (again["answer"], again["noted"]["meant"], again["question"]) == ("No.", noted, QUESTION)
    assert again["asks"].startswith("Which fact") is (told["act"] == "answer")
    assert len(chat_server.requests) == 3
    assert {note["kind"] for note in call("list")["notes"]} <= {"fact", "step"}
    assert set(call("undo", entry=again["noted"]["entry"])["turns"]) == {turn, again["turn"]}
    assert call("list")["notes"] == []


def test_what_cannot_be_done_is_one_sentence(ann: ApiClient, chat_server: ChatServer) -> None:
    chat_server.replies(YES, faults.status(401), reasons(METALS))
    turn = ann.call("ask", question=QUESTION)["turn"]
    assert ann.post("why", turn=turn).status_code == 502
    assert ann.post("dispute", turn=turn, act="wrong", number=1).status_code == 422
    ann.call("why", turn=turn)
    for told in ({"act": "wrong", "number": 2}, {"act": "missing"}, {"act": "else"}, {"act": "wrong", "number": -1}):
        response = ann.post("dispute", turn=turn, **told)
        assert (response.status_code, response.json()["detail"][-1] in ".)") == (422, True)
    assert ann.call("list")["notes"] == []


def test_a_question_is_thought_through_where_that_is_asked_for(ann: ApiClient, chat_server: ChatServer) -> None:
    thoughts = "<understanding>u</understanding><candidate>no</candidate><statement>It cannot.</statement>"
    check = "<premise>1 yes 95</premise><step>yes 90</step>"
    chat_server.replies(thoughts, f"<because>{COPPER}</because>", check)
    answer = ann.call("ask", question="Can it?", think=True)
    assert (answer["answer"], answer["state"]) == ("It cannot.", "answered")
    why = ann.call("why", turn=answer["turn"])
    assert ([one["says"] for one in why["reasons"]], why["proves"]) == ([COPPER], True)
    assert len(chat_server.requests) == 3


def test_the_client_of_gradio_and_an_assistant_that_speaks_mcp(
    ann: ApiClient, chat_server: ChatServer, remote_url: str
) -> None:
    chat_server.replies(YES, reasons(METALS), NO, NO)
    headers = {"Authorization": ann.headers["Authorization"]}
    client = GradioClient(f"{remote_url}api", headers=headers, verbose=False, analytics_enabled=False)
    turn = client.predict(question=QUESTION, api_name="/ask")["turn"]
    assert client.predict(turn, api_name="/why")["reasons"][0]["says"] == METALS
    assert client.predict(turn, "wrong", 1, "", api_name="/dispute")["answer"] == "No."
    client.close()

    async def talk() -> list[Any]:
        async with httpx2.AsyncClient(headers=headers) as http:
            transport = streamable_http_client(f"{remote_url}mcp", http_client=http)
            async with McpClient(transport) as mcp:
                told = {"turn": turn, "act": "missing", "words": COPPER}
                return [await mcp.call_tool("why", {"turn": turn}), await mcp.call_tool("dispute", told)]

    why, again = run_beside(talk())
    assert why.structured_content["reasons"][0]["source"] == "model"
    assert (again.structured_content["answer"], again.structured_content["noted"]["meant"]) == ("No.", COPPER)


def test_undo_of_what_was_said_otherwise_since_takes_nothing_back_and_says_so(ann: ApiClient) -> None:
    turn = ann.call("ask", question="What is akin to quick?")["turn"]
    first, newer = (ann.call("clarify", turn=turn, meant=meant)["noted"] for meant in ("the opposite", "a synonym"))
    refused = ann.post("undo", entry=first["entry"])
    assert (refused.status_code, "You have said it otherwise since" in refused.text) == (422, True)
    assert [note["entry"] for note in ann.call("list")["notes"]] == [newer["entry"]]
    ann.call("undo", entry=newer["entry"])
    assert [note["entry"] for note in ann.call("list")["notes"]] == [first["entry"]]
