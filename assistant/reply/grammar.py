"""The tags of a reply, shared by the parser, the prompts and the envelope.

To add a tag, extend the grammar: `Grammar((*GRAMMAR.tags, Tag("look", anywhere=True, repeats=True)))`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

_THINKING = frozenset({"think", "thinking", "thought", "reasoning"})

_NOTHING = {"", "none", "no", "nothing", "n/a", "-"}
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")
_LONGEST_TAG = 40  # characters
_MOST_READINGS, _LONGEST_READING = 3, 200
# The number of a note, with an optional reason of one word.
_NOTE = re.compile(r"(?<!\d)(\d{1,3})(?!\d)[ :(–-]*([^\W\d_]{0,40})")


@dataclass(frozen=True, slots=True)
class Tag:
    """One block that a reply may have."""

    name: str  # lower-case letters
    shown: bool = False  # users see its text while it streams
    anywhere: bool = False  # allowed inside another block, which continues after it; not in code
    repeats: bool = False  # all blocks count, not only the first
    read: Callable[[str], object] = str  # converts its text to the value of the field; empty values are dropped
    asks: str = ""  # instruction in the system text, for a tag of every reply


@dataclass(frozen=True)
class Grammar:
    """Tags, in the order of a reply."""

    tags: tuple[Tag, ...]

    @cached_property
    def by_name(self) -> Mapping[str, Tag]:
        return {tag.name: tag for tag in self.tags}

    @cached_property
    def names(self) -> frozenset[str]:
        """Return the names of all tags that remembered text must not open, those of thinking included."""
        return _THINKING.union(self.by_name)

    @cached_property
    def tag(self) -> re.Pattern[str]:
        """Return the pattern of an opening or closing tag."""
        names = "|".join(sorted(self.by_name))
        return re.compile(rf"<\s{{0,3}}(/?)\s{{0,3}}({names})\s{{0,3}}>", re.IGNORECASE | re.ASCII)

    def split_cut_tag(self, text: str) -> tuple[str, str]:
        """Split off the possible start of a tag, of bounded length, from the end of a text."""
        start = text.rfind("<", -_LONGEST_TAG)
        begun = "".join(text[start:].split()).lower() if start >= 0 else ">"
        is_cut = any(f"<{slash}{name}".startswith(begun) for name in self.by_name for slash in ("", "/"))
        return (text[:start], text[start:]) if is_cut else (text, "")

    def written(self, texts: Mapping[str, str | Sequence[str]]) -> str:
        """Write a reply from texts by name of their tag, in the order of the grammar."""
        told = ((tag.name, texts[tag.name]) for tag in self.tags if tag.name in texts)
        each = ((name, text) for name, said in told for text in ([said] if isinstance(said, str) else said))
        return "\n".join(f"<{name}>{text}</{name}>" for name, text in each)


def _notes(text: str) -> tuple[int | str, ...]:
    return tuple(f"{number} {why}" if why else int(number) for number, why in _NOTE.findall(text)[:20])


def _said(text: str) -> str:
    return "" if text.casefold().strip(".") in _NOTHING else text


def _readings(text: str) -> tuple[str, ...]:
    """Split a text at newlines or bars, and strip list markers."""
    told = (_BULLET.sub("", line).strip() for line in re.split(r"[|\n]", text))
    return tuple(dict.fromkeys(each[:_LONGEST_READING] for each in told if _said(each)))[:_MOST_READINGS]


NOTES = Tag("notes", read=_notes)
NONE_FOLLOWED = f"<{NOTES.name}>none</{NOTES.name}>"
"""Start of a reply that followed no note. If none was offered, it could not follow the clarification."""
CORRECTION = Tag("correction", read=_said)
UNDERSTANDING = Tag(
    "understanding", shown=True, asks="one sentence to the person that says what you take the message to ask"
)
ANSWER = Tag("answer", shown=True, asks="the answer")
READINGS = Tag("readings", read=_readings)
GRAMMAR = Grammar((NOTES, CORRECTION, UNDERSTANDING, ANSWER, READINGS))
"""The tags of every reply: numbers of notes, a correction instead of an answer, other readings of the question."""
