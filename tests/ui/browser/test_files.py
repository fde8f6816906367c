"""Files as Excel and Notepad write them come into the forms as they were written, or are refused in one sentence."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.ui.browser.noted_page import NotedPage

pytestmark = pytest.mark.promise("editors-files-are-read")

HINDI = "मेरा मामा राम है।\r\nਮੇਰੀ ਮਾਸੀ ਸੀਤਾ ਹੈ।\r\n"
FILES = {"utf-16": HINDI, "utf-8-sig": HINDI, "cp1252": "José’s café is in Málaga.\r\n"}


@pytest.mark.parametrize("panel", ["learn", "study", "practice"])
def test_file_of_any_encoding_is_read(noted: NotedPage, tmp_path: Path, panel: str) -> None:
    noted.open_memory()
    form = noted.page.locator(f"#{panel}")
    form.locator("summary").press("Enter")
    text = form.locator("textarea").first
    for encoding, written in FILES.items():
        (tmp_path / "file.txt").write_bytes(written.encode(encoding))
        form.locator("input[type=file]").set_input_files(tmp_path / "file.txt")
        expect(text).to_have_value(written.replace("\r\n", "\n"))
    (tmp_path / "file.xlsx").write_bytes(b"PK\x03\x04\x14\x00\x06\x00\xff\xfe")
    form.locator("input[type=file]").set_input_files(tmp_path / "file.xlsx")
    expect(form.get_by_role("alert")).to_contain_text("This file cannot be read as text.")
    expect(text).to_have_value(written.replace("\r\n", "\n"))
    (tmp_path / "file.txt").write_bytes(b"a" * 200_000)
    form.locator("input[type=file]").set_input_files(tmp_path / "file.txt")
    expect(form.get_by_role("alert")).to_contain_text("larger than 190 kB")
    (tmp_path / "file.txt").write_bytes(("é" * 189_999).encode("cp1252"))
    form.locator("input[type=file]").set_input_files(tmp_path / "file.txt")
    expect(text).to_have_value("é" * 189_999)
