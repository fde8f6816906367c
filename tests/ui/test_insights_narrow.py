"""On a narrow phone the numbers fit, or go on beside in a part that can be reached and scrolled with the keyboard."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.ui.conftest import OpenPage
from ui.notes import EXAMPLES

NARROW = {"viewport": {"width": 360, "height": 740}}
_SIDEWAYS = "part => [part.scrollLeft, part.scrollWidth - part.clientWidth]"
_HEAD_AT = "part => part.querySelector('tbody th').getBoundingClientRect().left - part.getBoundingClientRect().left"
_EDGE = "part => getComputedStyle(part).backgroundImage"


def test_numbers_that_do_not_fit_are_scrolled_with_the_keyboard(own_url: str, open_page: OpenPage) -> None:
    noted = open_page(own_url, local=True, **NARROW)
    noted.ask(EXAMPLES[0])
    noted.correct(noted.turn(0), "I meant a synonym")
    noted.turn(1)
    noted.ask("What is akin to brave?")
    noted.turn(2)
    noted.page.get_by_role("tab", name="Insights").click()
    tables = noted.page.locator(".insight-scroll")
    expect(tables).to_have_count(5)
    for summary in noted.page.locator(".insight-numbers summary").all():
        summary.click()
    beside = [table.evaluate(_SIDEWAYS)[1] for table in tables.all()]
    assert beside[0] > 0, "the widest one, of which this test tells, fits"
    assert beside[1:] == [0, 0, 0, 0]
    widest = tables.first
    assert "linear-gradient" in widest.evaluate(_EDGE)
    noted.page.locator(".insight-numbers summary").first.focus()
    noted.page.keyboard.press("Tab")
    expect(widest).to_be_focused()
    expect(noted.page.get_by_role("region", name="Corrections: The numbers")).to_be_focused()
    noted.page.keyboard.press("ArrowRight")
    noted.page.wait_for_function("document.querySelector('.insight-scroll').scrollLeft > 0")
    assert abs(widest.evaluate(_HEAD_AT)) < 1, "what the row is about went out of view"
    assert noted.width() == 360
