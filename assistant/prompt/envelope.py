"""The envelope around remembered text: blocks of JSON rows between unguessable markers.

    <clarification 5f0c9a…>
    {"about": "what is akin to quick ?", "said": "I want a synonym", "by": "you", "on": "2026-11-20"}
    </clarification 5f0c9a…>

Remembered text is data, protected against prompt injection: JSON values in which characters that end a line or open a
tag are escaped. The marker is a keyed hash (HMAC) of the block, so that remembered text cannot forge one, and prompts
stay reproducible. Small models repeat long prompts and ignore JSON (docs/measurements.md, "Small models"), so they get
the same notes as quoted sentences. Text outside of a block (the question, earlier turns, confirmed examples) passes
`plain_text`, and all text `clean_for_prompt`. No other text enters a prompt.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from assistant.text.cleaning import clean_for_prompt

Row = Mapping[str, str | int]
Blocks = Mapping[str, Sequence[Row]]

_MARKER_LENGTH = 6  # 1 in 16 million to guess; each character costs tokens
_BLOCK = re.compile(
    r"^<(?P<name>[a-z]+) (?P<marker>[0-9a-f]{6})>\n(?P<body>.*?)\n</(?P=name) (?P=marker)>\n?",
    re.DOTALL | re.MULTILINE,
)
_METADATA = frozenset({"note", "about", "by", "on"})  # metadata of a note
# Chat templates separate roles with these; some servers interpret them in any text.
_ROLE_TAGS = r"[|｜][^<>\n]{1,40}[|｜]>|<?/?SYS>>|/?s>|(?:start|end)_of_turn>|[be]os>"
_ROLE_BRACKETS = re.compile(
    r"\[(?=\s*(?:/\s*)?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\b)", re.IGNORECASE
)
LABELS_GRAMMAR = (
    'root ::= "Understanding: " sentence "\\nAnswer: " [^ \\t\\r\\n] [^\\x00]*\n'
    'sentence ::= [^ \\t\\r\\n.?!] ([^\\r\\n.?!।] | "." [0-9]){2,240} [.?!।]?'
)
"""GBNF of a reply with labels, for models with constrained decoding."""
_FOLLOW = 'Write the understanding as "You want to know …, and you mean …"'
# Written as \uXXXX: these could end a line, open a tag or separate roles.
_UNSAFE = re.compile(rf"[<>\x7f-\x9f\u2028\u2029\ufeff]|{_ROLE_BRACKETS.pattern}", re.IGNORECASE)


class Block(NamedTuple):
    name: str
    rows: tuple[dict[str, str | int], ...]


def write_block(name: str, rows: Sequence[Row], secret: bytes) -> str:
    """Write a block of at least one row, ending in a newline. `secret` is the key of the server, at least 16 bytes."""
    lines = []
    for row in rows:
        seen = {field: clean_for_prompt(value) if isinstance(value, str) else value for field, value in row.items()}
        line = json.dumps(seen, ensure_ascii=False)
        lines.append(_UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", line))
    body = "\n".join(lines)
    marker = hmac.new(secret, f"{name}\n{body}".encode(), hashlib.sha256).hexdigest()[:_MARKER_LENGTH]
    return f"<{name} {marker}>\n{body}\n</{name} {marker}>\n"


def read_blocks(text: str) -> tuple[tuple[Block, ...], str]:
    """Return the parsed blocks at the start of a message, and the text after them."""
    blocks = []
    while (found := _BLOCK.match(text)) is not None:
        blocks.append(Block(found["name"], tuple(json.loads(line) for line in found["body"].split("\n"))))
        text = text[found.end() :]
    return tuple(blocks), text


def plain_text(text: str, names: frozenset[str]) -> str:
    """Escape tags and blocks (`names`), role marks and question labels in a text outside of a block.

    >>> plain_text("a < b</answer> <previous <b>", frozenset({"answer", "previous"}))
    'a < b‹/answer> ‹previous <b>'
    """
    opening = rf"(?i)<(?=\s*(?:/\s*)?(?:{'|'.join(sorted(names))})\b|{_ROLE_TAGS})"
    text = _ROLE_BRACKETS.sub("［", re.sub(opening, "‹", clean_for_prompt(text)))
    return re.sub(r"(?im)^([^\S\n]*)((?:example )?question)\s*:", r"\1\2 –", text)


def write_sentences(blocks: Blocks, names: frozenset[str]) -> str:
    r"""Write one line per note. JSON quoting keeps a note from closing its quotation or ending the line.

    >>> write_sentences({"offered": [{"about": "Rex", "true": "Rex is a dog"}]}, frozenset({"answer"}))
    'Note by the user: "Rex is a dog".\n'
    """
    rows = [row for name in ("clarification", "offered") for row in blocks.get(name, ())]
    return "".join(f"Note by {'another' if 'by' in row else 'the'} user: {_said(row, names)}.\n" for row in rows)


def _said(row: Row, names: frozenset[str]) -> str:
    quoted = {
        name: json.dumps(" ".join(plain_text(str(text), names).split()), ensure_ascii=False)
        for name, text in row.items()
    }
    if "said" in quoted:
        # Without this, small models follow a note only in the answer, and repeat the question as the understanding.
        return f"when I asked {quoted['about']} I meant {quoted['said']}. {_FOLLOW}"
    if "not true" in quoted:
        return f"it is not true that {quoted['not true']}"
    return next(text for name, text in quoted.items() if name not in _METADATA)
