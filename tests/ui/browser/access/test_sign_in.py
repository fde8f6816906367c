"""Signing in and out, with a password in a browser and with a stand-in of Hugging Face over HTTP."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, expect

from tests.support.people.page_client import PageClient
from tests.support.people.space_visitor import SpaceVisitor
from tests.support.people.windows import Windows
from tests.support.servers.openid import OpenIdProvider
from tests.ui.browser.conftest import OpenPage, each_window
from tests.ui.browser.test_looks import RULES, VIOLATIONS, show_in
from tests.ui.conftest import served_here
from ui.server.entrance.passwords import Costs, Hash
from ui.words.texts import languages, texts

pytestmark = pytest.mark.promise("sign-in")

QUICK = Costs(10, 8, 1)
PEOPLE = {"ann": "correct horse battery", "bob": "another long password"}
ELSEWHERE = {"X-Forwarded-For": "192.0.2.1"}


@pytest.fixture(scope="module")
def with_passwords(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the application on loopback with passwords."""
    lines = " ".join(Hash.of(password, QUICK).line(name) for name, password in PEOPLE.items())
    yield from served_here(tmp_path_factory.mktemp("passwords"), {"NOTED_AUTH": lines})


def sign_in(page: Page, name: str, password: str) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


@each_window()
def test_people_sign_in_and_out(with_passwords: str, open_page: OpenPage) -> None:
    noted = open_page(with_passwords, local=True, sign_in=lambda page: sign_in(page, "ann", PEOPLE["ann"]))
    noted.ask("What is akin to quick?")
    noted.correct(noted.turn(0), "I meant a synonym")
    noted.turn(0)
    noted.sign_out("ann")

    sign_in(noted.page, "bob", PEOPLE["bob"])
    expect(noted.of_head("link", "Sign out (bob)")).to_be_visible()
    expect(noted.turns).to_have_count(0)
    noted.open_memory()
    expect(noted.page.get_by_text("Nothing is saved yet.")).to_be_visible()


def test_sign_in_page_has_no_barrier(with_passwords: str, windows: Windows) -> None:
    first, *others = languages()
    with windows.lend(locale=first, viewport={"width": 360, "height": 740}) as context:
        page = context.new_page()
        page.goto(with_passwords)
        for language in (first, *others):
            words = texts(language)
            if language != first:
                page.get_by_role("combobox").select_option(language)
            expect(page.get_by_role("heading", name=words["sign_in_title"])).to_be_visible()
            page.get_by_label(words["sign_in_name"]).fill("ann")
            page.get_by_label(words["sign_in_password"]).fill("wrong")
            page.keyboard.press("Enter")
            expect(page.get_by_role("alert")).to_have_text(words["sign_in_wrong"])
            expect(page.get_by_label(words["sign_in_password"])).to_be_focused()
            assert page.locator("html").get_attribute("lang") == language
            assert page.evaluate("document.documentElement.scrollWidth") == 360
            page.evaluate(AXE_SCRIPT)
            for scheme, rules in RULES.items():
                show_in(page, scheme)
                assert page.evaluate(VIOLATIONS, rules) == []


def test_stranger_gets_the_sign_in_page_only(with_passwords: str) -> None:
    stranger = httpx2.Client(base_url=with_passwords, timeout=30)
    page = stranger.get("/", headers={"Accept": "text/html"})
    assert "set-cookie" not in page.headers
    assert page.headers["cache-control"] == "no-store"
    assert "Please sign in with" in page.text
    asked = PageClient(with_passwords, {})
    refused = {
        asked.do("memory.search", {}).get("refused"),
        asked.run("conversation.ask", {"text": "Hello"}).get("refused"),
    }
    assert all(str(sentence).startswith("It is not known who you are.") for sentence in refused)
    for path in ("/config", "/gradio_api/info"):
        assert stranger.get(path).status_code == 401
    for path in ("/gradio_api/token", "/gradio_api/user"):
        assert stranger.get(path).status_code in {401, 404}
    for name, password in (("ann", "wrong"), ("local", "local"), ("visitor:0", "x"), ("hf:ann", PEOPLE["ann"])):
        assert stranger.post("/login", data={"username": name, "password": password}).status_code == 400
    stranger.close()


def test_session_ends_with_sign_out(with_passwords: str) -> None:
    ann = PageClient(with_passwords)
    ann.http.post("/login", data={"username": "ann", "password": PEOPLE["ann"]}).raise_for_status()
    cookies = dict(ann.http.cookies)
    assert ann.open().do("conversation.begin")["turns"] == []
    ann.http.get("/logout")
    late = PageClient(with_passwords, {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())})
    assert "refused" in late.do("memory.search", {})


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
