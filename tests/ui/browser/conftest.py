"""A browser, and pages that are opened in it."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, sync_playwright

from tests.support.people.windows import DESK, PHONE, Windows
from tests.ui.browser.noted_page import NotedPage

OpenPage = Callable[..., NotedPage]
Window = Mapping[str, Any]
Scheme = Literal["light", "dark"]
_CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
_LOCALES = {"en": "en-GB", "hi": "hi-IN", "pa": "pa-IN"}
on_phone = pytest.mark.parametrize("window", ["phone"], indirect=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the tests so that two workers, which begin at both ends, need one browser each."""
    items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    """Return the place of a test: of those of the page, first what opens a phone, last what opens a desk."""
    if "tests/ui" not in str(item.path):
        return 0
    if not item.get_closest_marker("browser"):
        return 2
    called = getattr(item, "callspec", None)
    return 1 if called and "window" in called.params else 3


@pytest.fixture(scope="session")
def windows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windows]:
    """Yield windows of an installed Chromium. Where there is none, fail in CI and skip elsewhere."""
    path = next(filter(None, map(shutil.which, _CHROMIUMS)), None)
    if path is None:
        say = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        say(f"The page was not tested: there is no browser ({', '.join(_CHROMIUMS)}).")
    with sync_playwright() as playwright:
        lent = Windows(playwright.chromium, path, tmp_path_factory.mktemp("browsers"))
        yield lent
        lent.close()


@pytest.fixture
def window(request: pytest.FixtureRequest) -> Window:
    """Return the window that pages are opened in: at a desk, unless a test is decorated with `on_phone`."""
    return PHONE if hasattr(request, "param") else DESK


@pytest.fixture
def open_page(windows: Windows, window: Window) -> Iterator[OpenPage]:
    """Yield a function that opens an address in a new window, as a new visitor or as the local person.

    Errors in the page and requests to elsewhere fail the test.
    """
    opened: list[NotedPage] = []

    def open_at(
        url: str,
        query: str = "",
        *,
        local: bool = False,
        language: str = "en",
        color_scheme: Scheme = "light",
        sign_in: Callable[[Page], None] = lambda page: None,
        **options: Any,
    ) -> NotedPage:
        context = lent.enter_context(windows.lend(**{**window, "locale": _LOCALES[language], **options}))
        context.set_extra_http_headers({} if local else {"X-Forwarded-For": "192.0.2.1"})
        page = context.new_page()
        page.emulate_media(color_scheme=color_scheme)
        opened.append(NotedPage(page, url, language))
        return opened[-1].open(query, sign_in)

    with ExitStack() as lent:
        yield open_at
        problems = [problem for page in opened for problem in page.problems]
    assert problems == []


@pytest.fixture
def noted(embedded_url: str, open_page: OpenPage) -> NotedPage:
    """Open the page on the embedded model as a new visitor."""
    return open_page(embedded_url)
