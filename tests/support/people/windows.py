"""Windows to open pages in: one at a desk and one on a phone for test after test, and new ones."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, BrowserType

from tests.ui.browser.noted_page import PHONE_WIDTH

DESK: Mapping[str, Any] = {"viewport": {"width": 1280, "height": 860}}
PHONE: Mapping[str, Any] = {"viewport": {"width": PHONE_WIDTH, "height": 780}, "is_mobile": True, "has_touch": True}
_ALWAYS = {"locale": "en-GB", "reduced_motion": "reduce"}
_KEPT = {"desk": {**DESK, **_ALWAYS}, "phone": {**PHONE, **_ALWAYS}}
# What Playwright turns off, of which only the last list counts; the suggestions below the address, which Chromium
# makes two pages of its own for in each window; and the process that it starts for a page which may never come.
_FEATURES_OFF = (
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,"
    "LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,"
    "OptimizationHints,NetworkTimeServiceQuerying,WebUIOmniboxPopup,WebUIOmniboxAimPopup,SpareRendererForSitePerProcess"
)
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--no-first-run",
    "--in-process-gpu", "--disable-extensions", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", f"--disable-features={_FEATURES_OFF}",
)  # fmt: skip


class Windows:
    """Lends windows, each as if nobody had used it.

    A browser with a folder of its own keeps what it has loaded and compiled of a page. A new window does both anew,
    which takes longer than most tests; so windows that many tests want are used again, without what people leave.
    """

    def __init__(self, chromium: BrowserType, executable: str, folder: Path) -> None:
        self._chromium = chromium
        self._executable = executable
        self._folder = folder
        self._kept: dict[str, BrowserContext] = {}
        self._lent: set[str] = set()

    @contextmanager
    def lend(self, *, new: bool = False, **options: Any) -> Iterator[BrowserContext]:
        """A window with Playwright's options for the time of the block; a new one has nothing loaded or compiled.

        Only in a new one may a clock be set: nothing takes that out of a window again.
        """
        options = {**_ALWAYS, **options}
        name = next((name for name, kept in _KEPT.items() if kept == options), None)
        if new or name is None or name in self._lent:
            context = self._browser().new_context(**options)
            try:
                yield context
            finally:
                context.close()
            return
        self._lent.add(name)
        try:
            yield self._open(name)
        finally:
            _empty(self._open(name))
            self._lent.remove(name)

    def close(self) -> None:
        """End the browsers."""
        for context in self._kept.values():
            context.close()

    def _browser(self) -> Browser:
        """The one that runs, whichever it is."""
        browser = self._open(next(iter(self._kept), "desk")).browser
        assert browser
        return browser

    def _open(self, name: str) -> BrowserContext:
        if name not in self._kept:
            folder = self._folder / name
            self._kept[name] = self._chromium.launch_persistent_context(
                folder, executable_path=self._executable, args=_FLAGS, **_KEPT[name]
            )
        return self._kept[name]


def _empty(context: BrowserContext) -> None:
    """Take away all that a person leaves; what the browser has loaded and compiled stays."""
    own, *opened = context.pages
    for page in opened:
        page.close()
    context.unroute_all()
    context.set_offline(False)
    session = context.new_cdp_session(own)
    session.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "cookies,local_storage"})
    session.detach()
