"""The fact sheet, on the page Memory: sorted, searched, changed, one thing's page, files, forgotten."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Request, expect

from tests.ui.browser.conftest import OpenPage, each_window
from tests.ui.browser.noted_page import NotedPage

pytestmark = pytest.mark.promise("sheet-shows-own-lines")

# Of the three things of a line, which stand beside each other.
_MIDDLES = """row => [...row.children].slice(0, 3).map((cell) => cell.firstElementChild.getBoundingClientRect())
    .map(({ top, bottom }) => (top + bottom) / 2)"""


def rows(noted: NotedPage) -> Locator:
    return noted.page.locator("#sheet tbody tr")


def opened(noted: NotedPage) -> Locator:
    noted.open_memory()
    noted.page.locator("#sheet summary").click()
    return noted.page.locator("#sheet")


@each_window()
def test_sheet_is_filled_searched_and_changed(embedded_url: str, open_page: OpenPage, tmp_path: Path) -> None:
    noted = open_page(embedded_url, color_scheme="dark")
    words = noted.words
    sheet = opened(noted)
    expect(sheet.get_by_text(words["sheet_none"])).to_be_visible()
    file = tmp_path / "facts.csv"
    lines = "Nombre;Relación;Valor\r\nDana;works in;Pune\r\nI;manager;Dana\r\nZembla;capital;Onhava\r\n\r\n"
    file.write_bytes(f"{lines}only one".encode("cp1252"))
    sheet.locator("input[type=file]").set_input_files(file)
    expect(sheet.get_by_text("Line 1 is “Nombre · Relación · Valor”. Is it the header")).to_be_visible()
    assert noted.fits()
    noted.press(sheet, words["header_yes"])
    expect(sheet.get_by_role("alert")).to_contain_text("Line 6: ")
    expect(rows(noted)).to_have_count(0)
    file.write_bytes(lines.encode("cp1252"))
    sheet.locator("input[type=file]").set_input_files(file)
    noted.press(sheet, words["header_yes"])
    expect(rows(noted)).to_have_count(3)
    expect(sheet.get_by_role("button", name=words["header_no"])).to_have_count(0)
    assert noted.fits()

    sheet.get_by_role("searchbox").fill("Onhava")
    expect(rows(noted)).to_have_count(1)
    sheet.get_by_role("searchbox").fill("")
    expect(rows(noted)).to_have_count(3)

    rows(noted).filter(has_text="Pune").get_by_role("button", name="Dana", exact=True).click()
    expect(sheet.get_by_role("heading")).to_have_text("All that is known of Dana")
    expect(rows(noted)).to_have_count(2)
    expect(rows(noted).filter(has_text="my manager is Dana")).to_have_count(1)
    noted.press(sheet, words["sheet_all"])
    expect(rows(noted)).to_have_count(3)
    middles = rows(noted).first.evaluate(_MIDDLES)
    assert max(middles) - min(middles) <= 2

    noted.press(rows(noted).filter(has_text="Onhava"), words["keep_change"])
    sheet.get_by_role("textbox", name=words["sheet_object"], exact=True).fill("Onhava City")
    noted.page.keyboard.press("Enter")
    expect(rows(noted).filter(has_text="Onhava City")).to_have_count(1)

    noted.press(rows(noted).filter(has_text="Onhava City"), words["forget"])
    expect(rows(noted).locator(".entry-sure")).to_contain_text("Nothing else is deleted with it")
    noted.page.get_by_role("button", name=f"{words['forget_yes']}: Zembla").click()
    expect(rows(noted)).to_have_count(2)
    noted.press(rows(noted).filter(has_text="Pune"), words["sheet_take_off"])
    expect(rows(noted)).to_have_count(1)
    with noted.page.expect_download() as download:
        noted.press(sheet, words["sheet_csv"])
    written = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert written[0] == "subject,relation,object,since,from"
    assert written[1].startswith("I,manager,Dana,")
    assert len(written) == 2
    assert noted.fits()


def test_sheet_is_sorted_and_keeps_what_was_done(embedded_url: str, open_page: OpenPage, tmp_path: Path) -> None:
    noted = open_page(embedded_url)
    sheet = opened(noted)
    file = tmp_path / "facts.csv"
    file.write_text("subject,relation,object\nDana,works in,Pune\nAbe,works in,Leeds\nCleo,works in,Ulm\n")
    sheet.locator("input[type=file]").set_input_files(file)
    expect(rows(noted)).to_have_count(3)
    head = sheet.get_by_role("button", name=noted.words["sheet_subject"], exact=True)
    for places in (("Abe", "Cleo", "Dana"), ("Dana", "Cleo", "Abe")):
        head.click()
        for at, name in enumerate(places):
            expect(rows(noted).nth(at)).to_contain_text(name)
    release = noted.hold(_reads)
    with noted.page.expect_request(_reads):
        noted.page.evaluate("window.dispatchEvent(new CustomEvent('noted:memory'))")
    noted.press(rows(noted).filter(has_text="Pune"), noted.words["sheet_take_off"])
    expect(rows(noted)).to_have_count(2)
    release()  # lines that were read before it
    expect(rows(noted)).to_have_count(2)
    expect(sheet.get_by_role("status")).to_have_text(noted.words["sheet_taken_off"])

    noted.page.unroute_all()
    release = noted.hold(lambda request: "format" in _sent(request))
    with noted.page.expect_request(lambda request: "format" in _sent(request)):
        noted.press(sheet, noted.words["sheet_csv"])
    sheet.get_by_role("searchbox").fill("Abe")
    expect(rows(noted)).to_have_count(1)
    with noted.page.expect_download():
        release()
    expect(sheet.get_by_role("status")).to_have_text(noted.words["sheet_exported"])
    expect(rows(noted)).to_have_count(1)


def _sent(request: Request) -> Mapping[str, object]:
    """What the page tells the server by a request."""
    sent = request.post_data_json if request.method == "POST" else None
    return (sent or {}).get("data") or {}


def _reads(request: Request) -> bool:
    """Whether the page asks for lines, and for nothing else."""
    return _sent(request).keys() == {"of", "order", "backwards", "first", "search", "own"}
