"""The marks that models and their chat templates write around a reply: thinking, channels, roles, ends.

    <think>…</think>   [THINK]…[/THINK]   ◁think▷…◁/think▷   <|channel|>analysis<|message|>…<|end|>   <|im_end|>   </s>

Names are matched by their form, not from a list of models. Every repetition in a pattern is bounded.
"""

import re
from enum import Enum, auto

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
    r"|<[|｜](?P<special>[\w.:▁ /-]{1,42})[|｜]>"
    r"|<(?:[|｜](?P<half>[a-z_]{1,20})|(?P<other_half>[a-z_]{1,20})[|｜])>"
    rf"|<\s{{0,3}}(?P<closes>/?)\s{{0,3}}(?P<name>{_NAME})"
    r"(?:\s{1,3}[a-z]{1,12}=[^<>\n]{0,40})?\s{0,3}(?P<empty>/?)>"
    r"|(?-i:\[(?P<closes_b>/?)THINK(?:ING)?\])|◁(?P<closes_t>/?)think(?:ing)?▷"
    r"|<(?P<token>(?:start|end|begin)_of_[a-z_]{1,15}|eos|bos|pad|eot|eod|unused\d{1,3})>|</?s>",
    re.IGNORECASE,
)
STARTS = re.compile(r"[<\[◁]")
"""With these a mark may begin."""
# A beginning of a mark that has not ended, wherever it is cut.
PARTIAL = re.compile(
    r"<[|｜][\w.:▁ /-]{0,42}[|｜]?"
    r"|<\s{0,3}/?\s{0,3}[\w:▁/-]{0,40}(?:[|｜]|(?<=[a-z])\s{1,3}[a-z]{1,12}(?:=[^<>\n]{0,40})?)?\s{0,3}/?"
    r"|\[/?(?:T(?:H(?:I(?:N(?:K(?:I(?:NG?)?)?)?)?)?)?)?|◁/?[a-z]{0,8}",
    re.IGNORECASE,
)
# A mark that is read together with what follows it, and for which so many characters are waited.
HEADER = re.compile(r"<\|?channel\|?>|<[|｜](?:im_start|start|start_header_id)[|｜]>|<start_of_turn>", re.IGNORECASE)
LONGEST_HEADER = 160
CUT_MARK = re.compile(r"<(?:[|｜]\w|\s{0,3}/?\s{0,3}(?:thi|tho|reaso|end_of|start_of))|\[/?TH|◁", re.IGNORECASE)
"""A beginning of a mark that is one for certain, where a reply ends with it."""


class Mark(Enum):
    """The effect of a mark."""

    OPENS = auto()  # thinking begins
    CLOSES = auto()  # thinking ends
    ENDS = auto()  # a channel ends, or that of the answer begins; nothing else
    ASKS = auto()  # another speaker than the model begins: the reply is over


_OTHERS = frozenset({"user", "human", "system", "developer", "tool", "ipython"})
_OF_CHANNELS = frozenset({"end", "start", "return", "call", "message", "channel"})
_CLOSING = ("/", "end", "eo")


def read_mark(found: re.Match[str]) -> Mark:
    """Return the effect of a match of `MARK`; ENDS for a mark that is only left out."""
    groups = found.groupdict()
    if channel := groups["channel"] or groups["bare"]:
        return Mark.ENDS if channel.lower() in {"final", "response"} else Mark.OPENS
    if role := groups["role"]:
        return Mark.ASKS if role.lower() in _OTHERS else Mark.ENDS
    if groups["name"]:
        return Mark.ENDS if groups["empty"] else Mark.CLOSES if groups["closes"] else Mark.OPENS
    for bracket in ("closes_b", "closes_t"):
        if groups[bracket] is not None:
            return Mark.CLOSES if groups[bracket] else Mark.OPENS
    return _read_special(_special(found))


def closes_channel(found: re.Match[str]) -> bool:
    """Return True if a match of `MARK` ends the channel that it stands in."""
    return bool(found["channel"] or found["bare"] or found["role"]) or _special(found) in _OF_CHANNELS


def _special(found: re.Match[str]) -> str:
    """Return the name of a mark between bars, or of a token; empty for others."""
    names = found.group("special", "half", "other_half", "token")
    return next(filter(None, names), "").strip().lower()


def _read_special(name: str) -> Mark:
    if name in _OTHERS:
        return Mark.ASKS
    if name in {"unused94", "unused95"}:  # Gemma's
        return Mark.OPENS if name == "unused94" else Mark.CLOSES
    if not re.search("think|thought|reasoning", name) or name.startswith("no"):
        return Mark.ENDS
    return Mark.CLOSES if name.startswith(_CLOSING) else Mark.OPENS
