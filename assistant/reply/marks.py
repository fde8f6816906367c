"""Patterns of the marks that models and chat templates write around a reply: thinking, channels, roles, ends.

    <think>…</think>   [THINK]…[/THINK]   ◁think▷…◁/think▷   <|channel|>analysis<|message|>…<|end|>   <|im_end|>   </s>

Names are matched by their form, without a list of models. Every repetition in a pattern is bounded.
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
    r"|<[|｜][\w.:▁ /-]{1,42}[|｜]>"
    r"|<(?:[|｜][a-z_]{1,20}|[a-z_]{1,20}[|｜])>"
    rf"|<\s{{0,3}}/?\s{{0,3}}{_NAME}(?:\s{{1,3}}[a-z]{{1,12}}=[^<>\n]{{0,40}})?\s{{0,3}}/?>"
    r"|(?-i:\[/?THINK(?:ING)?\])|◁/?think(?:ing)?▷"
    r"|<(?:(?:start|end|begin)_of_[a-z_]{1,15}|eos|bos|pad|eot|eod|unused\d{1,3})>|</?s>",
    re.IGNORECASE,
)
STARTS = re.compile(r"[<\[◁]")
"""The first character of a mark."""
PARTIAL = re.compile(r"<\s{0,3}/?\s{0,3}(?:[a-z|｜][^<>]{0,130})?\Z|\[[/A-Z]{0,9}\Z|◁[/a-z]{0,8}\Z", re.IGNORECASE)
"""The possible start of a mark, at the end of a text."""
# A mark that is read together with the next `LONGEST_HEADER` characters.
HEADER = re.compile(r"<\|?channel\|?>|<[|｜](?:im_start|start|start_header_id)[|｜]>|<start_of_turn>", re.IGNORECASE)
LONGEST_HEADER = 160
_END_PART = rf"(?!{HEADER.pattern})(?>{MARK.pattern})|\s{{1,9}}+"
END = re.compile(rf"(?=<)(?:{_END_PART}){{1,9}}+(?:{PARTIAL.pattern}|\Z)", re.IGNORECASE)
"""Marks without a header, and white space, up to the end of a text."""


class MarkEffect(Enum):
    """The effect of a mark."""

    OPENS = auto()  # thinking begins
    CLOSES = auto()  # thinking ends
    OPENS_CHANNEL = auto()  # a channel of thinking begins, any other one ends
    ENDS_CHANNEL = auto()  # a channel ends, or the channel of the answer begins
    ASKS = auto()  # another role begins: the reply is over
    NONE = auto()  # no effect; the mark is removed


_OTHERS = frozenset({"user", "human", "system", "developer", "tool", "ipython"})
_OF_CHANNELS = frozenset({"end", "start", "return", "call", "message", "channel"})
_CLOSES = re.compile(r"\W[|｜]?\s*(?:/|end|eo)")
_OF_GEMMA = {"unused94": MarkEffect.OPENS, "unused95": MarkEffect.CLOSES}


def read_mark(found: re.Match[str]) -> MarkEffect:
    """Return the effect of a match of `MARK`."""
    text = found[0].lower()
    name = found["role"] or re.sub(r"\W", "", text)
    if channel := found["channel"] or found["bare"]:
        return MarkEffect.ENDS_CHANNEL if channel.lower() in {"final", "response"} else MarkEffect.OPENS_CHANNEL
    if name.lower() in _OTHERS:
        return MarkEffect.ASKS
    if found["role"] or name in _OF_CHANNELS:
        return MarkEffect.ENDS_CHANNEL
    if not re.search(_THOUGHT, name) or name.startswith("no") or text.endswith("/>"):
        return _OF_GEMMA.get(name, MarkEffect.NONE)
    return MarkEffect.CLOSES if _CLOSES.match(text) else MarkEffect.OPENS
