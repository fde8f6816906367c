"""The application below a root path, over HTTP: behind a proxy that strips the path, and one that does not."""

import re
from pathlib import Path

import pytest

from tests.support.people.api_client import ApiClient, token_for
from tests.support.people.page_client import PageClient
from tests.support.people.passwords import PEOPLE, with_passwords
from tests.support.servers.proxy import run_proxy
from tests.ui.conftest import served_here

pytestmark = pytest.mark.promise("proxy-paths")

BELOW = {"NOTED_ROOT_PATH": "/noted"}


# FastAPI filters this warning itself, which threads of a starting server undo.
@pytest.mark.filterwarnings("ignore::pydantic.warnings.UnsupportedFieldAttributeWarning")
@pytest.mark.parametrize("path", ["/noted", ""], ids=["stripped", "kept"])
def test_page_and_programs_work_below_a_path(path: str, tmp_path: Path) -> None:
    for url in served_here(tmp_path, BELOW | with_passwords()):
        secret = token_for("ann", tmp_path)
        with run_proxy(url, path) as front:
            base = front if path else f"{front}noted/"
            ann = PageClient(base)
            ann.http.post("login", data={"username": "ann", "password": PEOPLE["ann"]}).raise_for_status()
            files = re.findall(r'(?:href|src)="(?!data:)([^"]+)"', ann.open().page)
            assert files
            assert [ann.http.get(file).status_code for file in files] == [200] * len(files)
            assert ann.http.post("page/memory/search", json=ann.body({})).status_code == 200
            left = ann.http.get("logout", follow_redirects=True)
            assert str(left.url) == base
            assert "Use the name" in left.text
            ann.close()
            with ApiClient(base, secret) as program:
                program.call("remember", question="What is akin to quick?", text="a synonym")
                assert program.http.get("api/openapi.json").json()["servers"] == [{"url": "/noted"}]
                assert program.http.get("v1/models").json()["object"] == "list"
