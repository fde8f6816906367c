import time
from collections.abc import Callable
from typing import Any

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
from ui.server.identity import (
    COOKIE,
    PERSON,
    IdentityMiddleware,
    Visitors,
    is_new,
    local_user,
    read_hugging_face_user,
    scope_of,
)
from ui.server.request_policy import FORWARDED, ForwardedMiddleware

pytestmark = pytest.mark.promise("sign-in")

Source = Callable[[Any], str | None]
KEY = b"a key of the tests"
HTML = {"accept": "text/html"}


async def _who(request: Request) -> PlainTextResponse:
    try:
        return PlainTextResponse(scope_of(request.scope).person)
    except NoIdentity:
        return PlainTextResponse("nobody")


def client(*sources: Source, url: str = "http://127.0.0.1:7860", **visitors: Any) -> TestClient:
    app = Starlette(routes=[Route("/", _who, methods=["GET", "POST"])])
    known = IdentityMiddleware(app, sources, Visitors(KEY, **visitors))
    return TestClient(ForwardedMiddleware(known, ()), base_url=url)


PROXIED = (
    {"host": "attacker.test"}, {"x-forwarded-for": "192.0.2.1"}, {"forwarded": "for=192.0.2.1"}, {"host": ""},
    {"via": "1.1 somewhere"}, {"x-forwarded-proto": "https"},
)  # fmt: skip


def test_local_person_comes_through_no_proxy() -> None:
    response = client(local_user).get("/", headers=HTML)
    assert (response.text, "set-cookie" in response.headers) == ("local", False)
    assert {client(local_user).post("/", headers=headers).text for headers in PROXIED} == {"nobody"}
    told = connection(headers=[(b"host", b"127.0.0.1")], http_version="1.1", **{FORWARDED: False})
    assert local_user(told) == "local"
    assert local_user(told | {"http_version": "1.0"}) is local_user(told | {FORWARDED: True}) is None
    assert client(lambda _: None, lambda _: "hf:ann", local_user).post("/").text == "hf:ann"


def test_visitor_keeps_a_name() -> None:
    visitor = client()
    cookie = visitor.get("/", headers=HTML).headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    person = visitor.post("/").text
    assert person.startswith("visitor:")
    assert visitor.get("/", headers=HTML).text == person
    assert client().post("/").text == "nobody"
    beside = f'other={{"a": [1; broken; {COOKIE}={visitor.cookies[COOKIE]}; flag'
    assert client().post("/", headers={"cookie": beside}).text == person


@pytest.mark.parametrize(("framed", "kept"), [(True, "SameSite=None; Partitioned"), (False, "SameSite=Lax")])
def test_encrypted_cookie_is_secure(framed: bool, kept: str) -> None:
    response = client(url="https://127.0.0.1", framed=framed, root_path="/noted").get("/", headers=HTML)
    assert response.headers["set-cookie"].endswith(f"; Secure; {kept}")
    assert "; Path=/noted;" in response.headers["set-cookie"]


def test_visitors_are_new_for_some_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    person = Visitors(KEY).person(Visitors(KEY).new())
    assert person
    assert is_new(person)
    assert not any(map(is_new, ["ann", "local", "hf:ann", f"visitor:{0:032x}"]))
    monkeypatch.setattr(time, "time", lambda: now + 11.0)
    assert not is_new(person)


@given(st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=120))
def test_only_an_unaltered_cookie_names_a_visitor(other: str) -> None:
    cookie = Visitors(KEY).new()
    assert Visitors(KEY).person(cookie) == "visitor:" + cookie.partition(".")[0]
    assert Visitors(b"another key").person(cookie) is Visitors(KEY).person(other) is None
    for place, letter in enumerate(cookie):
        forged = cookie[:place] + ("1" if letter == "0" else "0") + cookie[place + 1 :]
        assert Visitors(KEY).person(forged) is None


def oauth_session(name: object, *, seconds_left: float = 60) -> dict[str, Any]:
    told = {"expires_at": time.time() + seconds_left, "userinfo": {"preferred_username": name}}
    return {"session": {"oauth_info": told}}


@pytest.mark.parametrize("session", [
    {}, {"session": {"oauth_info": None}}, {"session": {"oauth_info": "ann"}},
    {"session": {"oauth_info": {"userinfo": {"preferred_username": "ann"}}}}, oauth_session("ann", seconds_left=-1),
    oauth_session(""), oauth_session(["ann"]), oauth_session("a:b"), oauth_session("a" * 101), oauth_session("ann\n"),
])  # fmt: skip
def test_only_a_session_names_a_hugging_face_user(session: dict[str, Any]) -> None:
    assert read_hugging_face_user(oauth_session("local")) == "hf:local"
    assert read_hugging_face_user(session) is None


def connection(**told: object) -> dict[str, Any]:
    return {"type": "http", "headers": [], **told}


@pytest.mark.parametrize("of_nobody", [
    connection(), *(connection(**{PERSON: nobody}) for nobody in (None, "", "a\nb", 1, b"ann", ["ann"])),
    connection(user="ann", username="ann", session={"user": "ann"}), connection(headers=[(b"x-noted-person", b"ann")]),
])  # fmt: skip
def test_unknown_person_is_refused(of_nobody: dict[str, Any]) -> None:
    assert scope_of(connection(**{PERSON: "ਅੰਨੂ"})) == Scope("ਅੰਨੂ")
    with pytest.raises(NoIdentity):
        scope_of(of_nobody)


@pytest.mark.parametrize(("cookie", "zone"), [
    ("Asia/Kolkata", "Asia/Kolkata"), ("Etc/GMT+5", "Etc/GMT+5"), ("Asia", None), ("", None), ("../etc/passwd", None),
    ("No/Where", None), ("x" * 5000, None), ("\x00", None),
])  # fmt: skip
def test_zone_is_what_the_browser_says(cookie: str, zone: str | None) -> None:
    headers = [(b"cookie", f"noted_zone={cookie}".encode("latin-1"))]
    found = scope_of(connection(headers=headers, **{PERSON: "ann"})).zone
    assert (found and str(found)) == zone
