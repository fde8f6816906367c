"""Takes a model's reply apart while it streams.

    <notes>2</notes>
    <understanding>You want a word that means the same as "quick".</understanding>
    <answer>fast</answer>

The parser never takes back what it gave out, and holds back a possible partial tag, trailing white space, and a closing
tag of which it cannot be sure yet, nothing else. Any split of a text into chunks gives the same. It forgives what weak
models do: case and spaces in tags, thinking before the reply, a missing closing tag between two blocks, a block written
twice (the first counts), tags quoted inside an answer; without any tag `assistant.reply.fallback` comes in.
"""

import re
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter

from assistant.reply.fallback import without_tags
from assistant.types import Reply, ReplyStatus

_VISIBLE = {"understanding", "answer"}
_BEFORE_ANSWER = {"notes", "correction"}
_THINKING = {"think", "thinking", "thought", "reasoning"}
_TAG = re.compile(
    r"<\s{0,3}(/?)\s{0,3}(notes|correction|understanding|answer|think|thinking|thought|reasoning)\s{0,3}>", re.I
)
# Every proper beginning of a tag. The length bound keeps a lone "<" in an answer from holding anything back for long.
_PARTIAL_TAG = re.compile(r"<\s{0,3}/?\s{0,3}[a-z]{0,13}\s{0,3}", re.I)
_NOTHING = {"", "none", "no", "nothing", "n/a", "-"}
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Piece:
    """The next part of what a person sees: of the understanding, or of the answer."""

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
class _Quoting:
    """Whether the place in the answer is inside code, or inside a quoted pair of answer tags: there, tags are text."""

    fenced: bool = False
    inline: bool = False
    ticks: int = 0
    line_is_blank: bool = True
    depth: int = 0

    def read(self, text: str) -> None:
        for character in text:
            if character == "`":
                self.ticks += 1
                continue
            self._end_of_ticks()
            if character == "\n":
                self.inline, self.line_is_blank = False, True
            elif not character.isspace():
                self.line_is_blank = False

    def is_quoting(self) -> bool:
        self._end_of_ticks()
        return self.fenced or self.inline or self.depth > 0

    def _end_of_ticks(self) -> None:
        if self.ticks >= 3 and self.line_is_blank:
            self.fenced = not self.fenced
        elif 0 < self.ticks < 3 and not self.fenced:
            self.inline = not self.inline
        self.line_is_blank = self.line_is_blank and not self.ticks
        self.ticks = 0


@dataclass(slots=True)
class ReplyParser:
    """Feed it the stream, chunk by chunk, then `finish()`."""

    _raw: list[str] = field(default_factory=list)
    _held: str = ""
    _blocks: dict[str, _Block] = field(default_factory=dict)
    _open: str = ""
    _skipping: bool = False
    _thoughts: str = ""
    _loose: str = ""
    _quoting: _Quoting = field(default_factory=_Quoting)
    _doubtful_close: str = ""
    # The tag that closed the answer, and what came after it: part of the answer, if one more such tag closes it.
    _after_answer: str = ""

    @property
    def correction(self) -> str | None:
        """What the person meant, where the reply is a complete correction so far; else None.

        A model that fills in every tag it knows writes an understanding after it: then it is no correction.
        """
        block = self._blocks.get("correction")
        if block is None or not block.closed or not self._blocks.keys() <= _BEFORE_ANSWER:
            return None
        return block.text if block.text.casefold().strip(".") not in _NOTHING else None

    @property
    def knows_correction(self) -> bool:
        """Whether the reply says by now that it is a correction, or that it is none."""
        return self.correction is not None or not self._blocks.keys() <= _BEFORE_ANSWER

    def feed(self, chunk: str) -> list[Piece]:
        """Take in the next chunk of the stream; return what can be shown now."""
        self._raw.append(chunk)
        return self._consume(self._held + chunk, at_end=False)

    def finish(self) -> tuple[list[Piece], Reply]:
        """The stream has ended: the last pieces, and the whole reply."""
        pieces = self._consume(self._held, at_end=True)
        cut = bool(self._held)
        if self._open in _THINKING:
            # The thinking was never closed, so the reply, if there is one, stands in it.
            thoughts, self._thoughts, self._open = self._thoughts, "", ""
            thoughts = _TAG.sub(lambda tag: "" if tag[2].lower() in _THINKING else tag[0], thoughts)
            pieces += self._consume(thoughts, at_end=True)
            if not self._blocks:
                return [], Reply(raw="".join(self._raw), status=ReplyStatus.TRUNCATED)
        if self._doubtful_close and self._open == "answer":
            self._close()
        cut = cut or bool(self._open and not self._skipping)
        raw = "".join(self._raw)
        if not self._blocks:
            reply = without_tags(raw, self._loose)
            shown = [Piece("understanding", reply.understanding), Piece("answer", reply.answer)]
            return pieces + [piece for piece in shown if piece.text], reply
        understanding, answer = self._text_of("understanding"), self._text_of("answer")
        if "answer" not in self._blocks and (answer := self._loose.strip()):
            pieces.append(Piece("answer", answer))
        reply = Reply(
            raw=raw,
            understanding=understanding,
            answer=answer,
            status=self._status(understanding, answer, cut=cut),
            notes=tuple(int(number) for number in _NUMBER.findall(self._text_of("notes"))[:20] if len(number) < 4),
            correction=self.correction,
        )
        return pieces, reply

    def _status(self, understanding: str, answer: str, *, cut: bool) -> ReplyStatus:
        if cut:
            return ReplyStatus.TRUNCATED
        if self.correction:
            return ReplyStatus.OK
        if answer and "answer" not in self._blocks:
            return ReplyStatus.UNSTRUCTURED
        if answer:
            return ReplyStatus.OK if understanding else ReplyStatus.NO_UNDERSTANDING
        return ReplyStatus.NO_ANSWER if understanding else ReplyStatus.EMPTY

    def _text_of(self, name: str) -> str:
        block = self._blocks.get(name)
        return block.text if block else ""

    def _consume(self, text: str, *, at_end: bool) -> list[Piece]:
        pieces: list[Piece] = []
        self._held = ""
        position = 0
        while position < len(text):
            start = text.find("<", position)
            if start < 0:
                self._take(text[position:], pieces)
                break
            self._take(text[position:start], pieces)
            tag = _TAG.match(text, start)
            if tag:
                self._take_tag(tag[0], tag[2].lower(), closing=bool(tag[1]), pieces=pieces)
                position = tag.end()
                continue
            partial = _PARTIAL_TAG.match(text, start)
            if partial and partial.end() == len(text):
                if at_end and not self._is_beginning_of_close(partial[0]):
                    self._take(partial[0], pieces)
                else:
                    self._held = partial[0]
                break
            self._take("<", pieces)
            position = start + 1
        runs = groupby(pieces, attrgetter("field"))
        return [Piece(name, "".join(piece.text for piece in run)) for name, run in runs]

    def _is_beginning_of_close(self, text: str) -> bool:
        squeezed = "".join(text.split()).lower()
        return bool(self._open) and len(squeezed) > 1 and f"</{self._open}>".startswith(squeezed)

    def _take(self, text: str, pieces: list[Piece]) -> None:
        """Plain text, wherever the parser stands."""
        if not text:
            return
        if self._open in _THINKING:
            self._thoughts += text
        elif not self._open:
            self._loose += text
            self._after_answer += text if self._after_answer else ""
        elif not self._skipping:
            if self._doubtful_close and text.strip():
                # More follows, so the closing tag was a quoted one.
                doubtful, self._doubtful_close = self._doubtful_close, ""
                self._quoting.depth = max(0, self._quoting.depth - 1)
                self._show(doubtful, pieces)
            if self._doubtful_close:
                self._doubtful_close += text
                return
            if self._open == "answer":
                self._quoting.read(text)
            self._show(text, pieces)

    def _take_tag(self, raw: str, name: str, *, closing: bool, pieces: list[Piece]) -> None:
        if self._open in _THINKING:
            if closing and name in _THINKING:
                self._open, self._thoughts = "", ""
            else:
                self._thoughts += raw
        elif self._open == "answer" and not (
            closing and name == "answer" and (self._skipping or not self._quoting.is_quoting())
        ):
            self._take_tag_in_answer(raw, name, closing=closing, pieces=pieces)
        elif closing:
            if name == self._open:
                is_shown = not self._skipping
                self._close()
                self._after_answer = raw if name == "answer" and is_shown else ""
            elif name == "answer" and self._after_answer:
                self._open = name
                self._show(self._after_answer, pieces)
                self._close()
                self._after_answer = raw
            elif name in _THINKING and not self._blocks:
                # What came before was thinking whose opening tag is part of the model's own template.
                self._loose = ""
        else:
            self._begin(name)

    def _take_tag_in_answer(self, raw: str, name: str, *, closing: bool, pieces: list[Piece]) -> None:
        if closing and name == "answer":
            if self._doubtful_close:
                self._show(self._doubtful_close, pieces)
                self._quoting.depth = max(0, self._quoting.depth - 1)
            self._doubtful_close = raw
            return
        self._take(raw, pieces)
        if name == "answer" and not (self._quoting.fenced or self._quoting.inline):
            self._quoting.depth += 1

    def _begin(self, name: str) -> None:
        if self._open:
            self._close()
        self._after_answer = ""
        self._open = name
        self._skipping = name in self._blocks
        if name not in _THINKING and not self._skipping:
            self._blocks[name] = _Block()
            if name == "understanding":
                self._loose = ""

    def _close(self) -> None:
        if not self._skipping and self._open in self._blocks:
            self._blocks[self._open].closed = True
        self._open, self._skipping, self._doubtful_close = "", False, ""

    def _show(self, text: str, pieces: list[Piece]) -> None:
        shown = self._blocks[self._open].add(text)
        if shown and self._open in _VISIBLE:
            pieces.append(Piece(self._open, shown))


def parse_reply(text: str) -> Reply:
    """A whole reply at once."""
    parser = ReplyParser()
    parser.feed(text)
    return parser.finish()[1]
