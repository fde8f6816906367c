"""Windows that tests use one after another: of whoever used one, nothing stays in it."""

from __future__ import annotations

from tests.ui.windows import PHONE, Windows

LEAVE = "() => { localStorage.setItem('left', 'x'); sessionStorage.setItem('left', 'x'); document.cookie = 'left=x'; }"
FOUND = "() => JSON.stringify([localStorage, sessionStorage, document.cookie])"


def test_of_whoever_used_a_window_nothing_stays_in_it(windows: Windows, embedded_url: str) -> None:
    file = f"{embedded_url}theme.css"
    with windows.lend(**PHONE) as window:
        page = window.new_page()
        page.goto(file)
        page.evaluate(LEAVE)
        assert page.evaluate(FOUND).count("left") == 3
        window.route("**/*", lambda route: route.abort())
        window.set_offline(True)
    with windows.lend(**PHONE) as again:
        assert again is window
        assert page.is_closed()
        page = again.new_page()
        page.goto(file)
        assert page.evaluate(FOUND) == '[{},{},""]'


def test_two_at_once_and_one_that_is_asked_for_as_new_share_nothing(windows: Windows, embedded_url: str) -> None:
    with windows.lend(**PHONE) as window, windows.lend(**PHONE) as other, windows.lend(new=True, **PHONE) as new:
        window.add_cookies([{"name": "mine", "value": "x", "url": embedded_url}])
        assert other.cookies() == new.cookies() == []
