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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import cast

from assistant.reply.code import CodeTracker
from assistant.reply.fields import Reply, ReplyFields, ReplyStatus
from assistant.reply.grammar import ANSWER, CORRECTION, GRAMMAR, NOTES, UNDERSTANDING, Grammar
from assistant.reply.repetition import LONGEST_TAIL, remove_repetition, repeated_unit

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
    open: str = ""  # the tag of the current block, empty between blocks
    _raw: list[str] = field(default_factory=list)
    _held: str = ""  # an incomplete tag
    _pieces: list[Piece] = field(default_factory=list)  # to be shown after this chunk
    _blocks: dict[str, list[_Block]] = field(default_factory=dict)
    _around: str = ""  # the block around the open one, which continues after it
    _skipping: bool = False
    _loose: str = ""
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
        is_usual = _UNDERSTANDING in self._blocks or _ANSWER in self._blocks
        return str(CORRECTION.read(said[0])) or None if said and not is_usual else None

    @property
    def knows_correction(self) -> bool:
        """Return True if it is clear whether the reply is a correction."""
        return bool(self.correction) or _UNDERSTANDING in self._blocks or _ANSWER in self._blocks

    def other_text(self, names: Iterable[str]) -> str:
        """Return the text of the first of these tags that has any, else of the notes, for a reply without an answer."""
        texts = [self.so_far(name) for name in names]
        notes = self.so_far(NOTES.name).partition("\n")[2] if self.open == NOTES.name else ""
        return next(filter(None, (*texts, notes.strip())), "")

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
            self._say_once(unit)
        if not self._blocks:
            reply = _without_tags(raw, self._loose.strip())
            shown = (Piece(_UNDERSTANDING, reply.understanding), Piece(_ANSWER, reply.answer))
            return [*self._pieces, *(piece for piece in shown if piece.text)], reply
        fields = dict(self._fields())
        if not fields.get(_ANSWER) and (answer := self._loose.strip()):
            self._pieces.append(Piece(_ANSWER, answer))
            fields[_ANSWER] = answer
        reply = Reply(raw).with_fields(**cast("ReplyFields", fields))
        return self._pieces, replace(reply, status=self._status(reply, is_cut=is_cut))

    def _say_once(self, unit: int) -> None:
        """Remove endless repetition from the end of the reply."""
        if not self.open:
            self._loose = remove_repetition(self._loose, unit)
        elif not self._skipping:
            block = self._blocks[self.open][-1]
            block.text = remove_repetition(block.text, unit)

    def _fields(self) -> Iterator[tuple[str, object]]:
        for name, blocks in self._blocks.items():
            tag = self.grammar.by_name[name]
            values = tuple(tag.read(block.text) for block in blocks)
            if name != CORRECTION.name or self.correction:
                yield name, values if tag.repeats else values[0]

    def _status(self, reply: Reply, *, is_cut: bool) -> ReplyStatus:
        if is_cut:
            return ReplyStatus.TRUNCATED
        if reply.correction:
            return ReplyStatus.OK
        is_loose = bool(reply.answer) and not self.so_far(_ANSWER)
        return ReplyStatus.UNSTRUCTURED if is_loose else _status_of(reply)

    def _take(self, text: str) -> None:
        """Add plain text to the current block."""
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
        shown = self._blocks[self.open][-1].add(text)
        if shown and self.grammar.by_name[self.open].shown:
            before = self._pieces.pop().text if self._pieces and self._pieces[-1].field == self.open else ""
            self._pieces.append(Piece(self.open, before + shown))

    def _take_tag(self, raw: str, name: str, *, closing: bool) -> None:
        if self._around and not (closing and name == self.open):
            self._close()
        if self.open == _ANSWER and not self._ends_answer(name, closing=closing):
            self._take_in_answer(raw, name, closing=closing)
        elif not closing:
            self._begin(name)
        elif name == self.open:
            self._close()
        elif not self.open:
            self._close_unopened(name)

    def _ends_answer(self, name: str, *, closing: bool) -> bool:
        """Return True if a tag in the answer is no text: it closes it, opens a block inside it, or begins the next."""
        if self._skipping:
            return closing and name == _ANSWER
        if self._code.is_in_code():
            return False
        if closing or name == _ANSWER:
            return closing and name == _ANSWER
        answer = self._blocks[_ANSWER][-1]
        is_next = "\n" in answer.pending_space if answer.text else name == _UNDERSTANDING and name not in self._blocks
        return is_next or self._goes_inside(name)

    def _take_in_answer(self, raw: str, name: str, *, closing: bool) -> None:
        """Add a tag to the answer as text; drop a closing tag that nothing opened."""
        if name == _ANSWER:
            text, self._doubtful = self._doubtful, ""
            self._take(text)
            self._doubtful = "" if self._skipping else raw
        elif not closing or name in self._quoted or self._code.is_in_code():
            self._take(raw)
            self._quoted.add(name)

    def _goes_inside(self, name: str) -> bool:
        """Return True if an opening tag belongs inside the current block; else it ends that."""
        around, inner = (self.grammar.by_name.get(tag) for tag in (self.open, name))
        return bool(around and inner and inner.anywhere and not around.anywhere and not self._skipping)

    def _close_unopened(self, name: str) -> None:
        """Make the text before an unopened closing tag its block."""
        loose, self._loose = _TAG_REST.sub("", self._loose), ""
        if loose.strip() and not self.so_far(name) and not self.grammar.by_name[name].anywhere:
            self._blocks.pop(name, None)
            self._begin(name)
            self._take(loose)
            self._close()

    def _begin(self, name: str) -> None:
        if self._goes_inside(name):
            self._around = self.open
        elif self.open:
            self._close()
        self.open = name
        self._skipping = name in self._blocks and not self.grammar.by_name[name].repeats
        if not self._skipping:
            self._blocks.setdefault(name, []).append(_Block())
            if name == _UNDERSTANDING:
                self._loose = ""

    def _close(self) -> None:
        if not self._skipping and self.open in self._blocks:
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
