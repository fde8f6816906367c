"""Files are decoded as Excel, Notepad and the Mac write them, or refused whole."""

import codecs
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.text.decoding import UnreadableFile, decode

pytestmark = pytest.mark.promise("editors-files-are-read")

WRITTEN = 'question,answer\r\n"मेरा मामा\nकौन है?",राम\r\nਮੇਰਾ ਮਾਮਾ ਕੌਣ ਹੈ?,ਰਾਮ 🙂\r\n\r\n'
ZIP = b"PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00bytes of a workbook\xff\xfe\x00"
IMAGE = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_unicode_comes_through_exactly(encoding: str) -> None:
    assert decode(WRITTEN.encode(encoding)) == WRITTEN
    assert decode(codecs.BOM_UTF16_BE + WRITTEN.encode("utf-16-be")) == WRITTEN


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "It’s my friend’s “best” café – €5,yes\r\n"),
        ("cp1252", "a?,naïve\r\n"),
        ("cp1251", "да,нет\r\n"),
        ("mac_roman", "Who is “Zoë”?,José’s aunt\r"),
        ("cp932", "名前は何ですか？,太郎です\r\n東京はどこですか？,日本の首都です\r\n"),
    ],
)
def test_legacy_encoding_is_detected(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)) == text
    far = ("plain,ascii" + text[-1]) * 20_000 + text  # behind what the detection looks at
    assert decode(far.encode(encoding)) == far


@pytest.mark.parametrize("content", [ZIP, IMAGE, bytes(range(256)), b"a,b\n\x00", WRITTEN.encode("utf-16")[:-1]])
def test_binary_file_is_refused(content: bytes) -> None:
    with pytest.raises(UnreadableFile, match="cannot be read as text"):
        decode(content)


@pytest.mark.parametrize("damage", [b"\xff", b"\xe0\xa4", b"\xc3("])
def test_damaged_utf8_is_refused_by_line(damage: bytes) -> None:
    with pytest.raises(UnreadableFile, match="Line 5 "):
        decode(WRITTEN.encode()[:-2] + damage)


@given(st.binary(max_size=200))
def test_any_bytes_are_text_or_refused(content: bytes) -> None:
    with suppress(UnreadableFile):
        assert "\0" not in decode(content)
