"""Filter every streaming reply of a model: keep only the text for the user.

The filter joins surrogate pairs (emoji) that arrive in two pieces, removes thinking and the marks of chat templates,
and stops a reply that repeats itself endlessly. In code between backticks, marks are text, except at the very end. The
result does not depend on the split into pieces. The time is linear in the length of the reply.

    <think>…</think>   [THINK]…[/THINK]   ◁think▷…◁/think▷   <|channel|>analysis<|message|>…<|end|>   <|im_end|>   </s>

Names of marks are matched by their form, without a list of models. Every repetition in a pattern is bounded.
"""

import re
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from enum import Enum, auto

from assistant.text.cleaning import join_halves

ANY_TAG = re.compile(r"<\s{0,3}/?\s{0,3}[a-z]{1,20}\s{0,3}>", re.IGNORECASE)
_THOUGHT = r"(?:ant)?think(?:ing)?|thoughts?|reasoning|scratchpad|(?:inner|internal)[_-]monologue"
_NAME = rf"(?:[a-z]{{1,12}}[:_-]){{0,2}}(?:{_THOUGHT})(?:[:_-][a-z]{{1,12}})?"
_CHANNEL = (
    r"<\|channel\|>\s{0,3}(?P<channel>[a-z]{1,12})[^<\n]{0,80}(?:<\|constrain\|>[^<\n]{0,20})?<\|message\|>"
    r"|<\|?channel\|?>\s{0,3}(?P<bare>analysis|commentary|thoughts?|final)\b\s{0,2}"
)
_ROLE = (
    r"(?:<[|｜](?:im_start|start|start_header_id)[|｜]>|<start_of_turn>)"
    r"\s{0,2}(?P<role>assistant|model|user|human|system|developer|tool|ipython)(?![a-z])(?:<\|end_header_id\|>)?\n{0,2}"
)
MARK = re.compile(
    rf"{_CHANNEL}|{_ROLE}"
    r"|<[|｜][\w.:▁ /-]{1,42}[|｜]>"
    r"|<(?:[|｜][a-z_]{1,20}|[a-z_]{1,20}[|｜])>"
    rf"|<\s{{0,3}}/?\s{{0,3}}{_NAME}(?:\s{{1,3}}[a-z]{{1,12}}=[^<>\n]{{0,40}})?\s{{0,3}}/?>"
    r"|(?-i:\[/?THINK(?:ING)?\])|◁/?think(?:ing)?▷"
    r"|<(?:(?:start|end|begin)_of_[a-z_]{1,15}|eos|bos|pad|eot|eod|unused\d{1,3})>|</?s>",
    re.IGNORECASE,
)
_STARTS = re.compile(r"[<\[◁]")  # the first character of a mark
# The possible start of a mark, at the end of a text.
_PARTIAL = re.compile(r"<\s{0,3}/?\s{0,3}(?:[a-z|｜][^<>]{0,130})?\Z|\[[/A-Z]{0,9}\Z|◁[/a-z]{0,8}\Z", re.IGNORECASE)
# A mark that is read together with the next `_LONGEST_HEADER` characters.
_HEADER = re.compile(r"<\|?channel\|?>|<[|｜](?:im_start|start|start_header_id)[|｜]>|<start_of_turn>", re.IGNORECASE)
_LONGEST_HEADER = 160
_OTHER_ROLES = frozenset({"user", "human", "system", "developer", "tool", "ipython"})
_OF_CHANNELS = frozenset({"end", "start", "return", "call", "message", "channel"})
_CLOSES = re.compile(r"\W[|｜]?\s*(?:/|end|eo)")
_LONGEST_LEAD = 260  # characters up to the end of the first tag; longer text may be thinking
# Channels of gpt-oss from servers that drop the marks.
_UNMARKED, _UNMARKED_END = ("analysis", "commentary"), "assistantfinal"

_LONGEST_UNIT = 400  # characters that repeat
_PROBE = 60  # last characters, to search for their previous occurrence
_LEAST, _LEAST_UNITS = 1_000, 5  # minimum characters and units of a repetition
_LEAST_OF_DATA = 4_000  # minimum characters in code, and of units without a letter: zeros, dashes, table rows
LONGEST_TAIL = _LEAST_OF_DATA + 2 * _LONGEST_UNIT
"""Characters at the end of a text that a check for repetition needs."""
_STEP = 97  # characters between two checks: a prime, so that it is no multiple of a unit


class MarkEffect(Enum):
    OPENS = auto()  # thinking begins
    CLOSES = auto()  # thinking ends
    OPENS_CHANNEL = auto()  # a channel of thinking begins, any other one ends
    ENDS_CHANNEL = auto()  # a channel ends, or the channel of the answer begins
    ASKS = auto()  # another role begins: the reply is over
    NONE = auto()  # the mark is removed


def _read_mark(found: re.Match[str]) -> MarkEffect:
    """Return the effect of a match of `MARK`."""
    text = found[0].lower()
    name = (found["role"] or re.sub(r"\W", "", text)).lower()
    if channel := found["channel"] or found["bare"]:
        return MarkEffect.ENDS_CHANNEL if channel.lower() in {"final", "response"} else MarkEffect.OPENS_CHANNEL
    if name in _OTHER_ROLES:
        return MarkEffect.ASKS
    if found["role"] or name in _OF_CHANNELS:
        return MarkEffect.ENDS_CHANNEL
    if name in {"unused94", "unused95"}:  # of Gemma
        return MarkEffect.OPENS if name == "unused94" else MarkEffect.CLOSES
    if not re.search(_THOUGHT, name) or name.startswith("no") or text.endswith("/>"):
        return MarkEffect.NONE
    return MarkEffect.CLOSES if _CLOSES.match(text) else MarkEffect.OPENS


@dataclass(slots=True)
class CodeTracker:
    """Tracker of Markdown code by the backticks in a streaming text: fenced blocks and inline code."""

    fenced: bool = False
    _inline: bool = False
    _ticks: int = 0  # backticks at the end so far; more may follow
    _line_is_blank: bool = True

    def read(self, text: str) -> None:
        """Advance by this text."""
        for part in re.findall(r"`+|\n|[^`\n]+", text):
            if part[0] == "`":
                self._ticks += len(part)
                continue
            self._end_ticks()
            if part == "\n":
                self._inline, self._line_is_blank = False, True
            elif not part.isspace():
                self._line_is_blank = part.rstrip().endswith(">")  # a tag, or a Markdown quotation

    def is_in_code(self) -> bool:
        """Return True if the next text is in code; it must not start with another backtick."""
        self._end_ticks()
        return self.fenced or self._inline

    def _end_ticks(self) -> None:
        if self._ticks >= 3 and self._line_is_blank:
            self.fenced = not self.fenced
        elif 0 < self._ticks < 3 and not self.fenced:
            self._inline = not self._inline
        self._line_is_blank = self._line_is_blank and not self._ticks
        self._ticks = 0


def repeated_unit(text: str, *, in_code: bool = False) -> int:
    """Return the length of the unit that the end of a text repeats endlessly, 0 if there is none.

    Only the end is compared with itself, so the cost is constant. Lists, tables, refrains and lines of dashes stay far
    below the limits.

    >>> repeated_unit("The capital is Paris. " * 50)
    22
    """
    probe = text[-_PROBE:]
    earlier = text.rfind(probe, max(0, len(text) - _PROBE - _LONGEST_UNIT), len(text) - 1)
    unit = len(text) - _PROBE - earlier
    if len(probe) < _PROBE or earlier < 0 or text[-unit:].isspace():
        return 0
    is_data = in_code or not any(map(str.isalpha, text[-unit:]))
    least = max(_LEAST_OF_DATA if is_data else _LEAST, _LEAST_UNITS * unit)
    return unit if len(text) >= least and text[-least:-unit] == text[unit - least :] else 0


def remove_repetition(text: str, unit: int) -> str:
    """Remove all but one of the repeated units of this length from the end of a text.

    >>> remove_repetition("So: yes, it is. yes, it is. yes, it is. yes", 12)
    'So: yes, it is.'
    """
    start = max(0, len(text) - unit)
    while start > 0 and text[start - 1] == text[start - 1 + unit]:
        start -= 1
    return text[: start + unit].rstrip()


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
        self._lead_start = ""
        self._depth = 0  # of nested thinking
        self._in_channel = False
        self._thoughts: list[str] = []  # since thinking began, or was last closed
        self._was_closed = False  # thinking is still open after a closing mark: an opening one may have been text
        self._code = CodeTracker()
        self._marks_in_code: list[str] = []  # text if more follows, else the end of the reply
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
        self._out += filter(str.isspace, self._marks_in_code)
        return self._taken()

    @property
    def _is_thinking(self) -> bool:
        return self._depth > 0 or self._in_channel

    def _taken(self) -> str:
        text, self._out = "".join(self._out), []
        return text

    def _read(self, text: str) -> None:
        """Read text, and stop at endless repetition, which is looked for after every `_STEP` characters."""
        while text and not self.is_over:
            room = _STEP - self._length % _STEP
            step, text = text[:room], text[room:]
            self._length += len(step)
            self._end = (self._end + step)[-LONGEST_TAIL:]
            self._read_marks(step, at_end=False)
            if self._length % _STEP == 0 and repeated_unit(self._end, in_code=self._code.fenced):
                self.is_over = True

    def _read_marks(self, text: str, *, at_end: bool) -> None:
        """Read text up to a place whose meaning depends on the next piece."""
        text, self._held, place = self._held + text, "", 0
        while place < len(text) and not self.is_over:
            start = _STARTS.search(text, place)
            self._take(text[place : start.start()] if start else text[place:])
            if start is None:
                return
            place = start.start()
            found = MARK.match(text, place)
            is_short = len(text) - place < _LONGEST_HEADER and not (found and found["channel"])
            if not at_end and (
                _PARTIAL.match(text, place) if found is None else is_short and _HEADER.match(text, place)
            ):
                self._held = text[place:]
                return
            if found is None:
                self._take(text[place])
            elif self._code.is_in_code() and not self._is_thinking:
                self._code.read(found[0])
                self._marks_in_code.append(found[0])
            else:
                self._follow(_read_mark(found))
            place = found.end() if found else place + 1

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
            self._lead, self._lead_start, self.ended_thinking = [], "", True

    def _take(self, text: str) -> None:
        """Add text without marks."""
        if not text:
            return
        if self._is_thinking:
            self._thoughts.append(text)
            return
        self._code.read(text)
        if self._marks_in_code:
            self._marks_in_code.append(text)
            if text.isspace():
                return
            text, self._marks_in_code = "".join(self._marks_in_code), []
        if self._lead is None:
            self._out.append(text)
            return
        self._lead.append(text)
        if len(self._lead_start) < _LONGEST_LEAD:
            self._lead_start = (self._lead_start + text).lstrip()[:_LONGEST_LEAD]
            if self._tags.search(self._lead_start) and not self._lead_start.startswith(_UNMARKED):
                self._end_lead()

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
