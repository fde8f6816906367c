"""The page as the server keeps it: for each address its own, in each language, whole."""

import json
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from tests.support.people.page_client import PageClient
from ui.server.kept_page import KeptPageMiddleware
from ui.words.texts import languages, texts

VISITOR = {"X-Forwarded-For": "192.0.2.1"}


def page(url: str, **headers: str) -> PageClient:
    client = PageClient(url, VISITOR | {name.replace("_", "-"): value for name, value in headers.items()}).open()
    client.close()
    return client


def test_what_is_made_before_the_server_listens_is_what_gradio_makes_later(embedded_url: str) -> None:
    before, later = page(embedded_url), page(embedded_url, Host="noted.test")
    assert before.config["root"] == embedded_url.rstrip("/")
    assert later.config["root"] == "http://noted.test"
    assert before.config | {"root": ""} == later.config | {"root": ""}
    assert before.page.replace(urlsplit(embedded_url).netloc, "noted.test") == later.page


HOSTS = st.from_regex(r"[a-z]{1,8}\.test(:[1-9][0-9]{3})?", fullmatch=True)
ADDRESSES = st.fixed_dictionaries(
    {"Host": HOSTS}, optional={"X-Forwarded-Host": HOSTS, "X-Forwarded-Proto": st.sampled_from(["http", "https"])}
)


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(headers=ADDRESSES, query=st.sampled_from(["", "?a=b", "?deep_link=x", "?__theme=dark"]))
def test_each_address_has_its_own_page(embedded_url: str, headers: dict[str, str], query: str) -> None:
    with httpx2.Client(base_url=embedded_url, headers=VISITOR | headers) as http:
        answer = http.get(f"/{query}")
    host = headers.get("X-Forwarded-Host", headers["Host"])
    root = f"{headers.get('X-Forwarded-Proto', 'http')}://{host}"
    assert json.dumps({"root": root})[1:-1].replace(" ", "") in answer.text
    assert answer.status_code == 200


@pytest.mark.parametrize("language", languages())
def test_each_language_is_sent_with_and_without_compression(embedded_url: str, language: str) -> None:
    with httpx2.Client(base_url=embedded_url, headers=VISITOR | {"Accept-Language": language}) as http:
        plain = http.get("/", headers={"Accept-Encoding": "identity"})
        head = http.head("/", headers={"Accept-Encoding": "identity"})
        small = http.get("/", headers={"Accept-Encoding": "gzip"})
    assert plain.text == small.text
    assert json.dumps(texts(language)["page_title"], ensure_ascii=False) in plain.text
    assert (head.headers["content-length"], head.headers["vary"]) == (str(len(plain.content)), plain.headers["vary"])
    assert "content-encoding" not in plain.headers
    assert small.headers["content-encoding"] == "gzip"
    assert int(small.headers["content-length"]) < len(plain.content) / 3
    assert {"Cookie", "Accept-Language", "Accept-Encoding"} <= set(plain.headers["vary"].split(", "))


@pytest.fixture
def counted() -> Iterator[tuple[TestClient, list[str]]]:
    """An application that notes for which hosts it was asked, behind what keeps its page."""
    made: list[str] = []

    def make(request: Request) -> HTMLResponse:
        made.append(request.headers["host"])
        return HTMLResponse(f"{request.url} {len(made)}", 503 if request.headers["host"] == "broken.test" else 200)

    app = KeptPageMiddleware(Starlette(routes=[Route("/", make)]), hosts=["first.test"])
    with TestClient(app) as client:
        yield client, made


def test_a_page_is_made_once(counted: tuple[TestClient, list[str]]) -> None:
    client, made = counted
    assert made == ["first.test"]
    for host in ("first.test", "second.test", "first.test", "second.test"):
        assert client.get("/", headers={"Host": host}).text.startswith(f"http://{host}/ ")
    assert made == ["first.test", "second.test"]


def test_an_error_is_not_kept_and_made_up_addresses_do_not_fill_the_memory(
    counted: tuple[TestClient, list[str]],
) -> None:
    client, made = counted
    assert [client.get("/", headers={"Host": "broken.test"}).status_code for _ in range(2)] == [503, 503]
    assert made[1:] == ["broken.test", "broken.test"]
    for host in [f"{number}.test" for number in range(100)]:
        client.get("/", headers={"Host": host})
    client.get("/", headers={"Host": "0.test"})
    assert made[-1] == "0.test"


def test_browsers_keep_what_is_named_by_its_content_and_nothing_else(embedded_url: str) -> None:
    found = re.search(r"/(assets/index-[\w-]+\.js)", page(embedded_url).page)
    assert found
    with httpx2.Client(base_url=embedded_url, headers=VISITOR) as http:
        kept = {name: http.get(name) for name in (found[1], "assets/none-00000000.js", "/", "theme.css")}
    assert [name for name, answer in kept.items() if "max-age" in answer.headers.get("cache-control", "")] == [found[1]]
    assert [answer.status_code for answer in kept.values()] == [200, 404, 200, 200]
