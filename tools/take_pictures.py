"""Takes the pictures of the documentation: the page as it is, on the embedded model, in an installed browser.

python -m tools.take_pictures [FOLDER]
"""

from __future__ import annotations

import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, expect, sync_playwright

from app import compose
from assistant.settings import Settings
from ui.notes import EXAMPLES
from ui.serve import launch

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
DESKTOP, PHONE = (1280, 860), (390, 844)
PATIENCE_MS = 120_000
Scheme = Literal["light", "dark"]


def main(folder: Path = FOLDER) -> None:
    """Write the pictures as PNG files.

    Args:
        folder: where to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if path is None:
        sys.exit(f"There is no browser to take pictures with ({', '.join(CHROMIUMS)}).")
    with _served() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        _desktop(browser, url, folder)
        _phone(browser, url, folder)
        browser.close()


def _desktop(browser: Browser, url: str, folder: Path) -> None:
    page = _open(browser, url, DESKTOP, "light", visitor=1)
    page.screenshot(path=folder / "desktop-light-start.png")
    _ask(page, EXAMPLES[0])
    _write_correction(page, 0, "a synonym")
    page.screenshot(path=folder / "desktop-light-correcting.png")
    page.keyboard.press("Control+Enter")
    _settled(page, 1)
    _ask(page, "What is akin to brave?")
    page.get_by_role("article").nth(2).locator("summary").click()
    _show_from(page, 1)
    page.screenshot(path=folder / "desktop-light-remembered.png")

    _ask(page, EXAMPLES[1])
    _ask(page, "nahi, mera matlab samanarthi shabd")
    _settled(page, 5)
    _ask(page, "brave jaisa koi shabd batao")
    page.emulate_media(color_scheme="dark")
    expect(page.locator("body.dark")).to_be_attached()
    _show_from(page, 4)
    page.screenshot(path=folder / "desktop-dark-hindi.png")

    page.get_by_role("tab", name="Memory").click()
    expect(page.locator(".memory-entry")).not_to_have_count(0)
    page.evaluate("window.scrollTo(0, 0)")
    page.screenshot(path=folder / "desktop-dark-memory.png")


def _phone(browser: Browser, url: str, folder: Path) -> None:
    page = _open(browser, url, PHONE, "light", visitor=2)
    page.screenshot(path=folder / "phone-light-start.png")
    _ask(page, EXAMPLES[0])
    _write_correction(page, 0, "a synonym")
    page.screenshot(path=folder / "phone-light-correcting.png")
    page.keyboard.press("Control+Enter")
    _settled(page, 1)
    page.emulate_media(color_scheme="dark")
    expect(page.locator("body.dark")).to_be_attached()
    _ask(page, "What is akin to brave?")
    page.get_by_role("article").nth(2).locator("summary").click()
    page.screenshot(path=folder / "phone-dark-remembered.png")
    page.get_by_role("tab", name="Memory").click()
    expect(page.locator(".memory-entry")).not_to_have_count(0)
    page.evaluate("window.scrollTo(0, 0)")
    page.screenshot(path=folder / "phone-dark-memory.png")


def _open(browser: Browser, url: str, size: tuple[int, int], scheme: Scheme, *, visitor: int) -> Page:
    """The page, as a visitor with an empty memory."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        is_mobile=size == PHONE,
        has_touch=size == PHONE,
        color_scheme=scheme,
        reduced_motion="reduce",
        locale="en-GB",
        extra_http_headers={"X-Forwarded-For": f"192.0.2.{visitor}"},
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(url)
    expect(page.get_by_role("button", name=EXAMPLES[0])).to_be_visible(timeout=PATIENCE_MS)
    return page


def _ask(page: Page, text: str) -> None:
    turns = page.get_by_role("article").count()
    field = page.get_by_role("textbox", name="Your message")
    field.fill(text)
    field.press("Enter")
    _settled(page, turns)
    field.blur()


def _write_correction(page: Page, turn: int, words: str) -> None:
    page.get_by_role("article").nth(turn).get_by_role("button", name="No, I meant …").click()
    page.keyboard.type(words)


def _settled(page: Page, turn: int) -> None:
    article = page.get_by_role("article").nth(turn)
    expect(article).to_have_attribute("aria-busy", "false", timeout=PATIENCE_MS)


def _show_from(page: Page, turn: int) -> None:
    page.get_by_role("article").nth(turn).evaluate("article => article.scrollIntoView()")


@contextmanager
def _served() -> Iterator[str]:
    """The address of the application, with a memory that is thrown away."""
    with tempfile.TemporaryDirectory(prefix="noted-") as home:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = str(free.getsockname()[1])
        settings = Settings.load({"NOTED_HOME": home, "NOTED_PORT": port})
        # What a reader would see: not where the pictures were taken.
        services = replace(compose(settings), memory_note="Memory is kept in ~/.local/share/noted.")
        page = launch(services, settings, quiet=True)
        services.start()
        yield str(page.local_url)
        page.close(verbose=False)
        services.close()


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
