"""Signing in and out over HTTP: with a password, and with a stand-in of Hugging Face."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.people.page_client import PageClient
from tests.support.people.passwords import PEOPLE, with_passwords
from tests.support.people.space_visitor import SpaceVisitor
from tests.support.servers.openid import OpenIdProvider
from tests.ui.conftest import served_here
from ui.words.texts import ENGLISH

pytestmark = pytest.mark.promise("sign-in")

ELSEWHERE = {"X-Forwarded-For": "192.0.2.1"}


def test_stranger_gets_the_sign_in_page_only(tmp_path: Path) -> None:
    for url in served_here(tmp_path, with_passwords()):
        stranger = PageClient(url, {})
        page = stranger.http.get("/", headers={"Accept": "text/html"})
        assert ("set-cookie" in page.headers, page.headers["cache-control"]) == (False, "no-store")
        assert ENGLISH["sign_in_hint"] in page.text
        search, ask = stranger.do("memory.search", {}), stranger.run("conversation.ask", {"question": "Hello"})
        for answer in (search, ask):
            assert str(answer["refused"]).startswith("Noted can’t tell who you are.")
        for path in ("/v1/models", "/api/openapi.json"):
            assert stranger.http.get(path).status_code == 401
        for name, password in (("ann", "wrong"), ("local", "local"), ("visitor:0", "x"), ("hf:ann", PEOPLE["ann"])):
            assert stranger.http.post("/login", data={"username": name, "password": password}).status_code == 400

        ann = PageClient(url)
        ann.http.post("/login", data={"username": "ann", "password": PEOPLE["ann"]}).raise_for_status()
        cookies = dict(ann.http.cookies)
        assert ann.open().do("conversation.go_on")["turns"] == []
        ann.http.get("/logout")
        late = PageClient(url, {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())})
        assert "refused" in late.do("memory.search", {})
        for client in (stranger, ann, late):
            client.close()


@pytest.fixture
def space_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Serve the application as on a Space. Gradio read the OAuth settings when it was imported."""
    space = {"SYSTEM": "spaces", "SPACE_ID": "someone/noted"}
    with OpenIdProvider() as provider:
        for name, value in (space | provider.client).items():
            monkeypatch.setenv(name, value)
        for name, value in provider.client.items():
            monkeypatch.setattr(f"gradio.oauth.{name}", value)
        yield from served_here(tmp_path, space | {"NOTED_HOST": "127.0.0.1"})


# Gradio starts a thread there, for a library that only Spaces have.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_space_signs_in_with_hugging_face(space_url: str) -> None:
    ann, again, local, visitor = (SpaceVisitor(space_url, ELSEWHERE).open() for _ in range(4))
    assert visitor.account == {"enter": "login/huggingface"}
    for browser, name in ((ann, "ann"), (again, "ann"), (local, "local")):
        browser.sign_in(name)
        assert browser.account == {"name": name, "leave": "logout"}
    first = ann.ask("What is akin to quick?")
    ann.clarify(first["id"], "I meant a synonym")

    assert [entry["text"] for entry in again.memory()] == ["I meant a synonym"]
    assert local.memory() == visitor.memory() == []
    again.get("/logout")
    assert again.account == {"enter": "login/huggingface"}
    assert again.memory() == []
    forged = SpaceVisitor(space_url, ELSEWHERE).open()
    forged.get("/login/callback?code=ann:x&state=made-up")
    assert forged.memory() == []
    for browser in (ann, again, local, visitor, forged):
        browser.close()
