"""Other accounts of the machine read no file and, with the local token, no page."""

import logging
import os
import stat
from functools import partial
from pathlib import Path

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from app import compose
from assistant.settings import Settings
from assistant.types import Scope
from tests.support.memory.loop import last
from tests.ui.conftest import served_here
from ui.server.sign_in import LocalTokenMiddleware, local_token

pytestmark = pytest.mark.promise("private-files")


def test_home_is_for_its_account_only(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    home = tmp_path / "deep" / "home"
    request.addfinalizer(partial(os.umask, os.umask(0)))  # any other umask hides more
    services = compose(Settings.load({"NOTED_HOME": str(home), "NOTED_EMBEDDER": "none"}))
    me = Scope("local")
    turn = last(services.assistant.ask("What is akin to quick?", me))
    list(services.assistant.clarify(turn.id, "I meant a synonym", me))
    last(services.assistant.ask("What is akin to brave?", me))
    services.settle()
    services.store.backup(home / "copy.zip")
    services.close()
    made = [home, *home.rglob("*")]
    assert len(made) > 10
    assert [path for path in made if stat.S_IMODE(path.stat().st_mode) & 0o077] == []


def test_open_home_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for mode, is_said in ((0o755, True), (0o750, True), (0o701, True), (0o700, False)):
        tmp_path.chmod(mode)
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            Settings.load({"NOTED_HOME": str(tmp_path)}).make_home()
        assert (f"chmod -R go= {tmp_path}" in caplog.text) is is_said


def test_page_needs_the_printed_token(tmp_path: Path) -> None:
    app = Starlette(routes=[Route("/{path:path}", lambda request: PlainTextResponse("the page"))])
    token = local_token(b"key")
    client = TestClient(LocalTokenMiddleware(app, token), base_url="http://localhost")
    client.cookies.set("noted_local", "wrong")
    elsewhere = (f"/robots.txt?token={token}", f"/page/memory/search?token={token}")
    for address in ("/", "/?token=", "/?token=wrong", *elsewhere):
        answer = client.get(address)
        assert (answer.status_code, "the page" in answer.text, "printed" in answer.text) == (401, False, True)
    assert client.get(f"/?token={token}").text == "the page"
    assert "token" not in str(client.get("/").url)
    assert client.get("/").text == "the page"
    for url in served_here(tmp_path, {"NOTED_LOCAL_TOKEN": "on"}):
        assert httpx2.get(url).status_code == 401
