"""Clean a text of a user or a model: for storage, prompts, and terminals.

Prompts must not have invisible characters (`assistant.text.invisible`), which models read and people do not see.
Terminals must not get escape sequences.
"""

from __future__ import annotations

import re

from assistant.errors import EmptyText, TooLong
from assistant.text.invisible import remove_invisible

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LINE_ENDS = re.compile("\r\n?|[\u0085\u2028\u2029]")
# Escape sequences of ECMA-48: control sequences, control strings, and short ones.
_COMMAND = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"
    "|(?:\x1b[]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x18\x1a\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\\\|\x9c)"
    "|\x1b[ -/]*[0-OQ-WYZ`-~]"
)
_DIRECTION = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def check_text(text: str, limit: int) -> str:
    """Return a user's text for storage. Raises EmptyText, or TooLong if it has more than `limit` characters."""
    if len(text) > limit:
        raise TooLong(len(text), limit)
    text = clean_text(text).strip()
    if not clean_for_prompt(text):
        raise EmptyText
    return text


def clean_text(text: str) -> str:
    """Clean a text for storage: lone surrogates become U+FFFD; control characters go, except line feeds and tabs."""
    if text.isprintable():
        return text
    return _CONTROL.sub("", _LINE_ENDS.sub("\n", join_halves(text)))


def join_halves(text: str) -> str:
    """Join surrogate pairs in a text, and replace lone surrogates by U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def clean_for_terminal(text: str) -> str:
    """Clean a text for a terminal: without escape sequences and direction marks."""
    return _DIRECTION.sub("", clean_text(_COMMAND.sub("", text)))


def clean_for_prompt(text: str) -> str:
    """Clean a text for a prompt: without invisible characters, in composed form (NFC)."""
    return remove_invisible(clean_text(text)).strip()
