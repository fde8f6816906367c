"""The envelope around remembered text: blocks of JSON rows between markers that nobody can guess.

    <clarification 5f0c9a…>
    {"about": "what is akin to quick ?", "said": "I want a synonym", "by": "you", "on": "2026-11-20"}
    </clarification 5f0c9a…>

Remembered text is data. It stands only inside such a block, in a user message, as JSON values in which no character can
end a line or open a tag. The marker is a keyed hash of the block, so that remembered text cannot forge one, and the
same block has the same marker every time (prompts stay reproducible, byte for byte).

What stands outside of a block (the question, the turns before, confirmed examples: a model learns from these only if
they stand in the form of the others) is `plain_text`. Both forms hold the text as it is seen
(`assistant.text.cleaning.for_prompt`). There is no third way into a prompt.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from assistant.text.cleaning import for_prompt

Row = Mapping[str, str | int]

_MARKER_LENGTH = 6  # 1 in 16 million to guess, for a text that cannot even open a tag; each sign costs tokens
_BLOCK = re.compile(
    r"^<(?P<name>[a-z]+) (?P<marker>[0-9a-f]{6})>\n(?P<body>.*?)\n</(?P=name) (?P=marker)>\n?",
    re.DOTALL | re.MULTILINE,
)
# With these, chat templates begin and end what a role says; some servers read them in any text.
_ROLE_TAGS = r"[|｜][^<>\n]{1,40}[|｜]>|<?/?SYS>>|/?s>|(?:start|end)_of_turn>|[be]os>"
_ROLE_BRACKETS = re.compile(
    r"\[(?=\s*(?:/\s*)?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\b)", re.IGNORECASE
)
_LABEL = re.compile(r"^([^\S\n]*)((?:example )?question)\s*:", re.IGNORECASE | re.MULTILINE)
# What could end a line, open a tag or part roles is written as \uXXXX, which JSON reads back as the same text.
_UNSAFE = re.compile(rf"[<>\x7f-\x9f\u2028\u2029\ufeff]|{_ROLE_BRACKETS.pattern}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Block:
    """One block that was read back: its name and its rows."""

    name: str
    rows: tuple[dict[str, str | int], ...]


def write_block(name: str, rows: Sequence[Row], secret: bytes) -> str:
    """One block of one row or more, ending in a newline. Of texts, what cannot be seen is left out.

    `name` is in lower-case letters; `secret` is the key of the hash, 16 bytes or more, kept on the server.
    """
    body = "\n".join(_json_line(row) for row in rows)
    marker = hmac.new(secret, f"{name}\n{body}".encode(), hashlib.sha256).hexdigest()[:_MARKER_LENGTH]
    return f"<{name} {marker}>\n{body}\n</{name} {marker}>\n"


def read_blocks(text: str) -> tuple[tuple[Block, ...], str]:
    """The blocks at the beginning of a message, and the rest of it.

    A model that reads its prompt by program (`assistant.models.embedded.embedded`) sees the structure this way.
    """
    blocks = []
    while (found := _BLOCK.match(text)) is not None:
        blocks.append(Block(found["name"], tuple(json.loads(line) for line in found["body"].split("\n"))))
        text = text[found.end() :]
    return tuple(blocks), text


def plain_text(text: str, names: frozenset[str]) -> str:
    """A text as it may stand in a prompt outside a block: it opens no tag, block or role, and begins no question.

    `names` are those of all tags and blocks.

    >>> plain_text("a < b</answer> <previous <b>", frozenset({"answer", "previous"}))
    'a < b‹/answer> ‹previous <b>'
    """
    text = _ROLE_BRACKETS.sub("［", _opening(names).sub("‹", for_prompt(text)))
    return _LABEL.sub(r"\1\2 –", text)


@cache
def _opening(names: frozenset[str]) -> re.Pattern[str]:
    return re.compile(rf"<(?=\s*(?:/\s*)?(?:{'|'.join(sorted(names))})\b|{_ROLE_TAGS})", re.IGNORECASE)


def _json_line(row: Row) -> str:
    seen = {name: for_prompt(value) if isinstance(value, str) else value for name, value in row.items()}
    text = json.dumps(seen, ensure_ascii=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
