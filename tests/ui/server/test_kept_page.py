"""The page as the server keeps it: for each address its own, in each language, whole."""

import re

import httpx2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from ui.server.kept_page import KeptPageMiddleware

from tests.support.people.page_client import PageClient

VISITOR = {"X-Forwarded-For": "192.0.2.1"}


def page(url: str, **headers: str) -> PageClient:
    client = PageClient(url, VISITOR | {name.replace("_", "-"): value for name, value in headers.items()}).open()
    client.close()
    return client


def test_page_names_the_address_asked_for(embedded_url: str) -> None:
    before, later = page(embedded_url), page(embedded_url, Host="noted.test")
    behind = page(embedded_url, X_Forwarded_Host="other.test", X_Forwarded_Proto="https")
    assert before.config["root"] == embedded_url.rstrip("/")
    assert (later.config["root"], behind.config["root"]) == ("http://noted.test", "https://other.test")
    assert before.config | {"root": ""} == later.config | {"root": ""} == behind.config | {"root": ""}


def test_page_is_made_once_for_each_host() -> None:
    made: list[str] = []

    def make(request: Request) -> HTMLResponse:
        made.append(request.headers["host"])
        return HTMLResponse(str(request.url), 503 if made[-1] == "broken.test" else 200)

    with TestClient(KeptPageMiddleware(Starlette(routes=[Route("/", make)]), hosts=["first.test"])) as client:
        assert made == ["first.test"]
        for host in ("first.test", "second.test", "broken.test") * 2:
            assert client.get("/", headers={"Host": host}).text == f"http://{host}/"
        assert made == ["first.test", "second.test", "broken.test", "broken.test"]
        for number in range(100):  # somebody makes them up
            client.get("/", headers={"Host": f"{number}.test"})
        client.get("/", headers={"Host": "0.test"})
        assert made[-1] == "0.test"


def test_browsers_cache_hashed_files_only(embedded_url: str) -> None:
    found = re.search(r"/(assets/index-[\w-]+\.js)", page(embedded_url).page)
    assert found
    with httpx2.Client(base_url=embedded_url, headers=VISITOR) as http:
        kept = {name: http.get(name) for name in (found[1], "assets/none-00000000.js", "/", "theme.css")}
    assert [name for name, answer in kept.items() if "max-age" in answer.headers.get("cache-control", "")] == [found[1]]
    assert [answer.status_code for answer in kept.values()] == [200, 404, 200, 200]
