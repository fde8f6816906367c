"""Every route and event over HTTP, by strangers and with ids of another user."""

import http.client
import itertools
import json
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import gradio as gr
import pytest
from gradio.routes import App
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.memory.keys import wait_until
from tests.support.people.api_client import token_for
from tests.support.people.page_client import PageClient, address_of
from tests.support.texts.json_values import JSON
from ui.page.page import PageApp
from ui.server.identity import COOKIE

pytestmark = pytest.mark.promise("only-listed-routes", "no-access-across-people")

METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH")
ANSWERS = {
    ("GET", "/"), ("HEAD", "/"), ("GET", "/robots.txt"), ("GET", "/llms.txt"), ("GET", "/gradio_api/startup-events"),
}  # fmt: skip
IS_JSON = {"content-type": "application/json"}
SECRET = "the word is marigold"


@dataclass(frozen=True)
class Ann:
    """A user with private data: her page, and ids of an entry and a turn of hers."""

    page: PageClient
    turn: str
    entry: str

    def told(self) -> dict[str, Any]:
        """Return arguments with her ids for any event."""
        return {
            "turn": self.turn, "entry": self.entry, "conversation": self.page.conversation, "run": "r1",
            "seen": self.turn, "text": "I meant something else", "reaction": "confirm", "search": "", "shown": 1000,
            "old": "", "new": "key", "question": "akin to quick?", "place": 0, "last": True,
            "bytes": "", "label": "stolen",
        }  # fmt: skip

    def state(self) -> str:
        """Return everything that she sees of her own."""
        return json.dumps([self.page.memory(), self.page.turns()])


@pytest.fixture
def ann(embedded_url: str) -> Iterator[Ann]:
    with closing(PageClient(embedded_url).open()) as page:
        first = page.ask("What is akin to quick?")
        page.clarify(first["id"], SECRET)
        entry = page.memory()[0]
        assert SECRET in entry["text"]
        yield Ann(page, first["id"], entry["id"])


@pytest.fixture
def bob(embedded_url: str) -> Iterator[PageClient]:
    with closing(PageClient(embedded_url).open()) as page:
        yield page


@pytest.fixture(autouse=True)
def _nothing_breaks(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    yield
    assert "Traceback" not in "".join(capfd.readouterr())


def event_names(page: PageApp) -> list[str]:
    return sorted(".".join(names) for names in page.names)


def routes(page: PageApp) -> set[tuple[str, str]]:
    """Return every route of Gradio's application and ours, with placeholders for parameters."""
    found = [*App.create_app(gr.Blocks()).routes, *page.routes]
    found += [inner for route in found for inner in getattr(getattr(route, "original_router", None), "routes", [])]
    known = {"{session_hash}": "abc", "{path_or_url:path}": "/etc/passwd"}
    paths = {
        re.sub(r"\{[^}]*\}", lambda name: known.get(name[0], "1"), str(route.path))
        for route in found
        if hasattr(route, "path")
    }
    return set(itertools.product(METHODS, paths))


def answered(client: PageClient, found: set[tuple[str, str]], **headers: str) -> dict[tuple[str, str], int]:
    """Return the status of each existing route."""
    statuses = {}
    for method, path in sorted(found):
        body: dict[str, str] | None = {} if method in {"POST", "PUT", "PATCH"} else None
        with client.http.stream(method, path, json=body, headers=headers) as response:
            if response.status_code not in {404, 405}:
                statuses[method, path] = response.status_code
    return statuses


def test_only_routes_of_the_page_answer(built_page: PageApp, bob: PageClient, embedded_home: Path) -> None:
    found = routes(built_page) | ANSWERS
    assert len(found) > 300
    for headers in ({}, {"Authorization": f"Bearer {token_for('ann of routes', embedded_home)}"}):
        assert answered(bob, found, **headers) == dict.fromkeys(ANSWERS, 200)


PATHS = (
    "/gradio_api/%69nfo", "/gradio_api%2finfo", "//config", "/./config", "/static/../config", "/config/",
    "/static/%2e%2e/config", "/CONFIG", "/%", "/%ff", "/config%00", "/config;x", "/gradio_api/file%3d/etc/passwd", "http://x/config",
    "/static/..%2f..%2f..%2fapp.py", "/static/0/..%2f..%2fserve.py", "/static/0/%2e%2e/page.html",
    "/static/0//etc/passwd", "/page/memory/look/", "/page//look", "/page/../config", "/page/memory%2flook",
    "/page/memory/__class__",
)  # fmt: skip


def test_no_spelling_of_a_path_opens_another(embedded_url: str) -> None:
    for path, method in itertools.product(PATHS, ("GET", "HEAD", "POST")):
        connection = http.client.HTTPConnection(urlsplit(embedded_url).netloc, timeout=10)
        connection._validate_path = lambda _path: None  # type: ignore[attr-defined]
        connection.putrequest(method, path, skip_host=False)
        connection.endheaders()
        response = connection.getresponse()
        assert response.status in {400, 401, 404, 421}, (method, path)
        content = response.read()
        assert b"dependencies" not in content
        assert b"import" not in content
        connection.close()


def strangers(ann: Ann, url: str) -> Iterator[PageClient]:
    """Yield clients that impersonate her, with her page id and altered cookies."""
    cookie = ann.page.http.cookies[COOKIE]
    altered = cookie[:-1] + ("0" if cookie[-1] != "0" else "1")
    named = cookie.partition(".")[0]
    for headers in ({}, {"Cookie": f"{COOKIE}={altered}"}, {"Cookie": f"{COOKIE}={named}"}, {"Cookie": f"{COOKIE}="}):
        yield PageClient(url, {"X-Forwarded-For": "192.0.2.1"} | headers)
    yield PageClient(url).open()


def test_no_event_reaches_another_person(built_page: PageApp, ann: Ann, bob: PageClient, embedded_url: str) -> None:
    wait_until(lambda: '"drafting"' not in ann.state())
    before = ann.state()
    tried = 0
    for stranger in strangers(ann, embedded_url):
        for page, event in itertools.product((ann.page.id, stranger.id), event_names(built_page)):
            stranger.id = page
            response = stranger.http.post(address_of(event), json=stranger.body(ann.told()))
            assert response.status_code == 200, event
            stranger.seen.append(response.text)
            tried += 1
        received = "".join(stranger.seen)
        assert "marigold" not in received
        assert ann.turn not in received
        stranger.close()
    assert tried >= 300
    assert ann.state() == before
    assert ann.page.open().page == bob.page  # it holds nothing private


FIELDS = ("page", "data", "panel", "event", "fn_index", "session_hash", "event_data", "trigger_id")
EVENTS = st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, JSON))
TOLD = ("run", "seal", "conversation", "turn", "entry", "offer", "text", "reach", "search", "shown", "place", "bytes")
VALUES = st.sampled_from(["confirm", "exclude", "use", "pause", "way", "' OR 1=1 --", 0, True, "AAAA", "\ud800"])
DATA = JSON | st.dictionaries(st.sampled_from(TOLD), JSON | VALUES, max_size=5)
NOT_UNDERSTOOD = {"detail": "This request was not understood."}


@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(told=EVENTS, data=DATA, number=st.integers(0, 200), broken=st.booleans())
def test_any_event_is_answered_in_words(
    built_page: PageApp, bob: PageClient, told: dict[str, Any], data: object, number: int, broken: bool
) -> None:
    """Send arbitrary bodies, and events of the page with arbitrary data."""
    names = event_names(built_page)
    address = address_of(names[number % len(names)])
    for body in (told, bob.body(data), bob.body(data) | told):
        text = json.dumps(body)
        response = bob.http.post(address, content=text[:-1] if broken else text, headers=IS_JSON)
        assert response.status_code == 400 if broken else response.status_code in {200, 400}
        if response.status_code == 400:
            assert response.json() == NOT_UNDERSTOOD


BODIES = (
    b"", b"null", b"[]", b"[" * 100_000, b"\xff", b"{}", b'{"data": {}}', b'{"page": null}', b'{"page": 1}',
    b'{"page": ""}', b'{"page": "../x"}', b'{"page": "x\\n"}', b'{"page": ["x"]}', b'{"page": "x", "data": NaN}',
    b'{"page": "x", "data": [-Infinity]}', b'{"page": "' + b"x" * 65 + b'"}', b'{"page": "x"', b"page=x",
)  # fmt: skip


def test_malformed_events_are_refused(built_page: PageApp, bob: PageClient) -> None:
    names = event_names(built_page)
    some = itertools.product(("conversation.ask", "conversation.stop", "header.look", "memory.search"), BODIES)
    for event, body in (*some, *zip(names, itertools.cycle(BODIES), strict=False)):
        response = bob.http.post(address_of(event), content=body, headers=IS_JSON)
        assert (response.status_code, response.json()) == (400, NOT_UNDERSTOOD), (event, body[:40])
    large, address = json.dumps(bob.body({"text": "a" * 1_000_000})), address_of("conversation.ask")
    for content in (large, iter([large.encode()])):
        assert bob.http.post(address, content=content, headers=IS_JSON).status_code == 413
    panels = {name.partition(".")[0] for name in names}
    elsewhere = {f"{panel}.{name.partition('.')[2]}" for name in names[::9] for panel in panels}
    unknown = {"page.load", "conversation.panel", "conversation.begin", "memory.look_", "tokens.make_all"} | elsewhere
    for event in sorted(unknown - {*names}):
        assert bob.http.post(address_of(event), json=bob.body({})).status_code == 404, event


@pytest.mark.promise("no-foreign-origin")
@pytest.mark.parametrize("kind", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_event_of_another_kind_of_content_is_refused(ann: Ann, kind: str) -> None:
    """Other content types are refused, since forms and scripts of other sites may send them without preflight."""
    before = ann.state()
    headers = {"content-type": kind} if kind else {}
    for event in ("tokens.make", "memory.forget_all", "conversation.ask", "conversation.stop", "header.look"):
        content = json.dumps(ann.page.body(ann.told())).encode()
        response = ann.page.http.post(address_of(event), content=content, headers=headers)
        assert (response.status_code, response.json()) == (400, NOT_UNDERSTOOD), event
    assert ann.state() == before
