"""Two copies of what a person writes: one to keep and show, one to put into prompts.

The first is what the person wrote, less what no database or browser can hold. The second is also free of characters
that cannot be seen (`assistant.text.invisible`), with which a text could say one thing to a person and another to a
model.
"""

from __future__ import annotations

import re

from assistant.errors import EmptyText, TooLong
from assistant.text.invisible import without_invisible

_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LINE_ENDS = re.compile("\r\n?|[\u0085\u2028\u2029]")


def checked(text: str, limit: int) -> str:
    """What a person sent (anything), ready to be kept and shown.

    Raises EmptyText where there is nothing to be seen in it, TooLong where it has more than `limit` characters.
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
    return without_invisible(storable(text)).strip()
