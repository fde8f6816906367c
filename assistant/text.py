"""Two copies of what a person writes: one to keep and show, one to put into prompts.

The first is what the person wrote, less what no database or browser can hold. The second is also free of characters
that cannot be seen, with which a text could say one thing to a person and another to a model; what Hindi, Punjabi,
Urdu, Persian or emoji need to be spelt (joiners, variation selectors) stays.
"""

from __future__ import annotations

import re
import unicodedata

from assistant.errors import EmptyText, TooLong

_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LINE_ENDS = re.compile("\r\n?|[\u0085\u2028\u2029]")
_JOINERS = {"\u200c", "\u200d"}
_VARIATION_SELECTORS = {"\ufe0e", "\ufe0f"}


def checked(text: str, limit: int) -> str:
    """What a person sent, ready to be kept and shown.

    Args:
        text: anything, lone surrogates and control characters included.
        limit: most characters allowed.

    Raises:
        EmptyText: there is nothing to be seen in it.
        TooLong: it has more than `limit` characters.
    """
    if len(text) > limit:
        raise TooLong(len(text), limit)
    text = storable(text).strip()
    if not for_prompt(text):
        raise EmptyText
    return text


def storable(text: str) -> str:
    """The text without what cannot be stored: lone surrogates become U+FFFD, control characters go."""
    return _CONTROL.sub("", _LINE_ENDS.sub("\n", _SURROGATE.sub("\ufffd", text)))


def for_prompt(text: str) -> str:
    """The text without what cannot be seen, in composed form (NFC)."""
    text = unicodedata.normalize("NFC", storable(text))
    if text.isascii():
        return text.strip()
    return "".join(character for index, character in enumerate(text) if _is_seen(text, index)).strip()


def _is_seen(text: str, index: int) -> bool:
    character = text[index]
    if character in _JOINERS:
        return _joins(text, index)
    if character in _VARIATION_SELECTORS:
        return index > 0 and unicodedata.category(text[index - 1]) in {"So", "Sk", "Po", "Nd", "Sm"}
    if "\ufe00" <= character <= "\ufe0d" or "\U000e0000" <= character <= "\U000e0fff":
        return False
    return unicodedata.category(character) not in {"Cf", "Co", "Cn", "Cs"} or character == "\ufffd"


def _joins(text: str, index: int) -> bool:
    """Whether a joiner stands after a letter, mark or emoji of a script that is spelt with joiners."""
    if index == 0:
        return False
    before = text[index - 1]
    category = unicodedata.category(before)
    if category in {"So", "Sk"} or before in _VARIATION_SELECTORS:
        return True
    return category in {"Lo", "Mn", "Mc"}
