"""Convert labels in a streaming reply, "Understanding: …" and "Answer: …", to tags.

Small models follow labels better than tags. The result does not depend on the split into chunks.
"""

import re
from dataclasses import dataclass

_LONGEST_LABEL = 40  # characters, including Markdown around it
_MARKS = r"[*_ \t]{0,9}"


def _label(name: str) -> re.Pattern[str]:
    return re.compile(rf"[\s*_#>•-]{{0,20}}{name}{_MARKS}:[*_]*+\s*+(?=\S)", re.IGNORECASE)


_UNDERSTANDING, _ANSWER = _label("understanding"), _label("answer")
_EMPTY = re.compile(rf"\s*|[\s*_#>•-]{{0,20}}answer{_MARKS}:[*_\s]*", re.IGNORECASE)
_GAP = re.compile(r"[\n \t]")


@dataclass(slots=True)
class LabelReader:
    r"""Streaming converter of the label at the start of a reply, and of the next one, to tags.

    The understanding ends at the second label, or with its line; the rest is the answer.


    >>> reader = LabelReader()
    >>> reader.feed("Understanding: You want to know the time.") + reader.feed("\nAnswer: Ten.") + reader.finish()
    '<understanding>You want to know the time.</understanding><answer>Ten.</answer>'
    """

    _held: str = ""
    _open: str | None = ""  # the open tag; None if the reply has no labels

    def feed(self, chunk: str) -> str:
        """Read the next chunk, and return the text whose meaning is clear."""
        return self._read(self._held + chunk, at_end=False)

    def finish(self) -> str:
        """End the reply, and return the rest."""
        rest = self._read(self._held, at_end=True)
        return f"{rest}</{self._open}>" if self._open else rest

    def _read(self, text: str, *, at_end: bool) -> str:
        self._held, begun = "", ""
        if self._open == "":
            found = _UNDERSTANDING.match(text)
            if not found and not at_end and _may_begin(text, "understanding"):
                self._held = text
                return ""
            self._open = "understanding" if found else None
            begun, text = ("<understanding>", text[found.end() :]) if found else ("", text)
        if self._open != "understanding":
            return begun + text
        for gap in _GAP.finditer(text):
            line, begin, is_line_end = text[: gap.start()], gap.end(), gap[0] == "\n"
            label = _ANSWER.match(text, begin)
            if not (at_end or label) and _may_begin(text[begin : begin + _LONGEST_LABEL], "answer"):
                self._held = text[gap.start() :]
                return begun + line
            is_label = label and (is_line_end or "A" in label[0])  # not in "You want the answer: yes or no"
            if is_label or (is_line_end and not _EMPTY.fullmatch(text, begin)):
                self._open = "answer"
                return f"{begun}{line}</understanding><answer>{text[label.end() if label else begin :]}"
            if is_line_end:
                return begun + line
        return begun + text


def _may_begin(text: str, label: str) -> bool:
    """Return True if a text may be the start of a label, ignoring Markdown around it."""
    bare = re.sub(r"[\s*_#>•-]", "", text[:_LONGEST_LABEL]).casefold()
    return len(text) < _LONGEST_LABEL and f"{label}:".startswith(bare)
