"""Clean a text of a person or a model: to keep and show it, for prompts, and for terminals.

A prompt also goes without invisible characters (`assistant.text.invisible`), with which a text could say one thing to a
person and another to a model; a terminal without commands.
"""

from __future__ import annotations

import re

from assistant.errors import EmptyText, TooLong
from assistant.text.invisible import without_invisible

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LINE_ENDS = re.compile("\r\n?|[\u0085\u2028\u2029]")
# Commands to a terminal, as ECMA-48 writes them: with parameters, with a text of their own, and short ones.
_COMMAND = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"
    "|(?:\x1b[]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x18\x1a\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\\\|\x9c)"
    "|\x1b[ -/]*[0-OQ-WYZ`-~]"
)
_DIRECTION = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def checked(text: str, limit: int) -> str:
    """Return a person's text, ready to be kept. Raises EmptyText, or TooLong: more than `limit` characters."""
    if len(text) > limit:
        raise TooLong(len(text), limit)
    text = storable(text).strip()
    if not for_prompt(text):
        raise EmptyText
    return text


def storable(text: str) -> str:
    """Return a text as it is stored: lone surrogates become U+FFFD, control characters go, line feeds and tabs stay."""
    if text.isprintable():
        return text
    return _CONTROL.sub("", _LINE_ENDS.sub("\n", join_halves(text)))


def join_halves(text: str) -> str:
    """Return a text with the halves of surrogate pairs joined, and U+FFFD for each lone one."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def printable(text: str) -> str:
    """Return a text for a terminal: without commands, and without marks that turn the direction of a line."""
    return _DIRECTION.sub("", storable(_COMMAND.sub("", text)))


def for_prompt(text: str) -> str:
    """Return a text without invisible characters, in composed form (NFC)."""
    return without_invisible(storable(text)).strip()
