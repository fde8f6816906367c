"""Read a reply in labels, "Understanding: …" and "Answer: …", as one in tags, while it streams.

Small models keep to labels better than to tags. Any split into chunks gives the same text.
"""

import re
from dataclasses import dataclass

_LONGEST_LABEL = 40  # characters, with the marks around it
_MARKS = r"[*_ \t]{0,9}"


def _label(name: str) -> re.Pattern[str]:
    return re.compile(rf"[\s*_#>•-]{{0,20}}{name}{_MARKS}:[*_]*+\s*+(?=\S)", re.IGNORECASE)


_SENTENCE_ENDS = frozenset('.?!।”"')
_UNDERSTANDING, _ANSWER = _label("understanding"), _label("answer")


@dataclass(slots=True)
class LabelReader:
    r"""Turn the label at the beginning of a reply, and the one at the beginning of its next line, into tags.

    The understanding is one line, or less where the second label stands in it; what follows is the answer. A reply that
    begins otherwise stays as it is.

    Example:
        >>> reader = LabelReader()
        >>> reader.feed("Understanding: You want to know the time.") + reader.feed("\nAnswer: Ten.") + reader.finish()
        '<understanding>You want to know the time.</understanding><answer>Ten.</answer>'
    """

    _held: str = ""
    _last: str = ""  # the character before what is held
    _open: str | None = ""  # the tag that is open; None: the reply has no labels

    def feed(self, chunk: str) -> str:
        """Take in the next chunk; return what is certain by now."""
        return self._read(self._held + chunk, at_end=False)

    def finish(self) -> str:
        """Return the rest: no more of the reply comes."""
        rest = self._read(self._held, at_end=True)
        return f"{rest}</{self._open}>" if self._open else rest

    def _read(self, text: str, *, at_end: bool) -> str:
        self._held, begun = "", ""
        if self._open == "":
            if not (found := _UNDERSTANDING.match(text)):
                return self._undecided(text, "understanding", at_end=at_end)
            self._open, begun, text = "understanding", "<understanding>", text[found.end() :]
        if self._open != "understanding":
            return begun + text
        at = next((at for at in range(len(text)) if self._ends(text, at, at_end=at_end)), len(text))
        line, rest = text[:at], text[at + 1 :]
        self._last = line[-1:] or self._last
        if not at_end and text[at:] and not _ANSWER.match(rest) and _may_begin(rest, "answer"):
            self._held = text[at:]
            return begun + line
        rest = rest[found.end() :] if (found := _ANSWER.match(rest)) else rest
        if _is_label(rest):
            return begun + line
        self._open = "answer"
        return f"{begun}{line}</understanding><answer>{rest}"

    def _ends(self, text: str, at: int, *, at_end: bool) -> bool:
        """Return True if the understanding ends at a place: with its line, or with a sentence before the next label."""
        if text[at] == "\n":
            return True
        if text[at] not in " \t" or (text[at - 1] if at else self._last) not in _SENTENCE_ENDS:
            return False
        begin = text[at + 1 : at + 2 + _LONGEST_LABEL]
        return bool(_ANSWER.match(text, at + 1)) or (not at_end and _may_begin(begin, "answer"))

    def _undecided(self, text: str, name: str, *, at_end: bool) -> str:
        if not at_end and _may_begin(text, name):
            self._held = text
            return ""
        self._open = None
        return text


def _is_label(text: str) -> bool:
    return not text.strip() or bool(re.fullmatch(rf"[\s*_#>•-]*answer{_MARKS}:[*_\s]*", text, re.IGNORECASE))


def _may_begin(text: str, label: str) -> bool:
    """Return True if a text may be the beginning of a label, with marks around it."""
    bare = re.sub(r"[\s*_#>•-]", "", text).casefold()
    return len(text) < _LONGEST_LABEL and f"{label}:".startswith(bare)
