"""Facts on the tab Teach: told in a sentence, read from a text, and all of them on the fact sheet."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Request, expect

from tests.ui.browser.conftest import OpenPage, on_phone
from tests.ui.browser.noted_page import NotedPage

TEXT = "Priya lives in Mumbai and works for Acme. What a day! My manager is Dana.\nThe capital of Zembla is Onhava."


def _said(role: str, *parts: object) -> dict[str, object]:
    return {"author": {"role": role}, "content": {"content_type": "text", "parts": [*parts]}}


def _wrote(sender: str, text: str) -> dict[str, str]:
    return {"sender": sender, "text": text}


HINDI = "मेरा मामा राम है।\r\nਮੇਰੀ ਮਾਸੀ ਸੀਤਾ ਹੈ।\r\n"
LONG = ("é " * 95_000)[:189_999]
FILES = {"utf-16": HINDI, "utf-8-sig": HINDI, "cp1252": "José’s café is in Málaga.\r\n"}
CHATS = (
    (
        [
            {"update_time": 2, "mapping": {"a": {"message": _said("user", "Later")}}},
            {"update_time": 1, "mapping": {"r": {"message": None}, "b": {"message": _said("user", "Earlier", {})}}},
            {"update_time": 3, "mapping": {"c": {"message": _said("assistant", "Not mine")}}},
        ],
        "Earlier\nLater",
    ),
    (
        [{"updated_at": "2026-01-02T00:00:00Z", "chat_messages": [_wrote("human", "Mine"), _wrote("assistant", "No")]}],
        "Mine",
    ),
    ([{"name": "something else"}], '[{"name": "something else"}]'),
)
# Of the three things of a line, which stand beside each other.
_MIDDLES = """row => [...row.children].slice(0, 3).map((cell) => cell.firstElementChild.getBoundingClientRect())
    .map(({ top, bottom }) => (top + bottom) / 2)"""


def rows(noted: NotedPage) -> Locator:
    return noted.page.locator("#sheet tbody tr")


@pytest.mark.promise("texts-are-read-by-sentence", "editors-files-are-read")
@on_phone
def test_facts_are_told_and_read(embedded_url: str, open_page: OpenPage, tmp_path: Path) -> None:
    noted = open_page(embedded_url)
    words = noted.words
    noted.open_tab(words["tab_teach"])
    told = noted.page.get_by_role("textbox", name=words["teach_sentence"])
    told.fill("The wifi password is on the fridge")
    told.press("Enter")
    expect(noted.page.get_by_text("Saved: The wifi password is on the fridge")).to_be_visible()
    noted.press(noted.page.locator(".tell-saved"), words["undo"])
    expect(told).to_be_focused()
    expect(noted.page.get_by_text("0 facts about 0 things")).to_be_visible()

    learn = noted.open_tool("learn")
    _choose_files(learn, tmp_path)
    _stop_reading(noted, learn)
    learn.get_by_role("textbox").fill(TEXT)
    noted.press(learn, words["learn_read"])
    boxes = learn.get_by_role("checkbox")
    expect(boxes).to_have_count(4)
    assert noted.fits()
    expect(learn.get_by_text(words["learn_skipped_one"].format(count=1))).to_be_visible()
    expect(learn.get_by_role("button", name=words["learn_keep_all"])).to_be_visible()
    learn.get_by_role("checkbox", name="Acme").uncheck()
    # Another card takes its place, and what was ticked is there again.
    noted.open_tool("practice")
    expect(boxes.first).to_be_hidden()
    noted.open_tool("learn")
    noted.press(learn, words["learn_keep_some"])
    expect(learn.get_by_text("Facts kept: 3.")).to_be_visible()
    expect(boxes).to_have_count(0)
    noted.press(noted.page, f"{words['talks_close']}: {words['learn_title']}")
    expect(noted.page.get_by_role("button", name=words["teach_paste"])).to_be_focused()
    expect(noted.page.get_by_text("3 facts about 3 things")).to_be_visible()
    told.fill("Dana works in Pune")
    told.press("Enter")
    expect(noted.page.get_by_text("4 facts about 4 things")).to_be_visible()
    noted.open_memory()
    expect(noted.entries.first).to_contain_text("Dana works in Pune")


def _choose_files(form: Locator, folder: Path) -> None:
    """Choose files, which fill the form as they were written, or are refused in one sentence."""
    text = form.locator("textarea")
    for chats, own in CHATS:
        (folder / "conversations.json").write_text(json.dumps(chats))
        form.locator("input[type=file]").set_input_files(folder / "conversations.json")
        expect(text).to_have_value(own)
    for encoding, written in FILES.items():
        (folder / "file.txt").write_bytes(written.encode(encoding))
        form.locator("input[type=file]").set_input_files(folder / "file.txt")
        expect(text).to_have_value(written.replace("\r\n", "\n"))
    (folder / "file.xlsx").write_bytes(b"PK\x03\x04\x14\x00\x06\x00\xff\xfe")
    form.locator("input[type=file]").set_input_files(folder / "file.xlsx")
    expect(form.get_by_role("alert")).to_contain_text("This file can’t be read as text.")
    (folder / "file.txt").write_bytes(b"a" * 200_000)
    form.locator("input[type=file]").set_input_files(folder / "file.txt")
    expect(form.get_by_role("alert")).to_contain_text("larger than 190 kB")
    (folder / "file.txt").write_bytes(LONG.encode("cp1252"))
    form.locator("input[type=file]").set_input_files(folder / "file.txt")
    expect(text).to_have_value(LONG)


def _stop_reading(noted: NotedPage, learn: Locator) -> None:
    """Stop reading and keep nothing."""
    lines = (f"Visitor{number} lives in Pune.\n" + f"What a day {number}!\n" * 4 for number in range(450))
    learn.get_by_role("textbox").fill("".join(lines))
    noted.press(learn, noted.words["learn_read"])
    expect(learn.get_by_role("checkbox").first).to_be_visible()
    noted.press(learn, noted.words["learn_stop"])
    expect(learn.get_by_role("button", name=noted.words["learn_read"])).to_be_visible()
    assert learn.get_by_role("checkbox").count() < 450
    noted.press(learn, noted.words["learn_keep_none"])
    expect(learn.get_by_role("checkbox")).to_have_count(0)


@pytest.mark.promise("sheet-shows-own-lines")
@on_phone
def test_sheet_is_filled_searched_and_changed(embedded_url: str, open_page: OpenPage, tmp_path: Path) -> None:
    noted = open_page(embedded_url, color_scheme="dark")
    words = noted.words
    sheet = noted.open_tool("sheet")
    expect(sheet.get_by_text(words["sheet_none"])).to_be_visible()
    file = tmp_path / "facts.csv"
    lines = "Nombre;Relación;Valor\r\nDana;works in;Pune\r\nI;manager;Dana\r\nZembla;capital;Onhava\r\n\r\n"
    file.write_bytes(f"{lines}only one".encode("cp1252"))
    sheet.locator("input[type=file]").set_input_files(file)
    expect(sheet.get_by_text("Line 1 is “Nombre · Relación · Valor”. Is it a header")).to_be_visible()
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
    rows(noted).filter(has_text="Pune").get_by_role("button", name="Dana", exact=True).click()
    expect(sheet.get_by_role("heading")).to_have_text("Facts about Dana")
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
    expect(rows(noted).locator(".entry-sure")).to_contain_text(words["forget_alone"])
    noted.page.get_by_role("button", name=f"{words['forget_yes']}: Zembla").click()
    expect(rows(noted)).to_have_count(2)
    _keep_what_was_done(noted, sheet)
    noted.page.set_viewport_size({"width": 1280, "height": 860})  # the columns have heads there
    head = sheet.get_by_role("button", name=words["sheet_subject"], exact=True)
    for direction, first in (("ascending", "Abe"), ("descending", "you")):
        head.click()
        expect(sheet.get_by_role("columnheader").first).to_have_attribute("aria-sort", direction)
        expect(rows(noted).first).to_contain_text(first)


def _keep_what_was_done(noted: NotedPage, sheet: Locator) -> None:
    """Change the sheet while it is being read and exported; the late answers undo nothing."""
    release = noted.hold(_reads)
    with noted.page.expect_request(_reads):
        noted.page.evaluate("window.dispatchEvent(new CustomEvent('noted:memory'))")
    noted.press(rows(noted).filter(has_text="Pune"), noted.words["sheet_take_off"])
    expect(rows(noted)).to_have_count(1)
    release()
    expect(rows(noted)).to_have_count(1)
    expect(sheet.get_by_role("status")).to_have_text(noted.words["sheet_taken_off"])

    noted.page.unroute_all()
    release = noted.hold(lambda request: "format" in _sent(request))
    with noted.page.expect_request(lambda request: "format" in _sent(request)):
        noted.press(sheet, noted.words["sheet_csv"])
    sheet.get_by_role("searchbox").fill("nobody")
    expect(rows(noted)).to_have_count(0)
    with noted.page.expect_download() as download:
        release()
    expect(sheet.get_by_role("status")).to_have_text(noted.words["sheet_exported"])
    expect(rows(noted)).to_have_count(0)
    written = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert written[0] == "subject,relation,object,since,from"
    assert written[1].startswith("I,manager,Dana,")
    assert len(written) == 2
    noted.page.unroute_all()
    sheet.get_by_role("searchbox").fill("")
    noted.page.get_by_role("textbox", name=noted.words["teach_sentence"]).fill("Abe works in Leeds")
    noted.page.keyboard.press("Enter")
    expect(rows(noted)).to_have_count(2)
    assert noted.fits()


def _sent(request: Request) -> Mapping[str, object]:
    """Return the data of a request."""
    sent = request.post_data_json if request.method == "POST" else None
    return (sent or {}).get("data") or {}


def _reads(request: Request) -> bool:
    """Return True if the request reads lines, and nothing else."""
    return _sent(request).keys() == {"of", "order", "backwards", "first", "search", "own"}
