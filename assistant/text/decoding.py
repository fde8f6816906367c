"""Decode the bytes of a user's file: UTF-8, UTF-16, UTF-32, or an encoding of Windows or the Mac."""

from __future__ import annotations

import codecs
import re
import unicodedata

from assistant.errors import InputError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is a prefix of it
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WINDOWS, _MAC = "cp1252", "mac_roman"
# Few, since a short file may look valid in any encoding.
_OTHER_SCRIPTS = ["cp1251", "cp1253", "cp932", "cp949", "gb18030", "big5"]
_SAMPLE = 64_000  # bytes or characters to examine
_MOST_ODD = 0.02  # maximum share of control and unassigned characters (such as new emoji)
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f\x7f]")
_PAIRS = re.compile(rb"(?=[\x80-\xff]{2})")
_AMONG_LATIN = re.compile(rb"[A-Za-z](?=[\x80-\xff])|[\x80-\xff](?=[A-Za-z])")


class UnreadableFile(InputError):
    code = "file.unreadable"


def decode(content: bytes) -> str:
    """Decode a file, without a byte order mark, in linear time.

    Raises UnreadableFile if it is no text or damaged; no characters are dropped or replaced.
    """
    try:
        for mark, encoding in _MARKS:
            if content.startswith(mark):
                return _checked(content.decode(encoding))
        if b"\0" in content:
            # By the positions of the zero bytes of spaces, separators and line ends.
            return _checked(content.decode("utf-16-be" if b"\0" in content[:_SAMPLE:2] else "utf-16-le"))
        try:
            return content.decode()
        except UnicodeDecodeError as error:
            _check_for_damage(content, error)
        return content.decode(_legacy_encoding(content))
    except UnicodeError:
        raise UnreadableFile from None


def _checked(decoded: str) -> str:
    """Return a text without a byte order mark. Raises UnreadableFile for binary data, which may be valid UTF-16."""
    sample = decoded[:_SAMPLE]
    odd = sum(unicodedata.category(sign) in {"Cc", "Cn"} and not sign.isspace() for sign in sample)
    if "\0" in decoded or odd > _MOST_ODD * len(sample):
        raise UnreadableFile
    return decoded.removeprefix("\ufeff")


def _check_for_damage(content: bytes, error: UnicodeDecodeError) -> None:
    """Raise UnreadableFile if most of the non-ASCII text is UTF-8, so that the rest is damaged."""
    read = content.decode(errors="replace")
    damaged = read.count("\ufffd")
    if sum(sign > "\x7f" for sign in read) > 2 * damaged:
        raise UnreadableFile("file.damaged_line", number=content.count(b"\n", 0, error.start) + 1)


def _legacy_encoding(content: bytes) -> str:
    """Guess an encoding of one or two bytes by the non-ASCII lines. Raises UnreadableFile for binary data."""
    from charset_normalizer import from_bytes  # few files need it

    sample = b"\n".join(line for line in content.splitlines() if not line.isascii())[:_SAMPLE]
    if _CONTROLS.search(content):
        raise UnreadableFile
    usual = _MAC if b"\r" in content and b"\n" not in content else _WINDOWS
    # In Latin scripts some letters are non-ASCII, in others all letters of a word.
    if len(_PAIRS.findall(sample)) <= len(_AMONG_LATIN.findall(sample)):
        return usual
    found = from_bytes(sample, cp_isolation=_OTHER_SCRIPTS).best()
    return found.encoding if found else usual
