"""Parse a model's reply while it streams.

    <notes>2</notes>
    <understanding>You want a word that means the same as "quick".</understanding>
    <answer>fast</answer>

The input has no thinking (`assistant.reply.filter`). The parser never retracts a piece; it buffers incomplete tags,
trailing white space, and answer tags within the answer, so that the result does not depend on the split into chunks. It
accepts mistakes of weak models: case and spaces in tags, any order of blocks, a missing tag, repeated blocks (the first
counts), tags quoted in an answer. Without tags, a text has labels ("Understanding: …", "Answer: …", easier for small
models than tags), or is the answer.

To add a tag, extend the grammar: `Grammar((*GRAMMAR.tags, Tag("look", anywhere=True, repeats=True)))`.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, cast

from assistant.reply.fields import Reply, ReplyFields, ReplyStatus
from assistant.reply.filter import CodeTracker, end_repetition

_LONGEST_TAG = 40  # characters
_MOST_NOTES, _MOST_READINGS, _LONGEST_READING = 20, 3, 200
_START, _COLON = r"[\s*_#>•-]{0,20}", r"[*_ \t]{0,9}:[*_]*+\s*+"
# The answer begins at its label (in the middle of a line only with a capital letter), else in the next line.
_LABELS = re.compile(
    rf"\A{_START}(?i:understanding){_COLON}(?=\S)(?P<understanding>[^\n]*?)"
    rf"(?:\n(?:{_START}(?i:answer){_COLON})?|[ \t]{_START}A(?i:nswer){_COLON}|\Z)(?P<answer>.*)",
    re.DOTALL,
)


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
        """Return the names of all tags that remembered text must not open, including the tags for thinking."""
        return frozenset({"think", "thinking", "thought", "reasoning", *self.by_name})

    @cached_property
    def tag(self) -> re.Pattern[str]:
        """Return the pattern of an opening or closing tag."""
        return re.compile(rf"(?ai)<\s{{0,3}}(/?)\s{{0,3}}({'|'.join(sorted(self.by_name))})\s{{0,3}}>")

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
    """Parse numbers of notes, each with an optional reason of one word."""
    found = re.findall(r"(?<!\d)(\d{1,3})(?!\d)[ :(–-]*([^\W\d_]{0,40})", text)[:_MOST_NOTES]
    return tuple(f"{number} {why}" if why else int(number) for number, why in found)


def _said(text: str) -> str:
    return "" if text.casefold().strip(".") in {"", "none", "no", "nothing", "n/a", "-"} else text


def _readings(text: str) -> tuple[str, ...]:
    """Split a text at newlines or bars, and strip list markers."""
    told = (re.sub(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+", "", line).strip() for line in re.split(r"[|\n]", text))
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
_ANSWER, _UNDERSTANDING = ANSWER.name, UNDERSTANDING.name


class Piece(NamedTuple):
    """The next text for the user, with the name of its tag."""

    field: str
    text: str


@dataclass(slots=True)
class _Block:
    """The text of one block, without the white space around it."""

    tag: Tag
    counts: bool = True  # False if it repeats an earlier one
    text: str = ""
    pending: str = ""  # white space and doubtful answer tags: text if more follows
    closed: bool = False
    code: CodeTracker = field(default_factory=CodeTracker)


class ReplyParser:
    """Streaming parser: `feed` it the chunks of a reply, then `finish` it.

    Example:
        >>> parser = ReplyParser()
        >>> parser.feed("<understanding>You ask for the time.</understanding><ans")
        [Piece(field='understanding', text='You ask for the time.')]
        >>> pieces = parser.feed("wer>It is ten.</answer>")
        >>> pieces, reply = parser.finish()
        >>> reply.answer
        'It is ten.'
    """

    def __init__(self, grammar: Grammar = GRAMMAR) -> None:
        self.grammar = grammar
        self._raw: list[str] = []
        self._held = ""  # an incomplete tag
        self._pieces: list[Piece] = []  # to be shown after this chunk
        self._blocks: dict[str, list[_Block]] = {}  # by name of the tag
        self._block: _Block | None = None  # the current one
        self._around: _Block | None = None  # the block around the current one, which continues after it
        self._loose: list[str] = []  # text between blocks
        self._quoted: set[str] = set()  # other tags that the answer quotes

    @property
    def open(self) -> str:
        """Return the tag of the current block, empty between blocks."""
        return self._block.tag.name if self._block else ""

    def closed(self, name: str) -> tuple[str, ...]:
        """Return the texts of the complete blocks of one tag."""
        return tuple(block.text for block in self._blocks.get(name, ()) if block.closed)

    def so_far(self, name: str) -> str:
        """Return the text so far of the last block of a tag, empty if there is none."""
        return self._blocks[name][-1].text if name in self._blocks else ""

    @property
    def answers(self) -> bool:
        """Return True if the reply has an understanding or an answer."""
        return _UNDERSTANDING in self._blocks or _ANSWER in self._blocks

    @property
    def correction(self) -> str | None:
        """Return the intended meaning if the reply so far is a complete correction; else None.

        Next to an understanding or an answer it is ignored, since some models fill in every tag.
        """
        said = self.closed(CORRECTION.name)
        return str(CORRECTION.read(said[0])) or None if said and not self.answers else None

    def other_text(self, names: Iterable[str]) -> str:
        """Return the text to show without an answer: of the first of these tags that has any, else of the notes."""
        notes = self.so_far(NOTES.name).partition("\n")[2] if self.open == NOTES.name else ""
        return next(filter(None, (*map(self.so_far, names), notes.strip())), "")

    def feed(self, chunk: str) -> list[Piece]:
        """Read the next chunk, and return the pieces that can be shown now."""
        self._raw.append(chunk)
        text, self._held = self.grammar.split_cut_tag(self._held + chunk)
        place = 0
        for tag in self.grammar.tag.finditer(text):
            self._take(text[place : tag.start()])
            self._take_tag(tag[0], self.grammar.by_name[tag[2].lower()], closing=bool(tag[1]))
            place = tag.end()
        self._take(text[place:])
        taken, self._pieces = self._pieces, []
        return taken

    def finish(self) -> tuple[list[Piece], Reply]:
        """End the stream, and return the last pieces and the whole reply."""
        if self._held.strip() == "<":
            self._take(self._held)
            self._held = ""
        block, loose = self._block, end_repetition("".join(self._loose)).strip()
        if block and "/" in block.pending:
            self._close()
        elif block and block.counts:
            text = end_repetition(block.text + block.pending, in_code=block.code.fenced)
            block.text = block.text if len(text) > len(block.text) else text
        is_cut = bool(self._held and self._blocks) or bool(self._block and self._block.counts)
        fields: dict[str, object] = {}
        for name, blocks in self._blocks.items():
            tag = self.grammar.by_name[name]
            values = tuple(tag.read(block.text) for block in blocks)
            if name != CORRECTION.name or self.correction:
                fields[name] = values if tag.repeats else values[0]
        labels = None if self._blocks else _LABELS.match(loose)
        if labels and not labels["answer"].strip():  # a small model's only line is the answer
            loose, labels = labels["understanding"].strip(), None
        is_loose = bool(loose and not labels and not fields.get(_ANSWER))
        late = {name: text.strip() for name, text in labels.groupdict().items()} if labels else {}
        late |= {_ANSWER: loose} if is_loose else {}
        self._pieces += [Piece(name, text) for name, text in late.items() if text]
        reply = Reply("".join(self._raw)).with_fields(**cast("ReplyFields", fields | late))
        if is_cut:
            status = ReplyStatus.TRUNCATED
        elif is_loose and not reply.correction:
            status = ReplyStatus.UNSTRUCTURED
        elif reply.answer or reply.correction:
            status = ReplyStatus.OK if reply.understanding or reply.correction else ReplyStatus.NO_UNDERSTANDING
        else:
            status = ReplyStatus.NO_ANSWER if reply.understanding else ReplyStatus.EMPTY
        return self._pieces, replace(reply, status=status)

    def _take(self, text: str) -> None:
        """Add plain text to the current block, and show it without trailing white space."""
        block = self._block
        if block is None:
            self._loose.append(text)
            return
        block.code.read(text)
        if not text.strip():
            block.pending += text
            return
        text = block.pending + text
        text = text if block.text else text.lstrip()
        shown = text.rstrip()
        block.text, block.pending = block.text + shown, text[len(shown) :]
        if block.counts and block.tag.shown:
            before = self._pieces.pop().text if self._pieces and self._pieces[-1].field == self.open else ""
            self._pieces.append(Piece(self.open, before + shown))

    def _take_tag(self, raw: str, tag: Tag, *, closing: bool) -> None:
        """Open or close a block, or add the tag to the answer as text."""
        if self._around and not (closing and tag.name == self.open):
            self._close()
        block, in_code = self._block, bool(self._block and self._block.code.is_in_code())
        if block and self.open == _ANSWER and (in_code or not self._ends_answer(block, tag, closing=closing)):
            if tag == block.tag:
                block.pending += raw
            elif not closing or in_code or tag.name in self._quoted:  # else nothing opened it
                self._take(raw)
                self._quoted.add(tag.name)
        elif not closing:
            if block and tag.anywhere and not block.tag.anywhere:
                self._around = block
            elif block:
                self._close()
            self._block = _Block(tag, counts=tag.repeats or tag.name not in self._blocks)
            if self._block.counts:
                self._blocks.setdefault(tag.name, []).append(self._block)
                self._loose = [] if tag.name == _UNDERSTANDING else self._loose
        elif block and tag == block.tag:
            self._close()
        elif block is None:
            loose, self._loose = "".join(self._loose), []
            # The rest of a broken opening tag.
            loose = re.sub(r"(?i)\A\s{0,3}(?:<\s{0,3}[a-z]{2,20}\b|[a-z]{2,20}>)\s{0,3}:?", "", loose)
            if loose.strip() and not self.so_far(tag.name) and not tag.anywhere:  # its opening tag is missing
                self._block = _Block(tag)
                self._blocks[tag.name] = [self._block]
                self._take(loose)
                self._close()

    def _ends_answer(self, block: _Block, tag: Tag, *, closing: bool) -> bool:
        """Return True if a tag in the answer, but not in code, ends it or opens a block inside it."""
        if closing or tag == block.tag:
            return closing and tag == block.tag
        is_first = tag.name == _UNDERSTANDING and tag.name not in self._blocks
        return tag.anywhere or ("\n" in block.pending if block.text else is_first)

    def _close(self) -> None:
        if self._block:
            self._block.closed = True
        self._block, self._around = self._around, None


def parse_reply(text: str, grammar: Grammar = GRAMMAR) -> Reply:
    """Parse a whole reply."""
    parser = ReplyParser(grammar)
    parser.feed(text)
    return parser.finish()[1]
