"""Film a correction for the README: `python -m tools.pictures.film_correction` writes docs/pictures/correction.webp."""

import io
from collections.abc import Iterator

from PIL import Image
from playwright.sync_api import Page, expect

from tools.pictures.take_pictures import DOCUMENTATION, open_browser, served
from ui.words.texts import ENGLISH

FILM = DOCUMENTATION / "correction.webp"
QUESTION, MEANT, LIKE_IT = "What does light mean?", "the opposite of it", "what does cold mean"
_SIZE = {"width": 960, "height": 560}
_LETTERS = 3  # typed between two frames

Frame = tuple[bytes, int]  # a screenshot, and for how many milliseconds it is shown


def film(page: Page) -> Iterator[Frame]:
    """Yield frames of a question, its correction, and a later question that uses it."""
    ask = page.get_by_role("textbox", name=ENGLISH["message"])
    yield page.screenshot(), 900
    yield from _typed(page, QUESTION)
    yield from _sent(page, 0, 1800)
    page.get_by_role("button", name=ENGLISH["no_i_meant"]).click()
    yield from _typed(page, MEANT)
    yield from _sent(page, 0, 2000)
    page.get_by_text(ENGLISH["reach_way"]).click()
    expect(page.get_by_role("radio", name=ENGLISH["reach_way"])).to_be_checked()
    yield page.screenshot(), 1500
    ask.focus()
    yield from _typed(page, LIKE_IT)
    yield from _sent(page, 1, 4000)


def _typed(page: Page, text: str) -> Iterator[Frame]:
    for start in range(0, len(text), _LETTERS):
        page.keyboard.type(text[start : start + _LETTERS])
        yield page.screenshot(), 120
    yield page.screenshot(), 500


def _sent(page: Page, card: int, shown: int) -> Iterator[Frame]:
    page.keyboard.press("Enter")
    turn = page.get_by_role("article").nth(card)
    expect(turn).to_have_attribute("aria-busy", "false")
    expect(turn.locator(".answer")).not_to_be_empty()
    yield page.screenshot(), shown


def main() -> None:
    """Film it on the embedded model, with an empty memory."""
    with open_browser() as browser, served() as url:
        page = browser.new_page(viewport=_SIZE, reduced_motion="reduce", locale="en-GB")  # type: ignore[arg-type]
        page.goto(url)
        expect(page.get_by_role("textbox", name=ENGLISH["message"])).to_be_focused()
        frames = list(film(page))
    first, *others = (Image.open(io.BytesIO(shot)).convert("RGB") for shot, _ in frames)
    durations = [shown for _, shown in frames]
    first.save(FILM, save_all=True, append_images=others, duration=durations, loop=0, quality=80, method=4)


if __name__ == "__main__":
    main()
