"""Filter every streaming reply of a model: keep only the text for the user.

The filter joins surrogate pairs (emoji) that arrive in two pieces, removes thinking and the marks of chat templates
(`assistant.reply.marks`), and stops a reply that repeats itself endlessly. In code between backticks, marks are text.
The result does not depend on the split into pieces. The time is linear in the length of the reply.
"""

import math
import re
from collections.abc import Generator
from contextlib import closing

from assistant.reply.code import CodeTracker
from assistant.reply.marks import CUT_MARK, HEADER, LONGEST_HEADER, MARK, PARTIAL, STARTS, MarkEffect, read_mark
from assistant.reply.repetition import LONGEST_TAIL, STEP, repeated_unit
from assistant.text.cleaning import join_halves

ANY_TAG = re.compile(r"<\s{0,3}/?\s{0,3}[a-z]{1,20}\s{0,3}>", re.IGNORECASE)
_LONGEST_LEAD = 200  # characters before the first tag; longer text may be thinking that the template has opened
_LONGEST_TAG = 60
_LONGEST_END = 400  # characters of marks and white space at the end of a reply
_SPACE, _LINE_END = re.compile(r"\s+"), re.compile(r"[ \t]{0,100}\n")
# Channels of gpt-oss from servers that drop the marks.
_UNMARKED, _UNMARKED_END = ("analysis", "commentary"), "assistantfinal"


class ReplyFilter:
    """Streaming filter: `feed` it the pieces of a reply, then `finish` it; both return text for the user.

    Text that may turn out to be thinking is buffered up to the next tag: before the first tag, since a template may
    have opened thinking, and after thinking that was opened twice and closed once.

    Args:
        tags: pattern of the tags of the reply.
        has_begun: True if the reply continues an earlier one, so that no template has opened thinking.
    """

    def __init__(self, tags: re.Pattern[str] = ANY_TAG, *, has_begun: bool = False) -> None:
        self.is_over = False  # the rest of the reply is ignored
        self.ended_thinking = False  # thinking that the template had opened was closed
        self._tags = tags
        self._half = ""  # high surrogate
        self._text = ""  # unread text
        self._unclosed: float = 0 if has_begun else math.inf  # marks that may still close thinking
        self._lead: list[str] | None = None if has_begun else []  # text that may be thinking; None: buffer off
        self._lead_length = 0
        self._thinking: MarkEffect | None = None  # the kind of mark that opened it
        self._thoughts = _Text()
        self._shown = _Text()
        self._out: list[str] = []

    def feed(self, piece: str) -> str:
        """Read the next piece, and return the text that can be shown."""
        piece = self._half + piece
        self._half = piece[-1:] if "\ud800" <= piece[-1:] <= "\udbff" else ""
        self._text += join_halves(piece[: len(piece) - len(self._half)])
        self._read(at_end=False)
        return self._taken()

    def finish(self) -> str:
        """End the reply, and return the rest of the text."""
        self._text += "\ufffd" if self._half else ""
        self._half = ""
        self._read(at_end=True)
        if self._thinking and not self._thoughts.repeats:  # unclosed thinking may contain a reply that ends in a tag
            thoughts = self._thoughts.whole()
            tags = list(self._tags.finditer(thoughts))
            has_reply = tags and not thoughts[tags[-1].end() :].strip()
            self._thinking, self._text = None, thoughts[tags[0].start() :] if has_reply else ""
            self._read(at_end=True)
        lead, self._lead = "".join(self._lead or ()), None
        self._out.append(lead.rpartition(_UNMARKED_END)[2] if lead.startswith(_UNMARKED) else lead)
        return self._taken()

    def _taken(self) -> str:
        text, self._out = "".join(self._out), []
        return text

    def _read(self, *, at_end: bool) -> None:
        """Read the text, up to a place whose meaning depends on the next piece."""
        text, self._text, place = self._text, "", 0
        while place < len(text) and not self.is_over:
            start = STARTS.search(text, place)
            if start is None or start.start() > place:
                after = start.start() if start else len(text)
                self._take(text[place:after])
            else:
                after = self._possible_mark(text, place, at_end=at_end)
            if after < 0:
                self._text = text[place:]
                return
            place = after

    def _possible_mark(self, text: str, place: int, *, at_end: bool) -> int:
        """Read a possible mark, and return the position after it, or -1 if more text is needed."""
        found, partial = MARK.match(text, place), PARTIAL.match(text, place)
        is_whole = at_end or len(text) - place >= LONGEST_HEADER or (found is not None and bool(found["channel"]))
        if not is_whole and HEADER.match(text, place):
            return -1
        if found:
            is_mark = self._thinking or not self._shown.code.is_in_code() or self._is_end(text, found, at_end=at_end)
            if is_mark is None:
                return -1
            if is_mark:
                self._follow(found)
                return found.end()
        elif partial and partial.end() == len(text):
            if not at_end:
                return -1
            if CUT_MARK.match(partial[0]):
                return len(text)
        self._take(text[place])
        return place + 1

    def _is_end(self, text: str, found: re.Match[str], *, at_end: bool) -> bool | None:
        """Return True if a mark in unclosed code ends the line or the reply; None if more text is needed."""
        if read_mark(found) not in {MarkEffect.NONE, MarkEffect.ENDS_CHANNEL}:
            return False
        place = found.end()
        if not self._shown.code.fenced and _LINE_END.match(text, place):
            return True
        if len(text) > found.start() + _LONGEST_END:
            return False
        while (further := MARK.match(text, place) or _SPACE.match(text, place)) and not HEADER.match(text, place):
            place = further.end()
        partial = PARTIAL.match(text, place)
        if len(text) > max(place, partial.end() if partial else 0):
            return False
        return True if at_end else None

    def _follow(self, found: re.Match[str]) -> None:
        """Apply the effect of a mark."""
        mark = read_mark(found)
        if self._thinking is MarkEffect.OPENS:
            self._unclosed += (mark is MarkEffect.OPENS) - (mark is MarkEffect.CLOSES)
            if mark is MarkEffect.CLOSES:
                self._thinking = None
                if self._unclosed and self._lead is None:  # more thinking may follow, or an opening mark was only text
                    self._lead, self._lead_length = [], 0
            return
        if self._thinking:
            if mark in {MarkEffect.OPENS, MarkEffect.CLOSES, MarkEffect.NONE}:
                return
            self._thinking = None
        if mark is MarkEffect.ASKS:
            self.is_over = True
        elif mark in {MarkEffect.OPENS, MarkEffect.OPENS_CHANNEL}:
            self._thinking, self._thoughts = mark, _Text()
            self._unclosed += mark is MarkEffect.OPENS
        elif self._lead is not None and mark is MarkEffect.CLOSES:
            self._unclosed -= 1
            self._lead, self._lead_length, self.ended_thinking = [] if self._unclosed else None, 0, True

    def _take(self, text: str) -> None:
        """Add text without marks."""
        if not text or self.is_over:
            return
        if self._thinking:
            self._thoughts.add(text)
            self.is_over = self._thoughts.repeats
            return
        text = self._shown.add(text)
        self.is_over = self._shown.repeats
        if self._lead is None:
            self._out.append(text)
            return
        is_beginning = self._unclosed == math.inf and not self._lead_length
        text = text.lstrip() if is_beginning else text
        self._lead.append(text)
        if self._lead_length <= _LONGEST_LEAD + _LONGEST_TAG:
            lead = "".join(self._lead)
            tag = self._tags.search(lead)
            if tag and tag.start() <= _LONGEST_LEAD and not lead.startswith(_UNMARKED):
                self._out.append(lead)
                self._lead, self._unclosed = None, 0
        self._lead_length += len(text)


class _Text:
    """Growing text that stops at endless repetition."""

    def __init__(self) -> None:
        self.length = 0
        self.repeats = False
        self.code = CodeTracker()
        self._parts: list[str] = []
        self._end = ""

    def add(self, text: str) -> str:
        """Add a text, and return it up to the repetition."""
        taken = 0
        while taken < len(text) and not self.repeats:
            step = text[taken : taken + STEP - self.length % STEP]
            self._end = (self._end + step)[-LONGEST_TAIL:]
            self.length += len(step)
            taken += len(step)
            self.code.read(step)
            self.repeats = self.length % STEP == 0 and bool(repeated_unit(self._end, in_code=self.code.fenced))
        text = text[:taken]
        self._parts.append(text)
        return text

    def whole(self) -> str:
        return "".join(self._parts)


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
