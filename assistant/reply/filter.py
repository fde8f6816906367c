"""Filter every streaming reply of a model: keep only the text for the user.

The filter joins surrogate pairs (emoji) that arrive in two pieces, removes thinking and the marks of chat templates,
and stops a reply that repeats itself endlessly. In code between backticks, marks are text, except at the very end. The
result does not depend on the split into pieces. The time is linear in the length of the reply.

    <think>…</think>   [THINK]…[/THINK]   ◁think▷…◁/think▷   <|channel|>analysis<|message|>…<|end|>   <|im_end|>   </s>

Names of marks are matched by their form, without a list of models. Every repetition in a pattern is bounded.
"""

import codecs
import re
from collections.abc import Generator
from contextlib import closing

ANY_TAG = re.compile(r"<\s{0,3}/?\s{0,3}[a-z]{1,20}\s{0,3}>", re.IGNORECASE)
_THOUGHT = r"(?:ant)?think(?:ing)?|thoughts?|reasoning|scratchpad|(?:inner|internal)[_-]monologue"
_NAME = rf"(?:[a-z]{{1,12}}[:_-]){{0,2}}(?:{_THOUGHT})(?:[:_-][a-z]{{1,12}})?"
_FORM = (
    r"(?:<[|｜][\w.:▁ /-]{1,42}[|｜]>|<(?:[|｜][a-z_]{1,20}|[a-z_]{1,20}[|｜])>"
    rf"|<\s{{0,3}}/?\s{{0,3}}{_NAME}(?:\s{{1,3}}[a-z]{{1,12}}=[^<>\n]{{0,40}})?\s{{0,3}}/?>"
    r"|(?-i:\[/?THINK(?:ING)?\])|◁/?think(?:ing)?▷"
    r"|<(?:(?:start|end|begin)_of_[a-z_]{1,15}|eos|bos|pad|eot|eod|unused\d{1,3})>|</?s>)"
)
_THINKS = rf"(?=[<\[◁][/|｜\s]{{0,8}}+(?!no)[\w.:▁ /-]{{0,42}}?(?:{_THOUGHT}))"
_ROLE_START = r"(?:<[|｜](?:im_start|start|start_header_id)[|｜]>|<start_of_turn>)"
_ROLE_END = r"(?![a-z])(?:<\|end_header_id\|>)?\n{0,2}"
_OTHER_ROLE = r"(?:user|human|system|developer|tool|ipython)"
_CHANNEL_END = r"[^<\n]{0,80}(?:<\|constrain\|>[^<\n]{0,20})?<\|message\|>"
_EFFECTS = {  # of the marks of chat templates; all of them are removed
    # Another role begins: the reply is over.
    "asks": rf"{_ROLE_START}\s{{0,2}}{_OTHER_ROLE}{_ROLE_END}|<[|｜]?{_OTHER_ROLE}[|｜]>|<[|｜]{_OTHER_ROLE}>",
    # A channel of thinking begins.
    "hides": rf"<\|channel\|>\s{{0,3}}(?!(?:final|response)(?![a-z]))[a-z]{{1,12}}{_CHANNEL_END}"
    r"|<\|?channel\|?>\s{0,3}(?:analysis|commentary|thoughts?)\b\s{0,2}",
    # A channel ends, or the answer's channel begins.
    "answers": rf"{_ROLE_START}\s{{0,2}}(?:assistant|model){_ROLE_END}"
    rf"|<\|channel\|>\s{{0,3}}(?:final|response){_CHANNEL_END}|<\|?channel\|?>\s{{0,3}}final\b\s{{0,2}}"
    r"|<[|｜]?(?:end|start|return|call|message|channel)[|｜]>|<[|｜](?:end|start|return|call|message|channel)>",
    # Thinking ends, or begins. The unused tokens are Gemma's.
    "closes": rf"{_THINKS}(?=\W[|｜]?\s*(?:/|end|eo)){_FORM}(?<!/>)|<unused95>",
    "opens": rf"{_THINKS}{_FORM}(?<!/>)|<unused94>",
    "other": _FORM,
}
MARK = re.compile("|".join(f"(?P<{effect}>{pattern})" for effect, pattern in _EFFECTS.items()), re.IGNORECASE)
# The end of a text that may be the start of a mark. `_ROLE_START` and channels are read with what follows them.
_UNFINISHED = (
    r"(?:<\s{0,3}/?\s{0,3}(?:[a-z|｜][^<>]{0,130})?|\[[/A-Z]{0,9}|◁[/a-z]{0,8}"
    rf"|(?:<\|?channel\|?>|{_ROLE_START})(?:(?!<\|message\|>)[\s\S]){{0,160}})\Z"
)
_MARK_OR_START = re.compile(f"(?P<unfinished>{_UNFINISHED})|{MARK.pattern}", re.IGNORECASE)
_ANY = "|".join(_EFFECTS.values())
# Only marks, perhaps with the start of another mark.
_MARKS = [re.compile(rf"(?:\s|{one})*+", re.IGNORECASE) for one in (f"{_UNFINISHED}|{_ANY}", _ANY)]
_ENDED_BY = {"opens": {"closes"}, "hides": {"hides", "answers", "asks"}}  # effects that end thinking, by its start
# Channels of gpt-oss from servers that drop their marks.
_UNMARKED = re.compile(r"(?:analysis|commentary)(?:(?!assistantfinal)[\s\S])*+assistantfinal(?P<answer>[\s\S]*+)")
_LONGEST_LEAD = 260  # characters up to the end of the first tag; longer text may be thinking
_LONGEST_END = 200  # characters of marks at the end of a reply, after code
_LONGEST_UNIT = 400  # characters that repeat
_PROBE = 60  # last characters, to search for their previous occurrence
_LEAST, _LEAST_UNITS = 1_000, 5  # minimum characters and units of a repetition
_LEAST_OF_DATA = 4_000  # minimum characters in code, and of units without a letter: zeros, dashes, table rows
_LONGEST_TAIL = _LEAST_OF_DATA + 2 * _LONGEST_UNIT
_STEP = 97  # characters between two checks: a prime, so that it is not a multiple of a unit


class CodeTracker:
    """Tracker of Markdown code by the backticks in a streaming text: fenced blocks and inline code."""

    def __init__(self) -> None:
        self.fenced = self._inline = False
        self._ticks = 0  # backticks at the end so far; more may follow
        self._line_is_blank = True

    def read(self, text: str) -> None:
        """Advance by this text."""
        for part in re.findall(r"`+|\n|[^`\n]+", text):
            if part[0] == "`":
                for _ in part:
                    self._ticks += 1
                    if self._ticks in {1, 3} and not self.fenced:  # a third backtick undoes the first: no inline code
                        self._inline = not self._inline
                    if self._ticks == 3 and self._line_is_blank:
                        self.fenced = not self.fenced
                continue
            if part == "\n":
                self._inline, self._line_is_blank = False, True
            elif part.isspace():
                self._line_is_blank = self._line_is_blank and not self._ticks
            else:
                self._line_is_blank = part.rstrip().endswith(">")  # a tag, or a Markdown quotation
            self._ticks = 0

    def is_in_code(self) -> bool:
        """Return True if the next text is in code; it must not start with another backtick."""
        return self.fenced or self._inline


def end_repetition(text: str, *, in_code: bool = False) -> str:
    """Remove all but one of the units that the end of a text repeats endlessly, if it does.

    >>> end_repetition("So: " + "yes, it is. " * 100)
    'So: yes, it is.'
    """
    probe = text[-_PROBE:]
    earlier = text.rfind(probe, max(0, len(text) - _PROBE - _LONGEST_UNIT), len(text) - 1)
    unit = len(text) - _PROBE - earlier
    if len(probe) < _PROBE or earlier < 0 or text[-unit:].isspace():
        return text
    start = len(text) - unit
    while start > 0 and text[start - 1] == text[start - 1 + unit]:
        start -= 1
    is_data = in_code or not any(map(str.isalpha, text[-unit:]))
    least = max(_LEAST_OF_DATA if is_data else _LEAST, _LEAST_UNITS * unit)
    return text[: start + unit].rstrip() if len(text) - start >= least else text


class ReplyFilter:
    """Streaming filter: `feed` it the pieces of a reply, then `finish` it; both return text for the user.

    Text before the first of the `tags` is held, since the template may have opened thinking that a mark closes later;
    not if the reply `has_begun`, and continues an earlier one.
    """

    def __init__(self, tags: re.Pattern[str] = ANY_TAG, *, has_begun: bool = False) -> None:
        self.is_over = False  # the rest of the reply is ignored
        self.ended_thinking = False  # thinking that the template had opened was closed
        self._tags = tags
        self._halves = codecs.getincrementaldecoder("utf-16-le")("replace")
        self._held = ""  # text whose meaning depends on the next piece
        self._length = 0
        self._end = ""  # of the text so far, for the detection of repetition
        self._holds_lead = not has_begun
        self._lead = ""  # the start of the text before the first tag
        self._thinking = ""  # the effect of the mark that began thinking
        self._thoughts: list[str] = []  # since thinking began
        self._code = CodeTracker()
        self._out: list[str] = []

    def feed(self, piece: str) -> str:
        """Read the next piece, and return the text that can be shown."""
        self._read(self._halves.decode(piece.encode("utf-16-le", "surrogatepass")))
        return self._taken()

    def finish(self) -> str:
        """End the reply, and return the rest of the text."""
        self._read(self._halves.decode(b"", final=True))
        if not self.is_over:
            self._read_marks("", at_end=True)
        if self._thinking and not self.is_over:
            thoughts, self._thinking = "".join(self._thoughts), ""
            tags = list(self._tags.finditer(thoughts))
            if tags and not thoughts[tags[-1].end() :].strip():  # a reply within unclosed thinking
                self._read_marks(thoughts[tags[0].start() :], at_end=True)
        if self._holds_lead and (unmarked := _UNMARKED.fullmatch("".join(self._out))):
            self._out, self.ended_thinking = [unmarked["answer"]], True
        self._holds_lead = False
        return self._taken()

    def _taken(self) -> str:
        if self._holds_lead:
            return ""
        text, self._out = "".join(self._out), []
        return text

    def _read(self, text: str) -> None:
        """Read text, and stop at endless repetition, which is looked for after every `_STEP` characters."""
        while text and not self.is_over:
            room = _STEP - self._length % _STEP
            step, text = text[:room], text[room:]
            self._length += len(step)
            self._end = (self._end + step)[-_LONGEST_TAIL:]
            self._read_marks(step, at_end=False)
            if self._length % _STEP == 0 and end_repetition(self._end, in_code=self._code.fenced) != self._end:
                self.is_over = True

    def _read_marks(self, text: str, *, at_end: bool) -> None:
        """Read text up to a place whose meaning depends on the next piece."""
        text, self._held, place = self._held + text, "", 0
        for mark in (MARK if at_end else _MARK_OR_START).finditer(text):
            self._take(text[place : mark.start()])
            place = mark.end()
            if mark.lastgroup == "unfinished":
                self._held = mark[0]
            elif self._thinking or not self._code.is_in_code():
                self._follow(mark.lastgroup or "")
            elif len(text) - mark.start() > _LONGEST_END or not _MARKS[at_end].fullmatch(text, mark.start()):
                self._take(mark[0])
            elif not at_end:
                self._held, place = text[mark.start() :], len(text)
                break
            if self.is_over:
                return
        self._take(text[place:])

    def _follow(self, effect: str) -> None:
        """Apply the effect of a mark, which is a key of `_EFFECTS`."""
        if self._thinking and effect not in _ENDED_BY[self._thinking]:
            return
        if effect == "closes" and not self._thinking and self._holds_lead:
            self._out, self._lead, self.ended_thinking = [], "", True
        self.is_over = effect == "asks"
        self._thinking, self._thoughts = effect if effect in _ENDED_BY else "", []

    def _take(self, text: str) -> None:
        """Add text without marks."""
        if self._thinking:
            self._thoughts.append(text)
            return
        self._code.read(text)
        if self._holds_lead and len(self._lead) < _LONGEST_LEAD:
            text = text if self._lead else text.lstrip()
            self._lead = (self._lead + text)[:_LONGEST_LEAD]
            self._holds_lead = self._tags.search(self._lead) is None
        self._out.append(text)


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
