from __future__ import annotations

from pathlib import Path

import gradio as gr
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from assistant.errors import NoIdentity
from assistant.types import Scope
from memory_store.ledger import Ledger
from tests.support.store import ledger_url
from ui.identity import COOKIE, IdentityMiddleware, Visitors, scope_of

KEY = b"a key of the tests"
HTML = {"accept": "text/html"}


async def _who(request: Request) -> PlainTextResponse:
    try:
        return PlainTextResponse(scope_of(gr.Request(request)).person)
    except NoIdentity:
        return PlainTextResponse("nobody")


def client(*, local: bool, host: str = "127.0.0.1:7860") -> TestClient:
    app = Starlette(routes=[Route("/", _who, methods=["GET", "POST"])])
    return TestClient(IdentityMiddleware(app, Visitors(KEY), local=local), base_url=f"http://{host}")


def test_on_a_server_for_this_machine_only_there_is_one_local_person() -> None:
    response = client(local=True).get("/", headers=HTML)
    assert response.text == "local"
    assert "set-cookie" not in response.headers


@pytest.mark.parametrize("headers", [
    {"host": "attacker.test"}, {"x-forwarded-for": "192.0.2.1"}, {"forwarded": "for=192.0.2.1"}, {"host": ""},
])  # fmt: skip
def test_through_a_proxy_or_another_name_nobody_is_the_local_person(headers: dict[str, str]) -> None:
    assert client(local=True).post("/", headers=headers).text == "nobody"


def test_a_visitor_gets_a_name_with_the_page_and_keeps_it() -> None:
    visitor = client(local=False)
    cookie = visitor.get("/", headers=HTML).headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    person = visitor.post("/").text
    assert person.startswith("visitor:")
    assert visitor.get("/", headers=HTML).text == person
    assert client(local=False).post("/").text == "nobody"


@given(st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=120))
def test_a_cookie_that_this_server_did_not_write_names_nobody(cookie: str) -> None:
    assert Visitors(KEY).person(cookie) is None


def test_a_cookie_is_good_only_as_it_was_written_and_with_the_same_key() -> None:
    cookie = Visitors(KEY).new()
    assert Visitors(KEY).person(cookie) == "visitor:" + cookie.partition(".")[0]
    assert Visitors(b"another key").person(cookie) is None
    forged = ("1" if cookie[0] == "0" else "0") + cookie[1:]
    assert Visitors(KEY).person(forged) is None


def test_a_broken_cookie_header_names_nobody() -> None:
    assert client(local=False).post("/", headers={"cookie": f'{COOKIE}="; \\'}).text == "nobody"


@pytest.mark.parametrize(("username", "person"), [("ann", "ann"), ("ਅੰਨੂ", "ਅੰਨੂ")])
def test_who_is_signed_in_is_the_person(username: str, person: str) -> None:
    assert scope_of(gr.Request(username=username)) == Scope(person)


@pytest.mark.parametrize("username", ["", "visitor:0123", "a\nb"])
def test_a_user_name_that_could_be_somebody_else_is_refused(username: str) -> None:
    with pytest.raises(NoIdentity):
        scope_of(gr.Request(username=username))


def test_a_visitor_is_known_to_every_replica_and_to_no_other_server(tmp_path: Path) -> None:
    def visitors(folder: str) -> Visitors:
        ledger = Ledger(ledger_url(tmp_path / folder))
        ledger.close()
        return Visitors(ledger.secret_for("visitors"))

    first, replica, other = visitors("shared"), visitors("shared"), visitors("other")
    cookie = first.new()
    assert replica.person(cookie) == first.person(cookie) is not None
    assert other.person(cookie) is None
