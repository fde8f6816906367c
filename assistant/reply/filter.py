"""Filter every streaming reply of a model: keep only the text for the user.

The filter joins surrogate pairs (emoji) that arrive in two pieces, removes thinking and the marks of chat templates
(`assistant.reply.marks`), and stops a reply that repeats itself endlessly. In code between backticks, marks are text.
The result does not depend on the split into pieces. The time is linear in the length of the reply.
"""

import re
from collections.abc import Generator
from contextlib import closing

from assistant.reply.code import CodeTracker
from assistant.reply.marks import END, HEADER, LONGEST_HEADER, MARK, PARTIAL, STARTS, MarkEffect, read_mark
from assistant.reply.repetition import LONGEST_TAIL, STEP, repeated_unit
from assistant.text.cleaning import join_halves

ANY_TAG = re.compile(r"<\s{0,3}/?\s{0,3}[a-z]{1,20}\s{0,3}>", re.IGNORECASE)
_LONGEST_LEAD = 260  # characters up to the end of the first tag; longer text may be thinking
_LONGEST_END = 400  # characters of marks and white space at the end of a reply
# Channels of gpt-oss from servers that drop the marks.
_UNMARKED, _UNMARKED_END = ("analysis", "commentary"), "assistantfinal"


class ReplyFilter:
    """Streaming filter: `feed` it the pieces of a reply, then `finish` it; both return text for the user.

    Text before the first tag is held, since the template may have opened thinking that a mark closes later.

    Args:
        tags: pattern of the tags of the reply.
        has_begun: True if the reply continues an earlier one, so that no template has opened thinking.
    """

    def __init__(self, tags: re.Pattern[str] = ANY_TAG, *, has_begun: bool = False) -> None:
        self.is_over = False  # the rest of the reply is ignored
        self.ended_thinking = False  # thinking that the template had opened was closed
        self._tags = tags
        self._half = ""  # high surrogate
        self._held = ""  # text whose meaning depends on the next piece
        self._length = 0
        self._end = ""  # of the text so far, for the detection of repetition
        self._lead: list[str] | None = None if has_begun else []  # text before the first tag; None after it
        self._lead_length = 0
        self._depth = 0  # of nested thinking
        self._in_channel = False
        self._thoughts: list[str] = []  # since thinking began, or was last closed
        self._was_closed = False  # thinking is still open after a closing mark: an opening one may have been text
        self._code = CodeTracker()
        self._out: list[str] = []

    def feed(self, piece: str) -> str:
        """Read the next piece, and return the text that can be shown."""
        piece = self._half + piece
        self._half = piece[-1:] if "\ud800" <= piece[-1:] <= "\udbff" else ""
        self._read(join_halves(piece[: len(piece) - len(self._half)]))
        return self._taken()

    def finish(self) -> str:
        """End the reply, and return the rest of the text."""
        self._read("\ufffd" if self._half else "")
        self._read_marks("", at_end=True)
        if self._is_thinking and not self.is_over:
            thoughts, self._depth, self._in_channel = "".join(self._thoughts), 0, False
            tags = list(self._tags.finditer(thoughts))
            if self._was_closed:
                self._read_marks(thoughts, at_end=True)
            elif tags and not thoughts[tags[-1].end() :].strip():  # a reply within unclosed thinking
                self._read_marks(thoughts[tags[0].start() :], at_end=True)
        self._end_lead()
        return self._taken()

    @property
    def _is_thinking(self) -> bool:
        return self._depth > 0 or self._in_channel

    def _taken(self) -> str:
        text, self._out = "".join(self._out), []
        return text

    def _read(self, text: str) -> None:
        """Read text, and stop at endless repetition, which is looked for after every `STEP` characters."""
        while text and not self.is_over:
            room = STEP - self._length % STEP
            step, text = text[:room], text[room:]
            self._length += len(step)
            self._end = (self._end + step)[-LONGEST_TAIL:]
            self._read_marks(step, at_end=False)
            if self._length % STEP == 0 and repeated_unit(self._end, in_code=self._code.fenced):
                self.is_over = True

    def _read_marks(self, text: str, *, at_end: bool) -> None:
        """Read text up to a place whose meaning depends on the next piece."""
        text, self._held, place = self._held + text, "", 0
        while place < len(text) and not self.is_over:
            start = STARTS.search(text, place)
            begin = start.start() if start else len(text)
            if begin > place:
                self._take(text[place:begin])
                place = begin
                continue
            after = self._read_mark(text, place, at_end=at_end)
            if after is None:
                self._held = text[place:]
                return
            place = after

    def _read_mark(self, text: str, place: int, *, at_end: bool) -> int | None:
        """Read a possible mark, and return the position after it, or None if more text is needed."""
        found, length = MARK.match(text, place), len(text) - place
        is_whole = at_end or length >= LONGEST_HEADER or (found and found["channel"])
        if not is_whole and HEADER.match(text, place):
            return None
        is_mark = found is not None
        if found and not self._is_thinking and self._code.is_in_code():
            # In code that is not closed, the marks at the end of a reply are no text.
            has_no_effect = read_mark(found) in {MarkEffect.NONE, MarkEffect.ENDS_CHANNEL}
            is_mark = has_no_effect and length < _LONGEST_END and END.match(text, place) is not None
            if is_mark and not at_end:
                return None
        if found and is_mark:
            self._follow(read_mark(found))
            return found.end()
        if not (found or at_end) and PARTIAL.match(text, place):
            return None
        self._take(text[place])
        return place + 1

    def _follow(self, mark: MarkEffect) -> None:
        """Apply the effect of a mark."""
        if self._depth:
            if mark is MarkEffect.CLOSES:
                self._depth, self._thoughts, self._was_closed = self._depth - 1, [], True
            elif mark is MarkEffect.OPENS and any(map(str.strip, self._thoughts)):  # else it was opened twice
                self._depth += 1
            return
        if self._in_channel and mark in {MarkEffect.OPENS, MarkEffect.CLOSES, MarkEffect.NONE}:
            return
        self._in_channel = mark is MarkEffect.OPENS_CHANNEL
        if mark in {MarkEffect.OPENS, MarkEffect.OPENS_CHANNEL}:
            self._depth, self._thoughts, self._was_closed = int(mark is MarkEffect.OPENS), [], False
        elif mark is MarkEffect.ASKS:
            self.is_over = True
        elif mark is MarkEffect.CLOSES and self._lead is not None:
            self._lead, self._lead_length, self.ended_thinking = [], 0, True

    def _take(self, text: str) -> None:
        """Add text without marks."""
        if self._is_thinking:
            self._thoughts.append(text)
            return
        self._code.read(text)
        if self._lead is None:
            self._out.append(text)
            return
        self._lead.append(text)
        if self._lead_length <= _LONGEST_LEAD:
            lead = "".join(self._lead).lstrip()
            tag = self._tags.search(lead[:_LONGEST_LEAD])
            if tag and not lead.startswith(_UNMARKED):
                self._end_lead()
        self._lead_length += len(text)

    def _end_lead(self) -> None:
        """Show the text before the first tag."""
        lead, self._lead = "".join(self._lead or ()).lstrip(), None
        self._out.append(lead.rpartition(_UNMARKED_END)[2] if lead.startswith(_UNMARKED) else lead)


def visible(stream: Generator[str, None, None], reply: ReplyFilter | None = None) -> Generator[str, None, None]:
    """Filter a stream: yield the text for the user, or an empty piece if there is none yet.

    Closes the stream when it is closed, or as soon as the reply is over.
    """
    reply = reply or ReplyFilter()
    with closing(stream):
        for piece in stream:
            yield reply.feed(piece) if piece else piece
            if reply.is_over:
                break
    yield reply.finish()
