"""Parse the structure of a prompt by its specification (DESIGN, section 5), independently of the code that builds it.

Structure is everything that a text in a prompt could forge: roles, blocks with names, rows and fields, labels, and
reply tags. Anything like it in another place is `stray`; a good prompt has none.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from assistant.types import Message, MessageRole

_TAG_NAMES = (
    "notes", "understanding", "answer", "correction", "clarification", "offered", "previous", "asked", "think",
    "thinking", "thought", "reasoning",
)  # fmt: skip
_LOOKS_LIKE_STRUCTURE = re.compile(
    r"<\s*/?\s*(?:" + "|".join(_TAG_NAMES) + r")\b"
    r"|<[|｜][^<>\n]{1,40}[|｜]>|<</?SYS>>|</?s>|<(?:start|end)_of_turn>|<[be]os>"
    r"|\[\s*/?\s*(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\b"
    r"|^[^\S\n]*(?:example )?question\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_REPLY = re.compile(
    r"(?:<notes>(?P<notes>[^<]*)</notes>\n)?<understanding>(?P<understanding>.*?)</understanding>\n"
    r"<answer>(?P<answer>.*?)</answer>|<correction>(?P<correction>.*?)</correction>",
    re.DOTALL,
)


@dataclass(frozen=True)
class Part:
    """A message: its structure (compared) and its values (free)."""

    role: str
    shape: tuple[object, ...]
    stray: tuple[str, ...]
    values: dict[str, object] = field(compare=False)


class NoStructure(AssertionError):
    """A message violates the specification."""


def parse_structure(messages: Sequence[Message], secret: bytes) -> tuple[Part, ...]:
    """Return the parts of a prompt.

    Args:
        messages: the prompt.
        secret: key of the markers.

    Raises:
        NoStructure: a message violates the specification, or a marker is not the hash of its block.
    """
    readers = {
        MessageRole.SYSTEM: _system,
        MessageRole.USER: lambda text: _user(text, secret),
        MessageRole.ASSISTANT: _assistant,
    }
    return tuple(readers[message.role](message.content) for message in messages)


def _system(text: str) -> Part:
    return Part("system", (text,), (), {})


def _user(text: str, secret: bytes) -> Part:
    lines = text.split("\n")
    if lines != text.splitlines() and text:
        raise NoStructure("There is a line end that is no line feed.")
    shape: list[object] = []
    values: dict[str, object] = {}
    stray: list[str] = []
    while lines and (opening := re.fullmatch(r"<([a-z]+) ([0-9a-f]{6})>", lines[0])):
        name, marker = opening[1], opening[2]
        end = lines.index(f"</{name} {marker}>")
        body = lines[1:end]
        _check_marker(name, body, marker, secret)
        rows = [json.loads(line) for line in body]
        shape.append((name, tuple(tuple((key, type(value).__name__) for key, value in row.items()) for row in rows)))
        values[name] = rows
        stray += [found for line in body for found in _LOOKS_LIKE_STRUCTURE.findall(line)]
        lines = lines[end + 1 :]
    rest = "\n".join(lines)
    if rest:
        asked = re.fullmatch(r"(Today is \w+, [\d-]+\.\n)?(Question|Example question): (.*)", rest, re.DOTALL)
        if asked is None:
            raise NoStructure("A message has no label.")
        values["question"] = asked[3]
        shape.append(f"{asked[1] or ''}{asked[2]}")
        stray += _LOOKS_LIKE_STRUCTURE.findall(str(values["question"]))
    return Part("user", tuple(shape), tuple(stray), values)


def _assistant(text: str) -> Part:
    reply = _REPLY.fullmatch(text)
    if reply is None:
        raise NoStructure("A reply is not in the form of a reply.")
    written = {name: value for name, value in reply.groupdict().items() if value is not None}
    stray = [found for value in written.values() for found in _LOOKS_LIKE_STRUCTURE.findall(value)]
    return Part("assistant", tuple(written), tuple(stray), dict(written))


def _check_marker(name: str, body: Sequence[str], marker: str, secret: bytes) -> None:
    content = f"{name}\n" + "\n".join(body)
    if marker != hmac.new(secret, content.encode(), hashlib.sha256).hexdigest()[:6]:
        raise NoStructure("A marker is not the hash of its block.")
