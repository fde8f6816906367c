import re

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Message
from starlette.websockets import WebSocketDisconnect

from tests.support.beside import run_beside
from ui.server.guard import API, OAUTH, PAGE, PASSWORDS, GuardMiddleware, OpenPaths

METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE")
EVERYTHING: OpenPaths = dict.fromkeys(METHODS, re.compile(".*"))


async def _length(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


@pytest.fixture
def client() -> TestClient:
    app = Starlette(routes=[Route("/{path:path}", _length, methods=list(METHODS))])
    return TestClient(GuardMiddleware(app, [EVERYTHING], largest=100), base_url="http://noted.test")


def test_every_response_brings_the_security_headers(client: TestClient) -> None:
    headers = client.get("/").headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin"
    assert "microphone=()" in headers["permissions-policy"]
    assert "content-security-policy" in client.get("/not/there").headers


def test_the_content_policy_lets_nothing_come_from_or_go_to_elsewhere(client: TestClient) -> None:
    policy = client.get("/").headers["content-security-policy"]
    rules = {name: set(sources.split()) for name, _, sources in (rule.partition(" ") for rule in policy.split("; "))}
    assert rules["default-src"] == rules["script-src-attr"] == {"'none'"}
    assert rules["frame-ancestors"] == rules["base-uri"] == rules["connect-src"] == {"'self'"}
    assert set().union(*rules.values()) == {"'none'", "'self'", "'unsafe-inline'", "'unsafe-eval'", "data:"}
    assert "data:" not in rules["script-src"] | rules["connect-src"] | rules["style-src"]


def test_a_space_may_be_shown_in_the_frame_of_its_host() -> None:
    client = TestClient(GuardMiddleware(Starlette(), on_spaces=True))
    assert "frame-ancestors 'self' https://huggingface.co" in client.get("/").headers["content-security-policy"]


@pytest.mark.parametrize("in_pieces", [False, True])
def test_a_body_that_is_too_large_is_refused(client: TestClient, in_pieces: bool) -> None:
    def body(size: int) -> object:
        return iter([b"x" * 50] * (size // 50)) if in_pieces else b"x" * size

    assert client.post("/", content=body(100)).text == "100"  # type: ignore[arg-type]
    refused = client.post("/", content=body(150))  # type: ignore[arg-type]
    assert (refused.status_code, "content-security-policy" in refused.headers) == (413, True)


@pytest.mark.parametrize(("headers", "status"), [
    ({}, 200),
    ({"origin": "http://noted.test"}, 200),
    ({"origin": "https://attacker.test"}, 403),
    ({"origin": "null"}, 403),
    ({"origin": "http://["}, 403),
    ({"origin": "https://public.test", "x-forwarded-host": "public.test"}, 200),
    ({"sec-fetch-site": "same-origin"}, 200),
    ({"sec-fetch-site": "none"}, 200),
    ({"sec-fetch-site": "same-site"}, 403),
    ({"sec-fetch-site": "cross-site"}, 403),
])  # fmt: skip
def test_requests_from_other_sites_are_refused(client: TestClient, headers: dict[str, str], status: int) -> None:
    """Where a browser names no origin, it tells the site."""
    assert client.post("/gradio_api/queue/join", headers=headers).status_code == status


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:7860", 200),
        ("LOCALHOST", 200),
        ("[::1]:80", 200),
        ("noted.test", 200),
        ("evil.example:7860", 421),
        ("[::1]evil.example", 421),
        ("127.0.0.1:80@evil.example", 421),
        ("", 421),
    ],
)
def test_a_server_answers_to_its_own_names_only(host: str, status: int) -> None:
    names = ("127.0.0.1", "localhost", "::1", "*.test")
    client = TestClient(GuardMiddleware(Starlette(routes=[Route("/", _length)]), names=names))
    assert client.get("/", headers={"host": host}).status_code == status


def test_a_link_on_another_site_leads_to_the_page_only(client: TestClient) -> None:
    from_elsewhere = {"sec-fetch-site": "cross-site"}
    assert client.get("/", headers=from_elsewhere).status_code == 200
    assert client.get("/logout", headers=from_elsewhere).status_code == 403
    assert client.get("/logout", headers={"sec-fetch-site": "same-origin"}).status_code == 200


OPEN = {
    ("GET", "/"), ("HEAD", "/"), ("GET", "/theme.css"), ("GET", "/favicon.ico"), ("GET", "/robots.txt"),
    ("GET", "/assets/index-a1_B.js"), ("GET", "/static/js/frame.min.js"), ("GET", "/gradio_api/app_id"),
    ("GET", "/gradio_api/startup-events"), ("GET", "/gradio_api/queue/data"), ("POST", "/gradio_api/queue/join"),
    ("POST", "/gradio_api/run/predict"),
}  # fmt: skip
SIGNING_IN = [
    ((PAGE,), set()),
    ((PAGE, PASSWORDS), {("POST", "/login"), ("GET", "/logout")}),
    ((PAGE, OAUTH), {("GET", "/login/huggingface"), ("GET", "/login/callback"), ("GET", "/logout")}),
]
CLOSED = [
    "/config", "/login/", "/info", "/openapi.json", "/monitoring", "/manifest.json", "/svelte/x.js", "//", "/./",
    "/%2e", f"/assets/{'a' * 300}",
    "/assets/../app.py", "/assets/.env", "/assets//x", "/ASSETS/x", "/static/%2e%2e/x", "/theme.css/", "/theme.css%00",
    "/gradio_api/info", "/gradio_api/upload", "/gradio_api/call/ask", "/gradio_api/run/ask", "/gradio_api/run/predict/",
    "/gradio_api/file=/etc/passwd", "/gradio_api/cancel", "/gradio_api/reset", "/gradio_api/component_server",
    "/gradio_api/heartbeat/abc", "/gradio_api/stream/abc", "/gradio_api/token", "/gradio_api/user",
    "/gradio_api//app_id",    "/GRADIO_API/app_id", "/gradio_api/app_id/", "/gradio_api/queue/status",
    "/gradio_api/queue/data\n", "/\n",
    "/gradio_api/proxy=http://127.0.0.1/", "/gradio_api/mcp/", "/gradio_api/deep_link", "/gradio_api/dev/reload",
]  # fmt: skip


def _status(app: ASGIApp, method: str, path: str) -> int:
    """What is answered to a path as the server has read it, which no client of ours would send."""
    sent: list[Message] = []

    async def call() -> None:
        connection = {"type": "http", "method": method, "path": path, "headers": [], "query_string": b""}
        await app(connection, receive, send)

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        sent.append(message)

    run_beside(call())
    return int(sent[0]["status"])


@pytest.mark.parametrize(("doors", "further"), SIGNING_IN)
def test_only_what_is_on_the_list_answers(doors: tuple[OpenPaths, ...], further: set[tuple[str, str]]) -> None:
    app = Starlette(routes=[Route("/{path:path}", _length, methods=list(METHODS))])
    client = TestClient(GuardMiddleware(app, doors), base_url="http://noted.test")
    paths = [path for _, path in OPEN] + CLOSED + ["/login", "/logout", "/login/huggingface", "/login/callback"]
    answered = {(method, path) for path in paths for method in METHODS if _status(client.app, method, path) == 200}
    assert {(method, path) for method, path in answered if method != "HEAD"} == (OPEN | further) - {("HEAD", "/")}
    assert {path for method, path in answered if method == "HEAD"} == {path for method, path in OPEN if method == "GET"}
    refused = client.get("/config")
    assert (refused.status_code, refused.text) == (404, "Not found.")
    assert "content-security-policy" in refused.headers


def test_a_program_with_a_token_is_from_no_site_but_only_at_its_doors() -> None:
    app = Starlette(routes=[Route("/{path:path}", _length, methods=list(METHODS))])
    client = TestClient(GuardMiddleware(app, (PAGE, API)), base_url="http://noted.test")
    elsewhere = {"origin": "https://attacker.test"}
    with_token = elsewhere | {"authorization": "Bearer x"}
    assert [client.post(path, headers=with_token).status_code for path in ("/api/ask", "/mcp")] == [200, 200]
    assert [client.post(path, headers=elsewhere).status_code for path in ("/api/ask", "/mcp")] == [403, 403]
    for path in ("/gradio_api/run/predict", "/", "/api", "/mcp/x"):
        assert client.post(path, headers=with_token).status_code == 403
    for no_token in ("Basic eDp5", "x", "", "Bearerx", "Digest Bearer x"):
        assert client.post("/api/ask", headers=elsewhere | {"authorization": no_token}).status_code == 403


def test_no_socket_is_opened() -> None:
    client = TestClient(GuardMiddleware(Starlette(), [EVERYTHING]))
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/"):
        pass
