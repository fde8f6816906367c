"""Parse a model's reply while it streams.

    <notes>2</notes>
    <understanding>You want a word that means the same as "quick".</understanding>
    <answer>fast</answer>

A grammar names the tags (`assistant.reply.grammar`). The parser never retracts a piece; it buffers incomplete tags,
trailing white space, and answer tags within the answer. The result does not depend on the split into chunks. The input
has no thinking (`assistant.reply.filter`). The parser accepts mistakes of weak models: case and spaces in tags, any
order of blocks, a missing tag, repeated blocks (the first counts), tags quoted in an answer, labels in place of tags
(`assistant.reply.labels`), JSON. A text without tags is the answer.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import attrgetter
from typing import cast

from assistant.reply.code import CodeTracker
from assistant.reply.fields import Reply, ReplyFields, ReplyStatus
from assistant.reply.grammar import ANSWER, CORRECTION, GRAMMAR, NOTES, UNDERSTANDING, Grammar
from assistant.reply.labels import LabelReader
from assistant.reply.repetition import LONGEST_TAIL, remove_repetition, repeated_unit

_ANSWER, _UNDERSTANDING = ANSWER.name, UNDERSTANDING.name
_FENCE = re.compile(r"\A```[a-z]*\n(.*)\n```\Z", re.DOTALL)
_TAG_REST = re.compile(r"\A\s{0,3}(?:<\s{0,3}[a-z]{2,20}\b|[a-z]{2,20}>)\s{0,3}:?", re.IGNORECASE)
"""The rest of a broken opening tag, at the start of the text after it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The next text for the user, with the name of its tag."""

    field: str
    text: str


@dataclass(slots=True)
class _Block:
    """The text of one block, without the white space around it."""

    text: str = ""
    pending_space: str = ""
    closed: bool = False

    def add(self, text: str) -> str:
        """Add text, and return the part that can be shown now."""
        text = self.pending_space + text
        if not self.text:
            text = text.lstrip()
        shown = text.rstrip()
        self.pending_space = text[len(shown) :]
        self.text += shown
        return shown


@dataclass(slots=True)
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

    grammar: Grammar = GRAMMAR
    _labels: LabelReader = field(default_factory=LabelReader)
    _raw: list[str] = field(default_factory=list)
    _held: str = ""
    _pieces: list[Piece] = field(default_factory=list)  # to be shown after this chunk
    _blocks: dict[str, list[_Block]] = field(default_factory=dict)
    _open: str = ""
    _around: str = ""  # the block around the open one, which continues after it
    _skipping: bool = False
    _loose: str = ""
    _code: CodeTracker = field(default_factory=CodeTracker)  # in the answer
    _quoted: set[str] = field(default_factory=set)  # other tags that the answer quotes
    _doubtful: str = ""  # an answer tag in the answer: text if more follows, else the end

    def closed(self, name: str) -> tuple[str, ...]:
        """Return the texts of the complete blocks of one tag."""
        return tuple(block.text for block in self._blocks.get(name, ()) if block.closed)

    @property
    def open(self) -> str:
        """Return the tag of the current block, empty between blocks."""
        return self._open

    def so_far(self, name: str) -> str:
        """Return the text so far of the last block of a tag, empty if there is none."""
        return self._blocks[name][-1].text if name in self._blocks else ""

    @property
    def correction(self) -> str | None:
        """Return the intended meaning if the reply so far is a complete correction; else None.

        With an understanding or an answer it is none, since some models fill in every tag.
        """
        said = self.closed(CORRECTION.name)
        return str(CORRECTION.read(said[0])) or None if said and not self._is_usual() else None

    @property
    def knows_correction(self) -> bool:
        """Return True if it is clear whether the reply is a correction."""
        return self.correction is not None or self._is_usual()

    def _is_usual(self) -> bool:
        return _UNDERSTANDING in self._blocks or _ANSWER in self._blocks

    def feed(self, chunk: str) -> list[Piece]:
        """Read the next chunk, and return the pieces that can be shown now."""
        self._raw.append(chunk)
        self._consume(self._held + self._labels.feed(chunk), at_end=False)
        return self._taken()

    def finish(self) -> tuple[list[Piece], Reply]:
        """End the stream, and return the last pieces and the whole reply."""
        self._consume(self._held + self._labels.finish(), at_end=True)
        if "/" in self._doubtful:
            self._close()
        cut = bool(self._held or (self._open and not self._skipping))
        raw = "".join(self._raw)
        if unit := repeated_unit(raw[-LONGEST_TAIL:], in_code=self._code.fenced):
            self._say_once(unit)
        if not self._blocks:
            reply = _without_tags(raw, self._loose.strip())
            shown = (Piece(_UNDERSTANDING, reply.understanding), Piece(_ANSWER, reply.answer))
            self._pieces += [piece for piece in shown if piece.text]
            return self._taken(), reply
        fields = dict(self._fields())
        if not fields.get(_ANSWER) and (answer := self._loose.strip()):
            self._pieces.append(Piece(_ANSWER, answer))
            fields[_ANSWER] = answer
        reply = Reply(raw).with_fields(**cast("ReplyFields", fields))
        return self._taken(), replace(reply, status=self._status(reply, cut=cut))

    def other_text(self, names: Iterable[str]) -> str:
        """Return the text of the first of these tags that has any, else of the notes, for a reply without an answer."""
        texts = [self.so_far(name) for name in names]
        notes = self.so_far(NOTES.name).partition("\n")[2] if self._open == NOTES.name else ""
        return next(filter(None, (*texts, notes.strip())), "")

    def _taken(self) -> list[Piece]:
        """Return the pieces to show, joined by tag, and clear them."""
        runs = groupby(self._pieces, attrgetter("field"))
        taken = [Piece(name, "".join(piece.text for piece in run)) for name, run in runs]
        self._pieces = []
        return taken

    def _say_once(self, unit: int) -> None:
        if not self._open:
            self._loose = remove_repetition(self._loose, unit)
        elif not self._skipping:
            block = self._blocks[self._open][-1]
            block.text = remove_repetition(block.text, unit)

    def _fields(self) -> Iterator[tuple[str, object]]:
        for name, blocks in self._blocks.items():
            tag = self.grammar.by_name[name]
            values = tuple(tag.read(block.text) for block in blocks)
            if name != CORRECTION.name or self.correction:
                yield name, values if tag.repeats else values[0]

    def _status(self, reply: Reply, *, cut: bool) -> ReplyStatus:
        if cut:
            return ReplyStatus.TRUNCATED
        if reply.correction:
            return ReplyStatus.OK
        if reply.answer and not self.so_far(_ANSWER):
            return ReplyStatus.UNSTRUCTURED
        if reply.answer:
            return ReplyStatus.OK if reply.understanding else ReplyStatus.NO_UNDERSTANDING
        return ReplyStatus.NO_ANSWER if reply.understanding else ReplyStatus.EMPTY

    def _consume(self, text: str, *, at_end: bool) -> None:
        self._held = ""
        position = 0
        while position < len(text):
            start = text.find("<", position)
            if start < 0:
                self._take(text[position:])
                break
            self._take(text[position:start])
            tag = self.grammar.tag.match(text, start)
            if tag:
                self._take_tag(tag[0], tag[2].lower(), closing=bool(tag[1]))
                position = tag.end()
                continue
            partial = self.grammar.partial_tag.match(text, start)
            if partial and partial.end() == len(text):
                if at_end and not self._is_cut_tag(partial[0]):
                    self._take(partial[0])
                else:
                    self._held = partial[0]
                break
            self._take("<")
            position = start + 1

    def _is_cut_tag(self, text: str) -> bool:
        """Return True if a text at the end of a reply is the start of a tag."""
        begun = "".join(text.split()).lower()
        return len(begun) > 1 and any(
            tag.startswith(begun) for name in self.grammar.by_name for tag in (f"<{name}>", f"</{name}>")
        )

    def _take(self, text: str) -> None:
        """Add plain text to the current block."""
        if not text:
            return
        if not self._open:
            self._loose += text
        elif not self._skipping:
            if self._doubtful and text.strip():
                self._quote()
            if self._doubtful:
                self._doubtful += text
                return
            if self._open == _ANSWER:
                self._code.read(text)
            self._show(text)

    def _take_tag(self, raw: str, name: str, *, closing: bool) -> None:
        if self._around and not (closing and name == self._open):
            self._close()
        if self._open == _ANSWER and not self._counts_in_answer(name, closing=closing):
            self._take_tag_in_answer(raw, name, closing=closing)
        elif not closing:
            self._begin(name)
        elif name == self._open:
            self._close()
        elif not self._open:
            self._close_unopened(name)

    def _close_unopened(self, name: str) -> None:
        """Make the text before an unopened closing tag its block."""
        loose, self._loose = _TAG_REST.sub("", self._loose), ""
        if loose.strip() and not self.so_far(name) and not self.grammar.by_name[name].anywhere:
            self._blocks.pop(name, None)
            self._begin(name)
            self._show(loose)
            self._close()

    def _counts_in_answer(self, name: str, *, closing: bool) -> bool:
        """Return True if a tag in the answer is markup, not text.

        It closes the answer, opens a block inside it, or begins the next block after an unclosed answer.
        """
        if self._skipping:
            return closing and name == _ANSWER
        if self._code.is_in_code():
            return False
        if closing or self._goes_inside(name):
            return not closing or name == _ANSWER
        answer = self._blocks[_ANSWER][-1]
        if name == _ANSWER or self._doubtful:
            return False
        return "\n" in answer.pending_space if answer.text else name == _UNDERSTANDING and name not in self._blocks

    def _goes_inside(self, name: str) -> bool:
        """Return True if an opening tag belongs inside the current block; else it ends that."""
        around, inner = (self.grammar.by_name.get(tag) for tag in (self._open, name))
        return bool(around and inner and inner.anywhere and not around.anywhere and not self._skipping)

    def _take_tag_in_answer(self, raw: str, name: str, *, closing: bool) -> None:
        if name == _ANSWER:
            self._quote()
            self._doubtful = raw
        elif not closing or name in self._quoted or self._code.is_in_code():
            self._take(raw)
            self._quoted.add(name)

    def _quote(self) -> None:
        """Turn a buffered answer tag into text, since the answer continues."""
        if self._doubtful and not self._skipping:
            self._code.read(self._doubtful)
            self._show(self._doubtful)
        self._doubtful = ""

    def _begin(self, name: str) -> None:
        if self._goes_inside(name):
            self._around = self._open
        elif self._open:
            self._close()
        self._open = name
        self._skipping = name in self._blocks and not self.grammar.by_name[name].repeats
        if not self._skipping:
            self._blocks.setdefault(name, []).append(_Block())
            if name == _UNDERSTANDING:
                self._loose = ""

    def _close(self) -> None:
        if not self._skipping and self._open in self._blocks:
            self._blocks[self._open][-1].closed = True
        self._open, self._around, self._skipping, self._doubtful = self._around, "", False, ""

    def _show(self, text: str) -> None:
        shown = self._blocks[self._open][-1].add(text)
        if shown and self.grammar.by_name[self._open].shown:
            self._pieces.append(Piece(self._open, shown))


def _without_tags(raw: str, text: str) -> Reply:
    """Parse a reply without tags: JSON with our fields, or else the whole text as the answer."""
    fenced = _FENCE.match(text)
    try:
        value = json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError):
        value = None
    fields = {str(name).lower(): content for name, content in value.items()} if isinstance(value, dict) else {}
    understanding, answer = fields.get("understanding"), fields.get("answer")
    is_ours = isinstance(understanding, str | None) and isinstance(answer, str | int | float | None)
    if not is_ours or understanding is answer is None:
        return Reply.of(raw, answer=text, status=ReplyStatus.UNSTRUCTURED if text else ReplyStatus.EMPTY)
    reply = Reply.of(raw, (understanding or "").strip(), "" if answer is None else str(answer).strip())
    if not reply.answer:
        return replace(reply, status=ReplyStatus.NO_ANSWER)
    return replace(reply, status=ReplyStatus.OK if reply.understanding else ReplyStatus.NO_UNDERSTANDING)


def parse_reply(text: str, grammar: Grammar = GRAMMAR) -> Reply:
    parser = ReplyParser(grammar)
    parser.feed(text)
    return parser.finish()[1]
