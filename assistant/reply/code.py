"""Detect Markdown code in a streaming text: there, tags and marks are text."""

import re
from dataclasses import dataclass

_PARTS = re.compile(r"`+|\n|[^`\n]+")


@dataclass(slots=True)
class CodeTracker:
    """Tracker of the backticks in a text: fenced blocks and inline code."""

    fenced: bool = False
    _inline: bool = False
    _ticks: int = 0  # backticks at the end so far; more may follow
    _line_is_blank: bool = True

    def read(self, text: str) -> None:
        """Advance by this text."""
        for part in _PARTS.findall(text):
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
