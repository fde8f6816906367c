from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from ui.guard import GuardMiddleware


async def _length(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


@pytest.fixture
def client() -> TestClient:
    app = Starlette(routes=[Route("/", _length, methods=["GET", "POST"])])
    return TestClient(GuardMiddleware(app, largest=100), base_url="http://noted.test")


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


def test_refusals_bring_the_headers_too(client: TestClient) -> None:
    assert "content-security-policy" in client.post("/", content=b"x" * 101).headers


def test_a_space_may_be_shown_in_the_frame_of_its_host() -> None:
    client = TestClient(GuardMiddleware(Starlette(), on_spaces=True))
    assert "frame-ancestors 'self' https://huggingface.co" in client.get("/").headers["content-security-policy"]


@pytest.mark.parametrize("in_pieces", [False, True])
def test_a_body_that_is_too_large_is_refused(client: TestClient, in_pieces: bool) -> None:
    def body(size: int) -> object:
        return iter([b"x" * 50] * (size // 50)) if in_pieces else b"x" * size

    assert client.post("/", content=body(100)).text == "100"  # type: ignore[arg-type]
    assert client.post("/", content=body(150)).status_code == 413  # type: ignore[arg-type]


@pytest.mark.parametrize(("headers", "status"), [
    ({}, 200),
    ({"origin": "http://noted.test"}, 200),
    ({"origin": "https://attacker.test"}, 403),
    ({"origin": "null"}, 403),
    ({"origin": "https://public.test", "x-forwarded-host": "public.test"}, 200),
])  # fmt: skip
def test_requests_from_other_sites_are_refused(client: TestClient, headers: dict[str, str], status: int) -> None:
    assert client.post("/", headers=headers).status_code == status


@pytest.mark.parametrize("path", ["deep_link", "dev/reload", "upload?upload_id=x", "vibe-code/", "undo-vibe-edit"])
def test_what_the_page_does_not_use_is_closed(client: TestClient, path: str) -> None:
    response = client.get(f"/gradio_api/{path}")
    assert (response.status_code, response.text) == (404, "Not found.")
    assert "content-security-policy" in response.headers
