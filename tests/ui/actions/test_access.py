"""API access: who may call, and that the interfaces for programs expose nothing else."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from gradio_client import Client as GradioClient

from assistant.errors import SettingsError
from assistant.settings import Settings
from tests.support.interfaces import Access, mcp
from tests.support.people.api_client import ApiClient, token_for
from tests.support.people.page_client import PageClient
from tests.ui.actions.conftest import NewAccess
from tests.ui.conftest import served_here
from ui.actions.table import FOR_PROGRAMS
from ui.programs.api import choose_access
from ui.server.sign_in import password_line

QUESTION = "What is akin to quick?"
ANN, BOB = (password_line(name, "correct horse battery", (10, 8, 1)) for name in ("ann", "bob"))


@pytest.fixture
def access(embedded_access: NewAccess) -> Access:
    return embedded_access(f"person-{uuid.uuid4()}")


@pytest.fixture
def ann(access: Access) -> Iterator[ApiClient]:
    with ApiClient(access.url, access.token) as program:
        yield program


@pytest.mark.promise("tokens-are-hashed")
def test_without_a_valid_token_there_is_one_sentence(access: Access) -> None:
    token = access.token
    paths = [("POST", f"/api/{name}") for name in FOR_PROGRAMS]
    paths += [("GET", "/api/openapi.json"), ("POST", "/mcp"), ("GET", "/mcp"), ("DELETE", "/mcp")]
    paths += [("GET", "/v1/models"), ("GET", "/v1/models/noted"), ("POST", "/v1/chat/completions")]
    page = PageClient(access.url).open()
    wrong = [{}, {"Authorization": ""}, {"Authorization": "Bearer"}, {"Authorization": f"Bearer {token[:-1]}"}]
    wrong += [{"Authorization": f"Basic {token}"}, {"Authorization": token}, {"Cookie": f"token={token}"}]
    for method, path in paths:
        for headers in wrong:
            response = page.http.request(method, path, headers=headers, json={} if method == "POST" else None)
            assert response.status_code == 401
            assert response.text.partition("Please send a valid token")[0] in ('{"detail":"', '{"error":{"message":"')
            assert response.headers["www-authenticate"] == "Bearer"
    page.close()


def test_a_token_opens_nothing_on_the_page(ann: ApiClient, access: Access) -> None:
    ann.call("remember", question="q", text="m")
    visitor = PageClient(access.url, {"X-Forwarded-For": "192.0.2.1", **access.headers})
    assert visitor.http.post("/page/memory/search", json=visitor.body({})).json().keys() == {"refused"}
    assert visitor.open().memory() == []
    visitor.close()


@pytest.mark.promise("only-listed-routes")
def test_gradio_has_no_functions_and_says_where_they_are(access: Access) -> None:
    with ApiClient(access.url, access.token) as program:
        for path in ("/config", "/gradio_api/info", "/gradio_api/queue/data", "/gradio_api/heartbeat/abc"):
            response = program.http.get(path)
            assert (response.status_code, "/llms.txt" in response.text) == (404, True)
        assert all(f"`{name}(" in program.http.get("/llms.txt").text for name in FOR_PROGRAMS)
    with pytest.raises(ValueError, match="config"):
        GradioClient(access.url, headers=access.headers, verbose=False, analytics_enabled=False)


def test_clients_of_an_earlier_mcp_are_answered(access: Access) -> None:
    assert mcp(access, "ask", question=QUESTION, mode="legacy")["state"] == "answered"


def test_limits_count_for_a_user_whatever_the_token_and_without_one(tmp_path: Path) -> None:
    limits = {"NOTED_TURNS_PER_MINUTE": "2", "NOTED_SAVES_PER_MINUTE": "1", "NOTED_API": "everyone"}
    tokens = [token_for(person, tmp_path) for person in ("ann", "ann", "bob")]
    for url in served_here(tmp_path, limits):
        first, second, bob, one, other = (ApiClient(url, token) for token in (*tokens, None, None))
        asked = [program.post("ask", question=QUESTION) for program in (first, second, first, bob)]
        assert [answer.status_code for answer in asked] == [200, 200, 429, 200]
        saved = [program.post("remember", question="q", text="m") for program in (first, second, one)]
        assert [answer.status_code for answer in saved] == [200, 429, 200]
        assert [entry["text"] for entry in one.call("list")["entries"]] == ["m"]
        assert other.call("list")["entries"] == []
        with ApiClient(url, "wrong") as wrong:
            assert wrong.post("list").status_code == 401


def test_who_may_call_is_a_setting(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="NOTED_API must be off, tokens or everyone, not 'all'"):
        choose_access(Settings.load({"NOTED_API": "all"}))
    for url in served_here(tmp_path, {"NOTED_API": "off"}):
        with ApiClient(url, token_for("ann", tmp_path)) as program:
            assert program.post("list").status_code == program.http.get("/mcp").status_code == 404


@pytest.mark.promise("removed-people-have-no-token")
@pytest.mark.parametrize(("lines", "status"), [(f"{ANN} {BOB}", 200), (BOB, 401)], ids=["on the list", "removed"])
def test_a_token_is_valid_while_its_user_may_sign_in(tmp_path: Path, lines: str, status: int) -> None:
    for url in served_here(tmp_path, {"NOTED_AUTH": lines}):
        with ApiClient(url, token_for("ann", tmp_path)) as program:
            assert program.post("list").status_code == status
