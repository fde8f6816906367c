"""Browser windows for tests: one for desktop and one for phone, reused, and new ones."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, BrowserType

from tests.ui.browser.noted_page import PHONE_WIDTH

DESK: Mapping[str, Any] = {"viewport": {"width": 1280, "height": 860}}
PHONE: Mapping[str, Any] = {"viewport": {"width": PHONE_WIDTH, "height": 780}, "is_mobile": True, "has_touch": True}
_ALWAYS = {"locale": "en-GB", "reduced_motion": "reduce"}
_KEPT = {"desk": {**DESK, **_ALWAYS}, "phone": {**PHONE, **_ALWAYS}}
# Features that Playwright disables, since only the last list counts; suggestions below the address, for which Chromium
# makes two pages per window; and the spare renderer process.
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
    """Lends browser windows without traces of earlier use.

    A browser with its own folder caches loaded and compiled pages; a new window has to repeat both, which takes longer
    than most tests. So common windows are reused after their storage is cleared.
    """

    def __init__(self, chromium: BrowserType, executable: str, folder: Path) -> None:
        self._chromium, self._executable, self._folder = chromium, executable, folder
        self._kept: dict[str, BrowserContext] = {}
        self._lent: set[str] = set()

    @contextmanager
    def lend(self, *, new: bool = False, **options: Any) -> Iterator[BrowserContext]:
        """Yield a window with Playwright's options; a `new` one has nothing cached.

        Only a new one may get a fake clock, which cannot be removed.
        """
        options = {**_ALWAYS, **options}
        name = next((name for name, kept in _KEPT.items() if kept == options), None)
        if new or name is None or name in self._lent:
            browser = self._open(next(iter(self._kept), "desk")).browser
            assert browser
            with browser.new_context(**options) as context:
                yield context
            return
        self._lent.add(name)
        try:
            yield self._open(name)
        finally:
            self._empty(name)
            self._lent.remove(name)

    def close(self) -> None:
        """Close the browsers."""
        for context in self._kept.values():
            context.close()

    def _open(self, name: str) -> BrowserContext:
        if name not in self._kept:
            self._kept[name] = self._chromium.launch_persistent_context(
                self._folder / name, executable_path=self._executable, args=_FLAGS, **_KEPT[name]
            )
        return self._kept[name]

    def _empty(self, name: str) -> None:
        """Clear everything that a user leaves in a window; its caches stay."""
        own, *opened = self._open(name).pages
        for page in opened:
            page.close()
        context = own.context
        context.unroute_all()
        context.set_offline(False)
        session = context.new_cdp_session(own)
        session.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "cookies,local_storage"})
        session.detach()
