"""Take a model's reply apart while it streams.

    <notes>2</notes>
    <understanding>You want a word that means the same as "quick".</understanding>
    <answer>fast</answer>

A grammar names the tags (`assistant.reply.grammar`). The parser never takes back what it gave out; it holds back a
possible partial tag, trailing white space, and a tag of the answer in the answer. Any split into chunks gives the
same. Thinking is gone by then (`assistant.reply.filter`). Mistakes of weak models are forgiven: case and spaces in
tags, any order of blocks, a missing tag, a block written twice (the first counts), tags quoted in an answer, labels in
place of tags (`assistant.reply.labels`), JSON. A text without tags is the answer.
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
from assistant.reply.repetition import LONGEST_TAIL, repeated_unit, say_once

_ANSWER, _UNDERSTANDING = ANSWER.name, UNDERSTANDING.name
_FENCE = re.compile(r"\A```[a-z]*\n(.*)\n```\Z", re.DOTALL)
_TAG_REST = re.compile(r"\A\s{0,3}(?:<\s{0,3}[a-z]{2,20}\b|[a-z]{2,20}>)\s{0,3}:?", re.IGNORECASE)
"""The rest of an opening tag, at the beginning of the text behind it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The next text that a person sees, and the name of its tag."""

    field: str
    text: str


@dataclass(slots=True)
class _Block:
    """The text of one block, without the white space around it."""

    text: str = ""
    pending_space: str = ""
    closed: bool = False

    def add(self, text: str) -> str:
        """Add text, and return what of it can be shown now."""
        text = self.pending_space + text
        if not self.text:
            text = text.lstrip()
        shown = text.rstrip()
        self.pending_space = text[len(shown) :]
        self.text += shown
        return shown


@dataclass(slots=True)
class ReplyParser:
    """Feed it the stream, chunk by chunk, then `finish()`."""

    grammar: Grammar = GRAMMAR
    _labels: LabelReader = field(default_factory=LabelReader)
    _raw: list[str] = field(default_factory=list)
    _held: str = ""
    _pieces: list[Piece] = field(default_factory=list)  # what this chunk lets show
    _blocks: dict[str, list[_Block]] = field(default_factory=dict)
    _open: str = ""
    _around: str = ""  # the block in which the open one stands, and which goes on after it
    _skipping: bool = False
    _loose: str = ""
    _code: CodeTracker = field(default_factory=CodeTracker)  # in the answer
    _quoted: set[str] = field(default_factory=set)  # the other tags that stand in the answer as text
    _doubtful: str = ""  # a tag of the answer in it: text, if more of it follows

    def closed(self, name: str) -> tuple[str, ...]:
        """Return the texts of the blocks of one tag that are complete by now."""
        return tuple(block.text for block in self._blocks.get(name, ()) if block.closed)

    @property
    def open(self) -> str:
        """The tag of the block that the reply stands in; empty where it stands in none."""
        return self._open

    def so_far(self, name: str) -> str:
        """Return what has come of the last block of a tag; empty where there is none."""
        return self._blocks[name][-1].text if name in self._blocks else ""

    @property
    def correction(self) -> str | None:
        """What the person meant, where the reply is a complete correction so far; else None.

        A model that fills in every tag it knows writes an understanding after it: then it is no correction.
        """
        said = self.closed(CORRECTION.name)
        return str(CORRECTION.read(said[0])) or None if said and not self._is_usual() else None

    @property
    def knows_correction(self) -> bool:
        """Whether the reply says by now that it is a correction, or that it is none."""
        return self.correction is not None or self._is_usual()

    def _is_usual(self) -> bool:
        return _UNDERSTANDING in self._blocks or _ANSWER in self._blocks

    def feed(self, chunk: str) -> list[Piece]:
        """Read the next chunk of the stream; return what can be shown now."""
        self._raw.append(chunk)
        self._consume(self._held + self._labels.feed(chunk), at_end=False)
        return self._taken()

    def finish(self) -> tuple[list[Piece], Reply]:
        """Return the last pieces and the whole reply: the stream has ended."""
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
        """Return the text of a reply without an answer: of the first of these tags that has any, else of its notes."""
        texts = [self.so_far(name) for name in names]
        notes = self.so_far(NOTES.name).partition("\n")[2] if self._open == NOTES.name else ""
        return next(filter(None, (*texts, notes.strip())), "")

    def _taken(self) -> list[Piece]:
        """Return what can be shown now, once."""
        runs = groupby(self._pieces, attrgetter("field"))
        taken = [Piece(name, "".join(piece.text for piece in run)) for name, run in runs]
        self._pieces = []
        return taken

    def _say_once(self, unit: int) -> None:
        if not self._open:
            self._loose = say_once(self._loose, unit)
        elif not self._skipping:
            block = self._blocks[self._open][-1]
            block.text = say_once(block.text, unit)

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
        """Return True if a reply that ends like this ends in the middle of a tag."""
        begun = "".join(text.split()).lower()
        return len(begun) > 1 and any(
            tag.startswith(begun) for name in self.grammar.by_name for tag in (f"<{name}>", f"</{name}>")
        )

    def _take(self, text: str) -> None:
        """Take plain text, wherever the parser stands."""
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
        """Take the text before a closing tag as its block, where nothing opened that."""
        loose, self._loose = _TAG_REST.sub("", self._loose), ""
        if loose.strip() and not self.so_far(name) and not self.grammar.by_name[name].anywhere:
            self._blocks.pop(name, None)
            self._begin(name)
            self._show(loose)
            self._close()

    def _counts_in_answer(self, name: str, *, closing: bool) -> bool:
        """Return True if a tag in the answer is no text of it.

        It closes the answer, stands inside of it, or begins the next block because the answer was not closed before.
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
        """Return True if a tag that opens stands inside of the open block; else it ends that one."""
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
        """Take a tag of the answer in it as text: more of it follows."""
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
    """Return the reply that a text without tags amounts to: JSON with our fields, or else the whole text as the answer.

    `raw` is how it came.
    """
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
    """Parse a whole reply."""
    parser = ReplyParser(grammar)
    parser.feed(text)
    return parser.finish()[1]
