import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

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
from memory_store.ledger.ledger import Ledger
from tests.support.memory.store import ledger_url
from ui.server.bounds.proxies import ForwardedMiddleware
from ui.server.identity import (
    COOKIE,
    FORWARDED,
    PERSON,
    IdentityMiddleware,
    Visitors,
    bearer,
    is_loopback,
    is_new,
    on_this_machine,
    scope_of,
    with_hugging_face,
    with_password,
)

pytestmark = pytest.mark.promise("sign-in")

Source = Callable[[Any], str | None]
KEY = b"a key of the tests"
HTML = {"accept": "text/html"}


async def _who(request: Request) -> PlainTextResponse:
    try:
        return PlainTextResponse(scope_of(gr.Request(request)).person)
    except NoIdentity:
        return PlainTextResponse("nobody")


def client(*sources: Source, url: str = "http://127.0.0.1:7860", **visitors: Any) -> TestClient:
    app = Starlette(routes=[Route("/", _who, methods=["GET", "POST"])])
    known = IdentityMiddleware(app, sources, Visitors(KEY, **visitors))
    return TestClient(ForwardedMiddleware(known, ()), base_url=url)


def test_on_a_server_for_this_machine_only_there_is_one_local_person() -> None:
    response = client(on_this_machine).get("/", headers=HTML)
    assert response.text == "local"
    assert "set-cookie" not in response.headers


@pytest.mark.parametrize("headers", [
    {"host": "attacker.test"}, {"x-forwarded-for": "192.0.2.1"}, {"forwarded": "for=192.0.2.1"}, {"host": ""},
    {"via": "1.1 somewhere"}, {"x-forwarded-proto": "https"},
])  # fmt: skip
def test_through_a_proxy_or_another_name_nobody_is_the_local_person(headers: dict[str, str]) -> None:
    assert client(on_this_machine).post("/", headers=headers).text == "nobody"


def test_a_proxy_that_speaks_as_browsers_do_not_brings_no_local_person() -> None:
    headers = [(b"host", b"127.0.0.1")]
    connection = {"type": "http", "headers": headers, "http_version": "1.1", FORWARDED: False}
    assert on_this_machine(connection) == "local"
    assert on_this_machine(connection | {"http_version": "1.0"}) is None
    assert on_this_machine(connection | {FORWARDED: True}) is None


@pytest.mark.parametrize(("header", "secret"), [
    ("Bearer abc", "abc"), ("bearer  abc ", "abc"), ("Basic abc", None), ("Bearer", ""), ("", None),
])  # fmt: skip
def test_a_program_sends_its_token_as_a_bearer(header: str, secret: str | None) -> None:
    assert bearer({"type": "http", "headers": [(b"authorization", header.encode())] if header else []}) == secret


def test_what_is_no_request_passes_through() -> None:
    """Such as word that the server starts."""
    started: list[bool] = []

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        started.append(True)
        yield

    with TestClient(IdentityMiddleware(Starlette(lifespan=lifespan), (), None)):
        assert started == [True]


def test_a_visitor_gets_a_name_with_the_page_and_keeps_it() -> None:
    visitor = client()
    cookie = visitor.get("/", headers=HTML).headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    person = visitor.post("/").text
    assert person.startswith("visitor:")
    assert visitor.get("/", headers=HTML).text == person
    assert client().post("/").text == "nobody"


@pytest.mark.parametrize(("framed", "kept"), [(True, "SameSite=None; Partitioned"), (False, "SameSite=Lax")])
def test_over_a_secure_connection_the_cookie_is_sent_over_such_only(framed: bool, kept: str) -> None:
    response = client(url="https://127.0.0.1", framed=framed).get("/", headers=HTML)
    assert response.headers["set-cookie"].endswith(f"; Secure; {kept}")


def test_cookie_is_for_the_path_of_its_server() -> None:
    cookie = client(root_path="/noted").get("/", headers=HTML).headers["set-cookie"]
    assert "; Path=/noted;" in cookie


@given(st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=120))
def test_a_cookie_that_this_server_did_not_write_names_nobody(cookie: str) -> None:
    assert Visitors(KEY).person(cookie) is None


def test_visitors_are_new_for_some_seconds_after_they_got_the_cookie(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    person = Visitors(KEY).person(Visitors(KEY).new())
    assert person
    assert is_new(person)
    assert not any(map(is_new, ["ann", "local", "hf:ann", f"visitor:{0:032x}"]))
    monkeypatch.setattr(time, "time", lambda: now + 11.0)
    assert not is_new(person)


def test_a_cookie_is_good_only_as_it_was_written_and_with_the_same_key() -> None:
    cookie = Visitors(KEY).new()
    assert Visitors(KEY).person(cookie) == "visitor:" + cookie.partition(".")[0]
    assert Visitors(b"another key").person(cookie) is None
    for place, letter in enumerate(cookie):
        forged = cookie[:place] + ("1" if letter == "0" else "0") + cookie[place + 1 :]
        assert Visitors(KEY).person(forged) is None


def signed_in(*, name: str, token: str) -> str | None:
    app = SimpleNamespace(cookie_id="x", tokens={"right": "ann"})
    return with_password({"app": app, "headers": [(b"cookie", f"{name}={token}".encode())]})


def test_who_signed_in_with_a_password_is_known_by_the_token_that_the_server_gave() -> None:
    assert signed_in(name="access-token-x", token="right") == "ann"
    assert signed_in(name="access-token-unsecure-x", token="right") == "ann"
    assert signed_in(name="access-token-x", token="wrong") is None
    assert signed_in(name="access-token-y", token="right") is None


def oauth_session(name: object, *, seconds_left: float = 60) -> dict[str, Any]:
    told = {"expires_at": time.time() + seconds_left, "userinfo": {"preferred_username": name}}
    return {"session": {"oauth_info": told}}


def test_who_signed_in_with_hugging_face_has_a_name_that_nobody_else_can_have() -> None:
    assert with_hugging_face(oauth_session("ann")) == "hf:ann"
    assert with_hugging_face(oauth_session("local")) == "hf:local"


@pytest.mark.parametrize("session", [
    {}, {"session": {}}, {"session": {"oauth_info": None}}, {"session": {"oauth_info": "ann"}},
    {"session": {"oauth_info": {"userinfo": {"preferred_username": "ann"}}}}, oauth_session("ann", seconds_left=-1),
    oauth_session(""), oauth_session(None), oauth_session(["ann"]), oauth_session("a b"), oauth_session("a:b"),
    oauth_session("visitor:1"), oauth_session("a" * 101), oauth_session("ann\n"),
])  # fmt: skip
def test_a_session_that_has_ended_or_names_nobody_is_nobodys(session: dict[str, Any]) -> None:
    assert with_hugging_face(session) is None


def test_the_first_source_that_knows_somebody_decides() -> None:
    def knows(person: str | None) -> Source:
        return lambda _connection: person

    sources: Sequence[Source] = (knows(None), knows("hf:ann"), knows("local"))
    assert client(*sources).post("/").text == "hf:ann"


def request(person: object, username: str | None = None) -> gr.Request:
    return gr.Request(Request({"type": "http", "headers": [], PERSON: person}), username=username)


def test_the_person_is_who_the_server_says() -> None:
    assert scope_of(request("ann")) == Scope("ann")
    assert scope_of(request("ਅੰਨੂ", "ਅੰਨੂ")) == Scope("ਅੰਨੂ")


@pytest.mark.parametrize("of_nobody", [
    request(None), request(None, "ann"), request("bob", "ann"), request(""), request("a\nb"), request(1), gr.Request(),
    gr.Request(username="ann"),
])  # fmt: skip
def test_who_is_not_known_to_the_server_or_is_two_people_is_refused(of_nobody: gr.Request) -> None:
    with pytest.raises(NoIdentity):
        scope_of(of_nobody)


@pytest.mark.parametrize(("cookie", "zone"), [
    ("Asia/Kolkata", "Asia/Kolkata"), ("Etc/GMT+5", "Etc/GMT+5"), ("Asia", None), ("", None), ("../etc/passwd", None),
    ("/etc/passwd", None), ("No/Where", None), ("tzdata.zi", None), ("x" * 5000, None), ("\x00", None), ("é", None),
])  # fmt: skip
def test_zone_is_what_the_browser_says(cookie: str, zone: str | None) -> None:
    headers = [(b"cookie", f"noted_zone={cookie}".encode("latin-1"))]
    found = scope_of(gr.Request(Request({"type": "http", "headers": headers, PERSON: "ann"}))).zone
    assert (found and str(found)) == zone


def test_a_visitor_is_known_to_every_replica_and_to_no_other_server(tmp_path: Path) -> None:
    def visitors(folder: str) -> Visitors:
        ledger = Ledger(ledger_url(tmp_path / folder))
        ledger.close()
        return Visitors(ledger.secret_for("visitors"))

    first, replica, other = visitors("shared"), visitors("shared"), visitors("other")
    cookie = first.new()
    assert replica.person(cookie) == first.person(cookie) is not None
    assert other.person(cookie) is None


def test_other_cookies_whatever_they_hold_do_not_hide_ours() -> None:
    cookie = Visitors(KEY).new()
    asked = client().post("/", headers={"cookie": f'other={{"a": [1; broken; {COOKIE}={cookie}; flag'})
    assert asked.text == "visitor:" + cookie.partition(".")[0]


@pytest.mark.parametrize(("host", "local"), [
    ("127.0.0.1", True), ("localhost", True), ("::1", True), ("[::1]", True),
    ("0.0.0.0", False), ("[::]", False), ("192.0.2.1", False), ("localhost.example", False),  # noqa: S104
])  # fmt: skip
def test_only_a_loopback_address_is_this_machine_alone(host: str, local: bool) -> None:
    assert is_loopback(host) is local
