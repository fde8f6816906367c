"""What anybody can reach of the running application, over HTTP: every route and function, with another's ids."""

import http.client
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import gradio as gr
import pytest
from gradio.routes import App
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.memory.keys import wait_until
from tests.support.people.page_client import JOIN, PREDICT, STREAM, PageClient
from tests.support.texts.anything import JSON
from ui.server.identity import COOKIE

pytestmark = pytest.mark.promise("only-listed-routes", "no-access-across-people")

METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH")
ANSWERS = {
    ("GET", "/"), ("HEAD", "/"), ("GET", "/theme.css"), ("GET", "/favicon.ico"), ("GET", "/robots.txt"),
    ("GET", "/gradio_api/app_id"), ("GET", "/gradio_api/startup-events"),
}  # fmt: skip
IS_JSON = {"content-type": "application/json"}
SECRET = "the word is marigold"


@dataclass(frozen=True)
class Ann:
    """Somebody with something to hide: her page, and the ids of what is hers."""

    page: PageClient
    turn: str
    entry: str

    def told(self) -> dict[str, Any]:
        """Whatever an event may name, all of it hers."""
        return {
            "turn": self.turn, "entry": self.entry, "conversation": self.page.conversation, "run": "r1",
            "seen": self.turn, "text": "I meant something else", "reaction": "confirm", "search": "", "shown": 1000,
            "old": "", "new": "key", "question": "akin to quick?", "of": "everyone", "place": 0, "last": True,
            "bytes": "",
        }  # fmt: skip

    def state(self) -> str:
        """All that she sees of her own."""
        return json.dumps([self.page.memory(), self.page.turns()])


@pytest.fixture
def ann(embedded_url: str) -> Iterator[Ann]:
    page = PageClient(embedded_url).open()
    first = page.ask("What is akin to quick?")
    page.clarify(first["id"], SECRET)
    entry = page.memory()[0]
    assert SECRET in entry["text"]
    yield Ann(page, first["id"], entry["id"])
    page.close()


@pytest.fixture
def bob(embedded_url: str) -> Iterator[PageClient]:
    page = PageClient(embedded_url).open()
    yield page
    page.close()


@pytest.fixture(autouse=True)
def _nothing_breaks(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    yield
    assert "Traceback" not in "".join(capfd.readouterr())


def routes(page: gr.Blocks) -> set[tuple[str, str]]:
    """Every route of Gradio's application, with something in the place of its parameters."""
    found = list(App.create_app(page).routes)
    found += [inner for route in found for inner in getattr(getattr(route, "original_router", None), "routes", [])]
    paths = {str(route.path) for route in found if hasattr(route, "path")}
    filled = {
        re.sub(r"\{session_hash\}", "abc", re.sub(r"\{path_or_url:path\}", "/etc/passwd", path)) for path in paths
    }
    return {(method, re.sub(r"\{[^}]*\}", "1", path)) for path in filled for method in METHODS}


def test_only_routes_of_the_page_answer(built_page: gr.Blocks, bob: PageClient) -> None:
    found = routes(built_page)
    assert len(found) > 300
    answered = {}
    for method, path in sorted(found | ANSWERS):
        with bob.http.stream(method, path, json={} if method in {"POST", "PUT", "PATCH"} else None) as response:
            if response.status_code not in {400, 404}:
                answered[method, path] = response.status_code
    assert answered == dict.fromkeys(ANSWERS | {("HEAD", path) for _, path in ANSWERS} & found, 200) | {
        pair: answered[pair] for pair in answered if pair[0] == "HEAD" and answered[pair] == 405
    }


PATHS = (
    "/gradio_api/%69nfo", "/gradio_api%2finfo", "//config", "/./config", "/assets/../config", "/assets/%2e%2e/config",
    "/assets/..%2f..%2f..%2fapp.py", "/CONFIG", "/config/", "/config%00", "/config;x", "/gradio_api/file%3d/etc/passwd",
    "http://x/config", "/%", "/%ff",
)  # fmt: skip


def test_no_spelling_of_a_path_opens_another(embedded_url: str) -> None:
    for path, method in itertools.product(PATHS, ("GET", "HEAD", "POST")):
        connection = http.client.HTTPConnection(urlsplit(embedded_url).netloc, timeout=10)
        connection._validate_path = lambda _path: None  # type: ignore[attr-defined]
        connection.putrequest(method, path, skip_host=False)
        connection.endheaders()
        response = connection.getresponse()
        assert response.status in {400, 404, 421}, (method, path)
        assert b"dependencies" not in response.read()
        connection.close()


def strangers(ann: Ann, url: str) -> Iterator[PageClient]:
    """Those who are not her, though they try to be: with her session, and with her cookie changed by a letter."""
    cookie = ann.page.http.cookies[COOKIE]
    altered = cookie[:-1] + ("0" if cookie[-1] != "0" else "1")
    named = cookie.partition(".")[0]
    for headers in ({}, {"Cookie": f"{COOKIE}={altered}"}, {"Cookie": f"{COOKIE}={named}"}, {"Cookie": f"{COOKIE}="}):
        yield PageClient(url, {"X-Forwarded-For": "192.0.2.1"} | headers)
    yield PageClient(url).open()


def test_no_function_reaches_another_person(ann: Ann, embedded_url: str) -> None:
    wait_until(lambda: '"drafting"' not in ann.state())
    before = ann.state()
    tried = 0
    for stranger in strangers(ann, embedded_url):
        stranger.functions = ann.page.functions
        for session_hash in (ann.page.session_hash, stranger.session_hash):
            stranger.session_hash = session_hash
            for event, function in ann.page.functions.items():
                data = [ann.page.conversation] * len(function["inputs"])
                body = stranger.body(event, ann.told(), data)
                for path in (PREDICT, JOIN):
                    stranger.seen.append(stranger.http.post(path, json=body).text)
                    tried += 1
            for _ in stranger.stream():
                pass
        received = "".join(stranger.seen)
        assert "marigold" not in received
        assert ann.turn not in received
        stranger.close()
    assert tried >= 300
    assert ann.state() == before


def test_stream_is_for_its_owner_only(ann: Ann, bob: PageClient) -> None:
    event = ann.page.join("conversation.ask", ann.told())
    bob.session_hash = ann.page.session_hash
    assert [message["msg"] for message in bob.stream()] == ["unexpected_error"]
    assert event not in "".join(bob.seen)
    bob.do("conversation.stop")
    assert [message["msg"] for message in ann.page.stream()][-2:] == ["process_completed", "close_stream"]


def test_page_holds_nothing_private(ann: Ann, bob: PageClient) -> None:
    assert ann.page.open().page == bob.page
    assert PageClient(str(bob.http.base_url)).open().config == bob.config
    for private in ("marigold", ann.turn, ann.entry, ann.page.http.cookies[COOKIE]):
        assert private not in bob.page


FIELDS = ("fn_index", "data", "event_data", "trigger_id", "session_hash", "event_id", "batched", "simple_format")
EVENTS = st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, JSON))


@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(told=EVENTS, event_data=JSON, number=st.integers(0, 19), broken=st.booleans())
def test_any_event_is_answered_in_words(
    bob: PageClient, told: dict[str, Any], event_data: object, number: int, broken: bool
) -> None:
    """Something quite else than an event, and an event of the page with something quite else in it."""
    names = list(bob.functions)
    event = bob.body(names[number % len(names)], event_data)
    for body in (told, event | {"event_data": event_data}, event | told):
        text = json.dumps(body)
        response = bob.http.post(PREDICT, content=text[:-1] if broken else text, headers=IS_JSON)
        assert response.status_code in {200, 400, 404, 422}
        if response.status_code == 400:
            assert response.json() == {"detail": "This request was not understood."}


BODIES = (
    b"", b"null", b"[]", b"[" * 100_000, b"\xff", b'{"fn_index": NaN}',
    b'{"fn_index": 3, "data": [], "session_hash": "../x"}', b'{"fn_index": true, "data": [], "session_hash": "x"}',
    b'{"fn_index": 99, "data": [], "session_hash": "x"}', b'{"fn_index": 3, "data": [1], "session_hash": "x"}',
)  # fmt: skip


def test_malformed_events_are_refused(bob: PageClient) -> None:
    for path, body in itertools.product((JOIN, PREDICT), BODIES):
        assert bob.http.post(path, content=body, headers=IS_JSON).status_code == 400, body[:40]
    large = bob.body("conversation.ask", {"text": "a" * 1_000_000})
    assert [bob.http.post(path, json=large).status_code for path in (JOIN, PREDICT)] == [413, 413]
    assert bob.http.get(STREAM).status_code == 400
    assert bob.http.get(STREAM, params={"session_hash": "a/b"}).status_code == 400
