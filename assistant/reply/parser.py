"""Parse a model's reply while it streams.

    <notes>2</notes>
    <understanding>You want a word that means the same as "quick".</understanding>
    <answer>fast</answer>

A grammar names the tags (`assistant.reply.grammar`). The parser never retracts a piece; it buffers incomplete tags,
trailing white space, and answer tags within the answer. The result does not depend on the split into chunks. The input
has no thinking (`assistant.reply.filter`). The parser accepts mistakes of weak models: case and spaces in tags, any
order of blocks, a missing tag, repeated blocks (the first counts), tags quoted in an answer. Without tags, a text has
labels ("Understanding: …", "Answer: …", easier for small models than tags), or is the answer.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import cast

from assistant.reply.fields import Reply, ReplyFields, ReplyStatus
from assistant.reply.filter import LONGEST_TAIL, CodeTracker, remove_repetition, repeated_unit
from assistant.reply.grammar import ANSWER, CORRECTION, GRAMMAR, NOTES, UNDERSTANDING, Grammar

_ANSWER, _UNDERSTANDING = ANSWER.name, UNDERSTANDING.name
_TAG_REST = re.compile(r"\A\s{0,3}(?:<\s{0,3}[a-z]{2,20}\b|[a-z]{2,20}>)\s{0,3}:?", re.IGNORECASE)
"""The rest of a broken opening tag, at the start of the text after it."""
_BULLET, _COLON = r"[\s*_#>•-]{0,20}", r"[*_ \t]{0,9}:[*_]*+\s*+"
# The answer begins at its label (in the middle of a line only with a capital letter), else in the next line.
_LABELS = re.compile(
    rf"\A{_BULLET}(?i:understanding){_COLON}(?=\S)(?P<understanding>[^\n]*?)"
    rf"(?:\n(?:{_BULLET}(?i:answer){_COLON})?|[ \t]{_BULLET}A(?i:nswer){_COLON}|\Z)(?P<answer>.*)",
    re.DOTALL,
)


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
    open: str = ""  # the tag of the current block, empty between blocks
    _raw: list[str] = field(default_factory=list)
    _held: str = ""  # an incomplete tag
    _pieces: list[Piece] = field(default_factory=list)  # to be shown after this chunk
    _blocks: dict[str, list[_Block]] = field(default_factory=dict)
    _around: str = ""  # the block around the open one, which continues after it
    _skipping: bool = False  # the open block repeats an earlier one
    _loose: str = ""  # text between blocks
    _code: CodeTracker = field(default_factory=CodeTracker)  # in the answer
    _quoted: set[str] = field(default_factory=set)  # other tags that the answer quotes
    _doubtful: str = ""  # an answer tag in the answer: text if more follows, else the end

    def closed(self, name: str) -> tuple[str, ...]:
        """Return the texts of the complete blocks of one tag."""
        return tuple(block.text for block in self._blocks.get(name, ()) if block.closed)

    def so_far(self, name: str) -> str:
        """Return the text so far of the last block of a tag, empty if there is none."""
        return self._blocks[name][-1].text if name in self._blocks else ""

    @property
    def correction(self) -> str | None:
        """Return the intended meaning if the reply so far is a complete correction; else None.

        With an understanding or an answer it is none, since some models fill in every tag.
        """
        said = self.closed(CORRECTION.name)
        return (
            str(CORRECTION.read(said[0])) or None if said and not {_UNDERSTANDING, _ANSWER} & {*self._blocks} else None
        )

    @property
    def knows_correction(self) -> bool:
        """Return True if it is clear whether the reply is a correction."""
        return bool(self.correction or {_UNDERSTANDING, _ANSWER} & {*self._blocks})

    def other_text(self, names: Iterable[str]) -> str:
        """Return the text of the first of these tags that has any, else of the notes, for a reply without an answer."""
        notes = self.so_far(NOTES.name).partition("\n")[2] if self.open == NOTES.name else ""
        return next(filter(None, (*map(self.so_far, names), notes.strip())), "")

    def feed(self, chunk: str) -> list[Piece]:
        """Read the next chunk, and return the pieces that can be shown now."""
        self._raw.append(chunk)
        text, self._held = self._held + chunk, ""
        start = text.rfind("<")
        if start >= 0 and self.grammar.partial_tag.fullmatch(text, start):
            text, self._held = text[:start], text[start:]
        place = 0
        for tag in self.grammar.tag.finditer(text):
            self._take(text[place : tag.start()])
            self._take_tag(tag[0], tag[2].lower(), closing=bool(tag[1]))
            place = tag.end()
        self._take(text[place:])
        taken, self._pieces = self._pieces, []
        return taken

    def finish(self) -> tuple[list[Piece], Reply]:
        """End the stream, and return the last pieces and the whole reply."""
        if not self.grammar.is_cut_tag(self._held):
            text, self._held = self._held, ""
            self._take(text)
        if "/" in self._doubtful:
            self._close()
        is_cut = bool(self._held or (self.open and not self._skipping))
        raw = "".join(self._raw)
        if unit := repeated_unit(raw[-LONGEST_TAIL:], in_code=self._code.fenced):
            if not self.open:
                self._loose = remove_repetition(self._loose, unit)
            elif not self._skipping:
                block = self._blocks[self.open][-1]
                block.text = remove_repetition(block.text, unit)
        loose = self._loose.strip()
        if not self._blocks:
            reply = _without_tags(raw, loose)
            shown = (Piece(_UNDERSTANDING, reply.understanding), Piece(_ANSWER, reply.answer))
            return [*self._pieces, *(piece for piece in shown if piece.text)], reply
        fields: dict[str, object] = {}
        for name, blocks in self._blocks.items():
            tag = self.grammar.by_name[name]
            values = tuple(tag.read(block.text) for block in blocks)
            if name != CORRECTION.name or self.correction:
                fields[name] = values if tag.repeats else values[0]
        is_loose = bool(loose and not fields.get(_ANSWER))
        if is_loose:
            self._pieces.append(Piece(_ANSWER, loose))
            fields[_ANSWER] = loose
        reply = Reply(raw).with_fields(**cast("ReplyFields", fields))
        status = ReplyStatus.UNSTRUCTURED if is_loose else _status_of(reply)
        if is_cut or reply.correction:
            status = ReplyStatus.TRUNCATED if is_cut else ReplyStatus.OK
        return self._pieces, replace(reply, status=status)

    def _take(self, text: str) -> None:
        """Add plain text to the current block, and show what is no trailing white space."""
        if not self.open:
            self._loose += text
            return
        if self._skipping or not text:
            return
        if self._doubtful and not text.strip():
            self._doubtful += text
            return
        text, self._doubtful = self._doubtful + text, ""
        if self.open == _ANSWER:
            self._code.read(text)
        block = self._blocks[self.open][-1]
        text = block.pending_space + text
        text = text if block.text else text.lstrip()
        shown = text.rstrip()
        block.text, block.pending_space = block.text + shown, text[len(shown) :]
        if shown and self.grammar.by_name[self.open].shown:
            before = self._pieces.pop().text if self._pieces and self._pieces[-1].field == self.open else ""
            self._pieces.append(Piece(self.open, before + shown))

    def _take_tag(self, raw: str, name: str, *, closing: bool) -> None:
        """Open or close a block, or add the tag to the answer as text."""
        if self._around and not (closing and name == self.open):
            self._close()
        tag, outer = self.grammar.by_name[name], self.grammar.by_name.get(self.open)
        is_inside = bool(outer and tag.anywhere and not (outer.anywhere or closing or self._skipping))
        if self.open == _ANSWER and self._is_in_answer(name, closing=closing, is_inside=is_inside):
            if name == _ANSWER:
                text, self._doubtful = self._doubtful, ""
                self._take(text)
                self._doubtful = "" if self._skipping else raw
            elif not closing or name in self._quoted or self._code.is_in_code():  # else nothing opened it
                self._take(raw)
                self._quoted.add(name)
        elif not closing:
            if is_inside:
                self._around = self.open
            elif self.open:
                self._close()
            self.open, self._skipping = name, name in self._blocks and not tag.repeats
            if not self._skipping:
                self._blocks.setdefault(name, []).append(_Block())
                self._loose = "" if name == _UNDERSTANDING else self._loose
        elif name == self.open:
            self._close()
        elif not self.open:
            loose, self._loose = _TAG_REST.sub("", self._loose), ""
            if loose.strip() and not self.so_far(name) and not tag.anywhere:  # it was not opened: its text is before it
                self.open, self._blocks[name] = name, [_Block()]
                self._take(loose)
                self._close()

    def _is_in_answer(self, name: str, *, closing: bool, is_inside: bool) -> bool:
        """Return True if a tag in the answer neither ends it nor opens a block inside it."""
        is_end = closing and name == _ANSWER
        if self._skipping or closing or name == _ANSWER:
            return not is_end or (not self._skipping and self._code.is_in_code())
        if self._code.is_in_code():
            return True
        answer = self._blocks[_ANSWER][-1]
        is_next = "\n" in answer.pending_space if answer.text else name == _UNDERSTANDING and name not in self._blocks
        return not (is_next or is_inside)

    def _close(self) -> None:
        if not self._skipping:
            self._blocks[self.open][-1].closed = True
        self.open, self._around, self._skipping, self._doubtful = self._around, "", False, ""


def _status_of(reply: Reply) -> ReplyStatus:
    if reply.answer:
        return ReplyStatus.OK if reply.understanding else ReplyStatus.NO_UNDERSTANDING
    return ReplyStatus.NO_ANSWER if reply.understanding else ReplyStatus.EMPTY


def _without_tags(raw: str, text: str) -> Reply:
    """Parse a reply without tags: its labels, or else the whole text as the answer."""
    labels = _LABELS.match(text)
    if labels is None:
        return Reply.of(raw, answer=text, status=ReplyStatus.UNSTRUCTURED if text else ReplyStatus.EMPTY)
    reply = Reply.of(raw, labels["understanding"].strip(), labels["answer"].strip())
    return replace(reply, status=_status_of(reply))


def parse_reply(text: str, grammar: Grammar = GRAMMAR) -> Reply:
    """Parse a whole reply."""
    parser = ReplyParser(grammar)
    parser.feed(text)
    return parser.finish()[1]
