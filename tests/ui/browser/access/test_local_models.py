"""A model of this machine from the start of a conversation: downloaded, stopped, gone on with, and used."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.servers.hub import Handler, Hub, cut_file
from tests.support.tiny_gguf import write_tiny_gguf
from tests.ui.browser.conftest import OpenPage, on_phone

NAME = "qwen2.5-0.5b"
FILE, REPO = "qwen2.5-0.5b-instruct-q4_k_m.gguf", "Qwen/Qwen2.5-0.5B-Instruct-GGUF"
WINDOW = 16_384  # a letter is a token
GET = "Get a local model (1.1 GB)"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with Hub({FILE: write_tiny_gguf(tmp_path / "tiny.gguf", WINDOW).read_bytes()}, REPO) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        yield hub


@on_phone
def test_local_model_is_got_and_used(own_url: str, open_page: OpenPage, hub: Hub) -> None:
    visitor = open_page(own_url)
    expect(visitor.page.get_by_text(visitor.words["start_small"])).to_be_visible()
    expect(visitor.page.locator(".head-chip")).to_have_text("Connect a model")
    expect(visitor.page.get_by_role("button", name=GET)).to_be_hidden()

    noted, go_on = open_page(own_url, local=True), threading.Event()
    row = noted.model.get_by_role("listitem").filter(has_text=NAME)

    def half(handler: Handler) -> None:
        cut_file(handler)
        go_on.wait()

    hub.faults[FILE] = [half, cut_file]
    noted.press(noted.page, GET)
    expect(row).to_contain_text("500 MB · 800 MB of memory · not tested")
    expect(row).to_contain_text("Apache-2.0")
    assert hub.asked == []
    assert noted.fits()
    noted.press(row, f"Download: {NAME}")
    expect(row).to_contain_text(f"{len(hub.files[FILE]) / 2e6:.1f} MB of {len(hub.files[FILE]) / 1e6:.1f} MB")
    stop = row.get_by_role("button", name=f"Stop: {NAME}")
    expect(stop).to_be_focused()
    expect(noted.model.get_by_role("button", name="Download: gemma-3-1b")).to_be_disabled()
    noted.reload()
    noted.press(noted.page, GET)
    expect(row.get_by_role("progressbar")).to_have_attribute("value", str(len(hub.files[FILE]) // 2))
    stop.click()
    get = row.get_by_role("button", name=f"Download: {NAME}")
    expect(get).to_be_focused()
    get.click()
    go_on.set()
    expect(row.get_by_role("alert")).to_have_text(
        "The download stopped. Get the model again to continue where it stopped."
    )
    get.click()
    use = row.get_by_role("button", name=f"Use: {NAME}")
    expect(use).to_be_focused()
    expect(noted.model.get_by_role("listitem").first).to_contain_text(NAME)
    use.click()
    expect(noted.model).to_be_hidden()
    expect(noted.page.get_by_role("button", name=f"Model: {NAME}")).to_be_visible()
    noted.ask("What is akin to quick?")
    expect(noted.turn(0).locator(".answer")).not_to_be_empty()
    noted.open_model()
    expect(noted.model).to_contain_text(f"{NAME} answers on this machine. Nothing you write is sent elsewhere.")
