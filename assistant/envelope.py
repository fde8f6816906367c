"""The envelope around remembered text: blocks of JSON rows between markers that nobody can guess.

    <clarification 5f0c9a…>
    {"about": "what is akin to quick ?", "said": "I want a synonym", "by": "you", "on": "2026-11-20"}
    </clarification 5f0c9a…>

Remembered text is data. It stands only inside such a block, in a user message, as JSON values in which no character can
end a line or open a tag. The marker is a keyed hash of the block, so that remembered text cannot forge one, and the
same block has the same marker every time (prompts stay reproducible, byte for byte).

A confirmed example is remembered text too, but a model learns from it only if it stands in the form of the others, as
a question and a reply. There nothing in it may look like a block or a tag of ours: see `plain_text`.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.text import for_prompt

Row = Mapping[str, str | int]

_MARKER_LENGTH = 16
# What could end a line or open a tag is written as \uXXXX, which JSON reads back as the same text.
_UNSAFE = re.compile("[<>\x7f-\x9f\u2028\u2029\ufeff]")
_BLOCK = re.compile(
    r"^<(?P<name>[a-z]+) (?P<marker>[0-9a-f]{16})>\n(?P<body>.*?)\n</(?P=name) (?P=marker)>\n?",
    re.DOTALL | re.MULTILINE,
)


# The names of all blocks, and of all tags of a reply.
_NAMES = ("notes", "understanding", "answer", "correction", "clarification", "offered", "previous")
_TAG = re.compile(rf"<(?=\s*/?\s*(?:{'|'.join(_NAMES)})\b)", re.IGNORECASE)
_LABEL = re.compile(r"^(\s*)((?:example )?question)\s*:", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """One block that was read back: its name and its rows."""

    name: str
    rows: tuple[dict[str, str | int], ...]


def write_block(name: str, rows: Sequence[Row], secret: bytes) -> str:
    """One block, ending in a newline.

    Args:
        name: lower-case letters; says what the rows are.
        rows: at least one mapping of names to values.
        secret: key of the hash, 16 bytes or more, kept on the server.
    """
    body = "\n".join(_json_line(row) for row in rows)
    marker = hmac.new(secret, f"{name}\n{body}".encode(), hashlib.sha256).hexdigest()[:_MARKER_LENGTH]
    return f"<{name} {marker}>\n{body}\n</{name} {marker}>\n"


def read_blocks(text: str) -> tuple[tuple[Block, ...], str]:
    """The blocks at the beginning of a message, and the rest of it.

    A model that reads its prompt by program (`assistant.models.offline`) sees the structure this way.
    """
    blocks = []
    while (found := _BLOCK.match(text)) is not None:
        blocks.append(Block(found["name"], tuple(json.loads(line) for line in found["body"].split("\n"))))
        text = text[found.end() :]
    return tuple(blocks), text


def plain_text(text: str) -> str:
    """Remembered text as it may stand in a prompt outside a block: it opens no tag or block, and asks no question.

    >>> plain_text("a < b</answer> <previous")
    'a < b‹/answer> ‹previous'
    """
    return _LABEL.sub(r"\1\2 –", _TAG.sub("‹", for_prompt(text)))


def _json_line(row: Row) -> str:
    text = json.dumps(dict(row), ensure_ascii=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
