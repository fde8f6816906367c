"""Take pictures of every screen: in each language, on desktop and phone, light and dark, with the embedded model.

python -m tools.pictures.take_pictures [FOLDER]

Pictures are saved in FOLDER, by default `pictures`, which git ignores. Pictures for the documentation are also saved in
`docs/pictures`.
"""

import io
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from app import compose
from assistant.sentences import Sentence
from assistant.settings import Settings
from tools.pictures.screens import FIRST_USES, SCREENS, FirstUse, show
from ui.serve import launch
from ui.server.sign_in import format_password

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "pictures"
DOCUMENTATION = ROOT / "docs" / "pictures"
# Pictures of the documentation by name.
SHOWN = {
    "desktop-light-correcting.png": "correcting-en-desktop-light.png",
    "phone-dark-memory.png": "memory-en-phone-dark.png",
}
FILM = DOCUMENTATION / "correction.webp"
# Screens of the film, in milliseconds.
FILMED = {"start": 1500, "answer": 2000, "correcting": 2500, "saved": 3000, "comparing": 2500, "used": 4000}
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
SIZES = {"desktop": (1280, 860), "phone": (390, 844)}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
PATIENCE_MS = 120_000


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Yield an installed Chromium; waiting for the page lasts as long as on a slow machine."""
    path = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if path is None:
        sys.exit(f"There is no browser to take pictures with ({', '.join(CHROMIUMS)}).")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


def main(folder: Path = FOLDER) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with open_browser() as browser:
        for use, size in product(FIRST_USES.values(), SIZES):
            name = f"{use.language}-{size}"
            with served() as url:
                page = _open(browser, url, use, size)
                for screen in SCREENS:
                    show(page, use, screen)
                    _take(page, folder, f"{screen}-{name}")
                page.context.close()
            with served(NOTED_AUTH=format_password("ann", "a long password")) as url:
                page = _open(browser, url, use, size)
                _take(page, folder, f"sign_in-{name}")
                page.context.close()
        film(browser)
    for shown, name in SHOWN.items():
        shutil.copy(folder / name, DOCUMENTATION / shown)


def film(browser: Browser) -> None:
    """Write the pictures of a correction, one after the other, as the film of the README."""
    with served() as url:
        page, shots = _open(browser, url, FIRST_USES["en"], "desktop"), []
        page.set_viewport_size({"width": 960, "height": 560})
        for screen in FILMED:
            show(page, FIRST_USES["en"], screen)
            shots.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
        page.context.close()
    shots[0].save(FILM, save_all=True, append_images=shots[1:], duration=list(FILMED.values()), loop=0, quality=80)


def _take(page: Page, folder: Path, name: str) -> None:
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        page.screenshot(path=folder / f"{name}-{scheme}.png")


def _open(browser: Browser, url: str, use: FirstUse, size: str) -> Page:
    """Open the page as the local user with an empty memory."""
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height},
        is_mobile=size == "phone",
        has_touch=size == "phone",
        reduced_motion="reduce",
        locale={"en": "en-GB"}.get(use.language, f"{use.language}-IN"),
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(url)
    return page


@contextmanager
def served(**environment: str) -> Iterator[str]:
    """Serve the app with a temporary memory; yield its address."""
    with tempfile.TemporaryDirectory(prefix="noted-") as home:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = str(free.getsockname()[1])
        settings = Settings.load({"NOTED_HOME": home, "NOTED_PORT": port, **environment})
        # Show the usual folder, not the temporary one.
        note = Sentence("memory.in_folder", {"folder": "~/.local/share/noted"})
        services = replace(compose(settings), memory_note=lambda _: note)
        page = launch(services, settings, quiet=True)
        services.start()
        yield str(page.local_url)
        page.close(verbose=False)
        services.close()


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
