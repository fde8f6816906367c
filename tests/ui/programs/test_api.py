"""The doors for programs: what each does, for whom, and that there is nothing else behind them."""

import itertools
import json
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from gradio_client import Client as GradioClient
from gradio_client.exceptions import AppError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client as McpClient
from mcp.client.streamable_http import streamable_http_client

from assistant.errors import SettingsError
from assistant.settings import Settings
from tests.support.beside import run_beside
from tests.support.people.api_client import ApiClient, token_for
from tests.support.people.page_client import PageClient
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer
from tests.support.texts.anything import JSON
from tests.ui.conftest import served_here
from ui.programs.access import who_may_call
from ui.programs.transport import NAMES, functions

pytestmark = pytest.mark.promise("tokens-are-hashed")

MEANT = "a word with the same meaning"
AS_THE_PAGE = {"X-Forwarded-For": "192.0.2.1"}


@pytest.fixture
def people(embedded_url: str, embedded_home: Path) -> Iterator[Callable[[], ApiClient]]:
    """Makes programs, each of a person whom nobody has seen."""
    clients: list[ApiClient] = []

    def new() -> ApiClient:
        clients.append(ApiClient(embedded_url, token_for(f"person-{uuid.uuid4()}", embedded_home)))
        return clients[-1]

    yield new
    for client in clients:
        client.http.close()


@pytest.fixture
def ann(people: Callable[[], ApiClient]) -> ApiClient:
    return people()


@pytest.fixture
def bob(people: Callable[[], ApiClient]) -> ApiClient:
    return people()


def test_all_over_http_answer_as_it_is_documented(ann: ApiClient) -> None:
    def call(name: str, **told: Any) -> Any:
        functions()[name].result.validate_python(result := ann.call(name, **told), extra="forbid")
        return result

    asked = call("ask", question="What is akin to quick?")
    assert (asked["state"], asked["used"], asked["noted"]) == ("answered", [], None)
    again = call("clarify", turn=asked["turn"], meant=MEANT)
    assert (again["answer"], again["noted"]["meant"], again["conversation"]) == ("fast", MEANT, asked["conversation"])
    entry = again["noted"]["entry"]
    assert [
        (found["note"]["entry"], found["decision"])
        for found in call("recall", question="What is akin to big?")["found"]
    ] == [(entry, "use")]
    other = call("ask", question="What is akin to enormous?", conversation=asked["conversation"])
    assert [used["note"]["entry"] for used in other["used"]] == [entry]
    assert other["used"][0]["reason"]
    assert other["used"][0]["use"] == "spliced"
    without = call("react", turn=other["turn"], reaction="leave out", entry=entry)
    assert (without["question"], without["used"]) == ("What is akin to enormous?", [])
    assert call("react", turn=again["turn"], reaction="confirm")["confirmed"]
    noted = call("remember", question="the kal thing", meant="tomorrow's plan")
    assert call("remember", question="the kal thing", meant="tomorrow's plan") == noted
    listed = call("list", limit=2)
    assert (listed["notes"][0], listed["more"]) == (noted, True)
    assert [note["kind"] for note in call("list", offset=1)["notes"]] == ["example", "clarification"]
    assert call("list", search="KAL")["notes"] == [noted]
    assert again["turn"] in call("undo", entry=entry)["turns"]
    assert call("undo", entry=noted["entry"]) == {"entry": noted["entry"], "turns": []}
    forgotten = call("forget", entry=entry)
    assert forgotten["erased"]["clarifications"] == 1
    assert forgotten["complete"]
    assert "Erased: 1 clarification" in forgotten["sentence"]
    call("ask", question="What is akin to enormous?", conversation=asked["conversation"])
    said = call("ask", question="nahi, mera matlab ulta", conversation=asked["conversation"])
    assert (said["answer"], said["noted"]["meant"]) == ("little", "nahi, mera matlab ulta")

    described = ann.http.get("/api/openapi.json").json()
    assert set(described["paths"]) == {f"/api/{name}" for name in NAMES}
    for operation in described["paths"].values():
        schema = operation["post"]["requestBody"]["content"]["application/json"]["schema"]
        assert all("description" in field for field in schema["properties"].values())


def test_a_note_is_narrowed_kept_from_use_and_resumed(ann: ApiClient, bob: ApiClient) -> None:
    asked = ann.call("ask", question="What is akin to quick?")
    noted = ann.call("clarify", turn=asked["turn"], meant=MEANT, reach="question")["noted"]
    assert (noted["reach"], noted["paused"]) == ("question", False)
    entry = noted["entry"]

    def decision() -> str:
        (found,) = ann.call("recall", question="What is akin to big?")["found"]
        return str(found["decision"])

    assert decision() == "skip"
    assert ann.call("reach", entry=entry, reach="way")["reach"] == "way"
    assert decision() == "use"
    used = ann.call("ask", question="What is akin to enormous?")
    ann.call("react", turn=used["turn"], reaction="leave out", entry=entry)
    assert decision() == "use"
    for reaction in ("not for questions like this", "not at all"):
        ann.call("react", turn=used["turn"], reaction=reaction, entry=entry)
        assert decision() == "skip"
        assert ann.call("list")["notes"][0]["paused"] is (reaction == "not at all")
        ann.call("resume", entry=entry)
        assert decision() == "use"
    for name, told in (("reach", {"reach": "way"}), ("resume", {})):
        assert bob.post(name, entry=entry, **told).status_code == 404
    assert ann.post("reach", entry=entry, reach="everywhere").status_code == 422
    assert ann.call("remember", question="the usual", meant="tea", reach="question")["reach"] == "question"


def test_of_two_meanings_the_person_says_which_counts(ann: ApiClient, bob: ApiClient) -> None:
    first = ann.call("remember", question="what does doubt mean?", meant="a question for the teacher")["entry"]
    asked = ann.call("ask", question="What does doubt mean")
    again = ann.call("clarify", turn=asked["turn"], meant="suspicion, in a marriage")
    noted, (other,) = again["noted"]["entry"], again["others"]
    assert (other["entry"], other["counts"]) == (first, True)
    told = {"entry": noted, "other": first}
    assert bob.post("put", **told, place="instead").status_code == 404
    assert ann.call("put", **told, place="instead")["entry"] == noted
    assert [note["entry"] for note in ann.call("list")["notes"]] == [noted]
    for place in ("beside", "apart"):
        assert ann.call("put", **told, place=place, why="both words are usual")["why_both"] == (
            "both words are usual" if place == "beside" else ""
        )
        assert {note["entry"] for note in ann.call("list")["notes"]} == {noted, first}
    assert ann.post("put", **told, place="above").status_code == 422


def test_an_answer_comes_in_pieces(remote_url: str, chat_server: ChatServer, remote_home: Path) -> None:
    go_on = threading.Event()
    chat_server.replies(faults.goes_on(go_on, "<understanding>u</understanding>\n<answer>one ", "two</answer>"))
    events = []
    with ApiClient(remote_url, token_for(f"person-{uuid.uuid4()}", remote_home)) as program:
        for name, told in program.stream("ask", question="What is akin to quick?"):
            events.append((name, told))
            if told.get("answer"):
                go_on.set()
    assert [name for name, _ in events][-2:] == ["result", "end"]
    so_far = [told["answer"] for name, told in events if name == "result"]
    assert any(text and text != "one two" for text in so_far)
    assert (events[-2][1]["state"], so_far[-1]) == ("answered", "one two")


def test_a_program_is_told_that_an_answer_was_cut(remote_url: str, chat_server: ChatServer, remote_home: Path) -> None:
    begun = "<understanding>u</understanding>\n<answer>one two"
    chat_server.replies(begun, f"{begun}</answer>")
    with ApiClient(remote_url, token_for(f"person-{uuid.uuid4()}", remote_home)) as program:
        cut, whole = (program.call("ask", question="What is akin to quick?") for _ in range(2))
    assert (cut["state"], cut["answer"]) == ("answered", "one two")
    assert cut["error"] == "This answer was possibly cut. Please try again."
    assert whole["error"] == ""


def test_without_a_valid_token_there_is_one_sentence(embedded_url: str, embedded_home: Path) -> None:
    token = token_for("ann", embedded_home)
    paths = [("POST", f"/api/{name}") for name in NAMES]
    paths += [("GET", "/api/openapi.json"), ("GET", "/api/config"), ("GET", "/api/gradio_api/info"), ("POST", "/mcp")]
    paths += [("GET", "/mcp"), ("POST", "/api/gradio_api/queue/join"), ("GET", "/api/gradio_api/queue/data")]
    page = PageClient(embedded_url).open()
    wrong = [{}, {"Authorization": ""}, {"Authorization": "Bearer"}, {"Authorization": f"Bearer {token[:-1]}"}]
    wrong += [{"Authorization": f"Basic {token}"}, {"Authorization": token}, {"Cookie": f"token={token}"}]
    for method, path in paths:
        for headers in wrong:
            response = page.http.request(method, path, headers=headers, json={} if method == "POST" else None)
            assert response.status_code == 401
            assert response.json()["detail"].startswith("Please send a valid token")
            assert response.headers["www-authenticate"] == "Bearer"
    page.close()


def test_nobody_else_reaches_anything(ann: ApiClient, bob: ApiClient, embedded_url: str) -> None:
    asked = ann.call("ask", question="What is akin to quick?")
    again = ann.call("clarify", turn=asked["turn"], meant="the word is marigold")
    entry, before = again["noted"]["entry"], ann.call("list")
    received = ""
    for name, told in {
        "clarify": {"turn": asked["turn"], "meant": "x"},
        "react": {"turn": again["turn"], "reaction": "confirm"},
        "why": {"turn": asked["turn"]},
        "dispute": {"turn": asked["turn"], "act": "missing", "words": "x"},
        "undo": {"entry": entry},
        "forget": {"entry": entry},
    }.items():
        response = bob.post(name, **told)
        assert (response.status_code, response.json()) == (
            404,
            {"detail": "There is no such thing here, or it is not yours."},
        )
    left = bob.post("react", turn=again["turn"], reaction="leave out", entry=entry)
    assert left.status_code == 404
    for name, told in {
        "ask": {"question": "What is akin to quick?", "conversation": asked["conversation"]},
        "recall": {"question": "What is akin to quick?"},
        "list": {"search": "marigold"},
    }.items():
        received += bob.post(name, **told).text
    assert "marigold" not in received
    assert ann.call("list") == before
    visitor = PageClient(embedded_url, AS_THE_PAGE | {"Authorization": ann.headers["Authorization"]}).open()
    assert visitor.memory() == []  # a token opens nothing on the page
    visitor.close()


FIELDS = (
    "question",
    "conversation",
    "turn",
    "meant",
    "reaction",
    "reach",
    "place",
    "other",
    "entry",
    "search",
    "limit",
    "offset",
    "act",
    "number",
    "words",
    "think",
)


@settings(suppress_health_check=list(HealthCheck))
@given(told=st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, JSON)), name=st.sampled_from(NAMES))
def test_whatever_is_sent_is_answered_in_words(ann: ApiClient, told: dict[str, Any], name: str) -> None:
    response = ann.http.post(f"/api/{name}", content=json.dumps(told))
    assert response.status_code in {200, 404, 422}
    assert response.status_code == 200 or response.json()["detail"].endswith((".", ")."))


BODIES = (
    b"[", b"null", b"[]", b'"x"', b"[" * 100_000, b"\xff", b'{"question": NaN}',
    b'{"question": "x", "person": "ann"}', b'{"question": ""}', b'{"question": "\\u200b"}', b'{"question": 1}',
    b'{"question": "x", "conversation": "a b"}', b'{"question": "' + b"x" * 9000 + b'"}',
)  # fmt: skip


def test_what_no_function_takes_is_refused(ann: ApiClient) -> None:
    for body, accept in itertools.product(BODIES, ("application/json", "text/event-stream")):
        response = ann.http.post("/api/ask", content=body, headers={"Accept": accept})
        assert (response.status_code, set(response.json())) == (422, {"detail"}), body[:40]
    assert ann.http.post("/api/ask", content=b"x" * 300_000).status_code == 413


def test_a_search_for_what_no_text_can_hold_finds_nothing(ann: ApiClient) -> None:
    response = ann.http.post("/api/list", content=rb'{"search": "\ud800"}')
    assert (response.status_code, response.json()) == (200, {"notes": [], "more": False})


def test_what_is_behind_the_doors_is_all_there_is(ann: ApiClient) -> None:
    for path in ("/api/", "/api/turns", "/api/../config", "/api/gradio_api/upload", "/api/gradio_api/file=/etc/passwd",
                 "/api/gradio_api/call/ask", "/api/gradio_api/run/ask", "/api/theme.css", "/mcp/", "/config",
                 "/gradio_api/info", "/api/gradio_api/queue/status", "/api/openapi.json/x"):  # fmt: skip
        for method in ("GET", "POST", "PUT", "DELETE"):
            assert ann.http.request(method, path).status_code in {404, 405}, (method, path)
    config = ann.http.get("/api/config").json()
    assert {function["api_name"] for function in config["dependencies"]} == set(NAMES)
    for number in range(len(config["dependencies"]), 60):
        body = {"fn_index": number, "data": [], "session_hash": "x"}
        assert ann.http.post("/api/gradio_api/queue/join", json=body).status_code == 400


def test_limits_count_for_a_person_whatever_their_tokens_and_for_whom_nobody_knows(tmp_path: Path) -> None:
    limits = {"NOTED_TURNS_PER_MINUTE": "2", "NOTED_SAVES_PER_MINUTE": "1", "NOTED_API": "everyone"}
    tokens = [token_for(person, tmp_path) for person in ("ann", "ann", "bob")]
    for url in served_here(tmp_path, limits):
        first, second, bob, one, other = (ApiClient(url, token) for token in (*tokens, None, None))
        asked = [program.post("ask", question="What is akin to quick?") for program in (first, second, first, bob)]
        assert [answer.status_code for answer in asked] == [200, 200, 429, 200]
        saved = [program.post("remember", question="q", meant="m") for program in (first, second, one)]
        assert [answer.status_code for answer in saved] == [200, 429, 200]
        assert [note["meant"] for note in one.call("list")["notes"]] == ["m"]
        assert other.call("list")["notes"] == []
        with ApiClient(url, "wrong") as wrong:
            assert wrong.post("list").status_code == 401
        for program in (first, second, bob, one, other):
            program.http.close()


def test_who_may_call_is_a_setting(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="NOTED_API must be off, tokens or everyone, not 'all'"):
        who_may_call(Settings.load({"NOTED_API": "all"}))
    for url in served_here(tmp_path, {"NOTED_API": "off"}):
        with ApiClient(url, token_for("ann", tmp_path)) as program:
            assert program.post("list").status_code == program.http.get("/mcp").status_code == 404


def test_the_client_of_gradio(ann: ApiClient, bob: ApiClient, embedded_url: str) -> None:
    headers = {"Authorization": ann.headers["Authorization"]}
    client = GradioClient(f"{embedded_url}api", headers=headers, verbose=False, analytics_enabled=False)
    described: Any = client.view_api(return_format="dict", print_info=False)
    assert set(described["named_endpoints"]) == {f"/{name}" for name in NAMES}
    assert described["unnamed_endpoints"] == {}
    job = client.submit(question="What is akin to quick?", api_name="/ask")
    again = client.predict(job.result()["turn"], MEANT, api_name="/clarify")
    assert (again["answer"], again["noted"]["meant"]) == ("fast", MEANT)
    assert client.predict(api_name="/list") == ann.call("list")
    with pytest.raises(AppError, match="Please write something first"):
        client.predict("", api_name="/ask")
    stolen = {"session_hash": client.session_hash}
    assert "session_not_found" in bob.http.get("/api/gradio_api/queue/data", params=stolen).text
    client.close()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_assistant_that_speaks_mcp(ann: ApiClient, bob: ApiClient, embedded_url: str, mode: Any) -> None:
    async def talk(headers: dict[str, str], *calls: tuple[str, dict[str, Any]]) -> tuple[Any, list[Any]]:
        async with httpx2.AsyncClient(headers=headers) as http:
            transport = streamable_http_client(f"{embedded_url}mcp", http_client=http)
            async with McpClient(transport, mode=mode) as client:
                return await client.list_tools(), [await client.call_tool(name, told) for name, told in calls]

    question = {"question": "What is akin to quick?"}
    listed, (asked, refused, unknown) = run_beside(
        talk(ann.headers, ("ask", question), ("ask", {}), ("list", {"limit": 0}))
    )
    assert [tool.name for tool in listed.tools] == list(NAMES)
    assert {tool.name for tool in listed.tools if tool.annotations.read_only_hint} == {"recall", "list"}
    assert all(tool.description and tool.output_schema for tool in listed.tools)
    assert asked.structured_content["answer"]
    assert json.loads(asked.content[0].text) == asked.structured_content
    assert (refused.is_error, refused.content[0].text) == (True, "This was not understood (question: Field required).")
    assert unknown.is_error
    told = {"turn": asked.structured_content["turn"], "meant": MEANT}
    _, (foreign,) = run_beside(talk(bob.headers, ("clarify", told)))
    assert foreign.content[0].text == "There is no such thing here, or it is not yours."
    _, (again,) = run_beside(talk(ann.headers, ("clarify", told)))
    assert again.structured_content["answer"] == "fast"


def test_what_does_not_speak_mcp_is_answered(ann: ApiClient) -> None:
    for body in (b"", b"[", b"{}", b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}}'):
        response = ann.http.post("/mcp", content=body, headers={"Content-Type": "application/json"})
        assert response.status_code < 500
    assert ann.http.get("/mcp").status_code == 405


@pytest.mark.parametrize("name", ["lesson", "why", "keep"])
def test_an_id_that_is_half_a_character_is_none(name: str, ann: ApiClient) -> None:
    assert ann.http.post(f"/api/{name}", content=rb'{"turn": "\ud800"}').status_code == 422


def test_study_questions_come_one_after_the_other(
    remote_url: str, chat_server: ChatServer, remote_home: Path, ann: ApiClient
) -> None:
    text = "Dana found the ring. The ring was lost in 1867."
    chat_server.answer = lambda _: "<question>Who?</question><answer>Dana</answer>"
    with ApiClient(remote_url, token_for(f"person-{uuid.uuid4()}", remote_home)) as program:
        made = program.call("questions", text=text)
        functions()["questions"].result.validate_python(made, extra="forbid")
        assert [(one["question"], one["answer"]) for one in made["questions"]] == [("Who?", "Dana")] * 2
        assert (made["places"], made["error"]) == (2, "")
        assert program.call("questions", text=text, answers=["1867"])["questions"][0]["answer"] == "1867"
    assert ann.http.post("/api/questions", json={"text": text}).status_code == 422
