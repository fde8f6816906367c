import itertools
import re
from collections.abc import Sequence
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import ASGIApp
from starlette.websockets import WebSocketDisconnect

from ui.server.request_policy import (
    API,
    IMPORT,
    OAUTH,
    PAGE,
    PASSWORDS,
    ForwardedMiddleware,
    GuardMiddleware,
    OpenPaths,
)

METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE")
EVERYTHING: OpenPaths = dict.fromkeys(METHODS, re.compile(".*"))


async def _length(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


APP = Starlette(routes=[Route("/{path:path}", _length, methods=list(METHODS))])


def guarded(
    app: ASGIApp = APP, url: str = "http://noted.test", routes: Sequence[OpenPaths] = (EVERYTHING,), **how: Any
) -> TestClient:
    return TestClient(GuardMiddleware(app, routes, **how), base_url=url)


def test_every_response_has_security_headers() -> None:
    client = guarded()
    headers = client.get("/").headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin"
    assert "microphone=()" in headers["permissions-policy"]
    assert "content-security-policy" in client.get("/not/there").headers
    policy = headers["content-security-policy"]
    rules = {name: set(sources.split()) for name, _, sources in (rule.partition(" ") for rule in policy.split("; "))}
    assert rules["default-src"] == {"'none'"}  # also the fallback for attributes and `eval`
    own = ("script-src", "style-src", "connect-src", "form-action", "frame-ancestors", "base-uri")
    assert [rules[name] for name in own] == [{"'self'"}] * len(own)
    assert rules.keys() == {"default-src", "img-src", *own}
    assert rules["img-src"] == {"'self'", "data:"}


@pytest.mark.promise("limits-are-sentences")
@pytest.mark.parametrize("in_pieces", [False, True])
def test_large_body_is_refused(in_pieces: bool) -> None:
    client = guarded(largest=100)

    def body(size: int) -> object:
        return iter([b"x" * 50] * (size // 50)) if in_pieces else b"x" * size

    assert client.post("/", content=body(100)).text == "100"  # type: ignore[arg-type]
    assert client.post(IMPORT, content=body(150)).text == "150"  # type: ignore[arg-type]
    refused = client.post("/", content=body(150))  # type: ignore[arg-type]
    assert (refused.status_code, "content-security-policy" in refused.headers) == (413, True)


ELSEWHERE = (
    ("POST", "/gradio_api/queue/join"), ("POST", "/api/ask"), ("POST", "/login"), ("OPTIONS", "/"),
    ("GET", "/logout"),
)  # fmt: skip


@pytest.mark.promise("no-foreign-origin")
@pytest.mark.parametrize(("headers", "status"), [
    ({}, 200), ({"origin": "http://noted.test"}, 200), ({"origin": "https://attacker.test"}, 403),
    ({"origin": "null"}, 403), ({"origin": "http://["}, 403), ({"origin": ""}, 403),
    ({"origin": "http://noted.test:80"}, 200), ({"origin": "https://noted.test"}, 200),
    ({"origin": "https://noted.test:80"}, 403), ({"origin": "http://sister.noted.test"}, 403),
    ({"origin": "http://attacker@noted.test"}, 403), ({"origin": "https://any.own.test"}, 403),
    ({"origin": "http://noted.test:7860", "host": "NOTED.test:7860"}, 200),
    ({"origin": "http://[::1]:7860", "host": "[::1]:7860"}, 200),
    ({"origin": "http://noted.test", "host": "127.0.0.1:7860"}, 403),
    ({"origin": "https://own.test", "host": "127.0.0.1:7860"}, 200),
    ({"sec-fetch-site": "same-origin"}, 200), ({"sec-fetch-site": "same-site"}, 403),
    ({"sec-fetch-site": "cross-site"}, 403),
    ({"origin": "http://noted.test", "sec-fetch-site": "same-origin"}, 200),
    ({"origin": "http://noted.test", "sec-fetch-site": "same-site"}, 403),
    ({"origin": "https://attacker.test", "sec-fetch-site": "same-origin"}, 403),
])  # fmt: skip
def test_requests_from_other_sites_are_refused(headers: dict[str, str], status: int) -> None:
    """Send requests with Origin or Sec-Fetch-Site of another site."""
    client = guarded(origins=["own.test", "*.own.test"])
    for method, path in (("POST", "/page/conversation/ask"), ("OPTIONS", "/page/conversation/ask"), *ELSEWHERE):
        assert client.request(method, path, headers=headers).status_code == status


@pytest.mark.promise("no-foreign-origin")
def test_encrypted_page_is_not_of_a_plain_origin() -> None:
    client = guarded(url="https://noted.test")
    origins = ("https://noted.test", "http://noted.test")
    assert [client.post("/", headers={"origin": origin}).status_code for origin in origins] == [200, 403]


@pytest.mark.promise("no-foreign-origin")
@pytest.mark.parametrize(("proxies", "status"), [(["testclient"], 200), ([], 403)])
def test_forwarded_host_counts_from_named_proxies(proxies: list[str], status: int) -> None:
    client = TestClient(ForwardedMiddleware(GuardMiddleware(APP, [EVERYTHING]), proxies), base_url="http://inside.test")
    headers = {"origin": "https://public.test", "x-forwarded-host": "public.test, inside.test"}
    assert client.post("/", headers=headers | {"x-forwarded-proto": "https"}).status_code == status
    assert client.post("/", headers=headers | {"origin": "https://attacker.test"}).status_code == 403


async def _allow(request: Request) -> PlainTextResponse:
    allowed = {"access-control-allow-origin": request.headers["origin"], "access-control-allow-credentials": "true"}
    return PlainTextResponse("allowed", headers=allowed)


@pytest.mark.promise("no-foreign-origin")
def test_no_response_allows_another_origin() -> None:
    client = guarded(Starlette(routes=[Route("/{path:path}", _allow, methods=list(METHODS))]))
    file = client.get(
        "/static/0/page.js", headers={"origin": "https://attacker.test"}
    )  # comes to any page, read by none
    assert (file.status_code, file.headers["cross-origin-resource-policy"]) == (200, "same-origin")
    assert not [name for name in file.headers if name.startswith("access-control-")]
    origins = (("http://noted.test", 200), ("http://attacker.test", 403))
    for path, (origin, status) in itertools.product(("/", "/page/conversation/ask", "/config"), origins):
        answer = client.options(path, headers={"origin": origin, "access-control-request-method": "POST"})
        assert answer.status_code == status
        assert not [name for name in answer.headers if name.startswith("access-control-")]


@pytest.mark.promise("own-names-only")
@pytest.mark.parametrize(("host", "status"), [
    ("127.0.0.1:7860", 200), ("LOCALHOST", 200), ("[::1]:80", 200), ("noted.test", 200), ("evil.example:7860", 421),
    ("[::1]evil.example", 421), ("127.0.0.1:80@evil.example", 421), ("", 421),
])  # fmt: skip
def test_server_answers_to_its_own_names(host: str, status: int) -> None:
    client = TestClient(GuardMiddleware(APP, names=("127.0.0.1", "localhost", "::1", "*.test")))
    assert client.get("/", headers={"host": host}).status_code == status


@pytest.mark.promise("no-foreign-origin")
def test_link_from_another_site_leads_to_the_page() -> None:
    client = guarded()
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    for path in ("/", "/login/callback"):
        assert client.get(path, headers=link).status_code == 200
        assert client.post(path, headers=link).status_code == 403
    assert client.get("/logout", headers=link).status_code == 403
    assert client.get("/logout", headers={"sec-fetch-site": "same-origin"}).status_code == 200
    for other in ({"sec-fetch-mode": "no-cors"}, {"sec-fetch-dest": "image"}, {"sec-fetch-dest": "iframe"}):
        assert client.get("/", headers=link | other).status_code == 403


@pytest.mark.promise("no-foreign-origin")
def test_space_opens_in_a_frame() -> None:
    client = TestClient(GuardMiddleware(APP, on_spaces=True))
    assert "frame-ancestors 'self' https://huggingface.co" in client.get("/").headers["content-security-policy"]
    framed = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"}
    assert client.get("/", headers=framed).status_code == 200
    assert client.get("/", headers=framed | {"sec-fetch-dest": "object"}).status_code == 403


@pytest.mark.promise("only-listed-routes")
@pytest.mark.parametrize(("further", "opened"), [
    ([], set()),
    ([PASSWORDS], {("POST", "/login"), ("GET", "/logout")}),
    ([OAUTH], {("GET", "/login/huggingface"), ("GET", "/login/callback"), ("GET", "/logout")}),
])  # fmt: skip
def test_sign_in_has_its_routes_only(further: list[OpenPaths], opened: set[tuple[str, str]]) -> None:
    client = guarded(routes=[PAGE, *further])
    asked = itertools.product(METHODS, ("/login", "/logout", "/login/huggingface", "/login/callback", "/login/"))
    statuses = {(method, path): client.request(method, path).status_code for method, path in asked}
    assert {one for one, status in statuses.items() if status == 200} == opened
    assert {*statuses.values()} <= {200, 404}
    with pytest.raises(WebSocketDisconnect) as closed, client.websocket_connect("/"):
        pass
    assert closed.value.code == 1008


def test_token_lets_programs_in_at_their_routes() -> None:
    client = guarded(routes=(PAGE, API))
    elsewhere = {"origin": "https://attacker.test"}
    with_token = elsewhere | {"authorization": "Bearer x"}
    paths = ("/api/ask", "/mcp", "/v1/chat/completions")
    assert [client.post(path, headers=with_token).status_code for path in paths] == [200] * 3
    assert [client.post(path, headers=elsewhere).status_code for path in paths] == [403] * 3
    for path in ("/page/conversation/ask", "/", "/api", "/mcp/x"):
        assert client.post(path, headers=with_token).status_code == 403
    for no_token in ("Basic eDp5", "x", "", "Bearerx", "Digest Bearer x"):
        assert client.post("/api/ask", headers=elsewhere | {"authorization": no_token}).status_code == 403
