"""The page behind a proxy that strips a path."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.people.windows import Windows
from tests.support.servers.proxy import run_proxy
from tests.ui.browser.conftest import OpenPage
from tests.ui.conftest import served_here
from ui.words.texts import texts

pytestmark = pytest.mark.promise("proxy-paths")


def test_page_works_behind_proxies(open_page: OpenPage, windows: Windows, tmp_path: Path, embedded_url: str) -> None:
    """Open it below a path, with a setting that names the path and without one, and behind an unknown proxy."""
    with run_proxy(embedded_url, "/elsewhere") as front:
        noted = open_page(front)
        noted.put_right("What is akin to quick?", "I meant a synonym")
        noted.leave()
    for url in served_here(tmp_path, {"NOTED_ROOT_PATH": "/noted"}):
        with run_proxy(url, "/noted") as front:
            noted = open_page(front)
            noted.put_right("What is akin to quick?", "I meant a synonym")
            noted.reload()
            expect(noted.turn(0)).to_contain_text("akin to quick")
            noted.open_memory()
            expect(noted.entries).to_have_count(1)
            noted.leave()
    with run_proxy(embedded_url, "", {"Host": "inside.test"}) as front, windows.lend() as context:
        page = context.new_page()
        page.goto(front)
        expect(page.get_by_text(texts()["unknown_proxy"])).to_be_visible()
