"""The offers that a curator decides about: a section of the Memory page that nobody else sees."""

from __future__ import annotations

from assistant.sharing import LONGEST_REASON
from ui.component import FolderComponent


class OfferList(FolderComponent):
    """Shows offers as cards.

    Its value is `{"curator": bool, "offers": […], "more": bool, "done": name of a text, "changed": id}` or
    `{"refused": sentence}`. Its events are `look`, `accept` and `decline`; each brings a dict that nobody has checked.

    Args:
        longest: most characters of what is shared.
    """

    def __init__(self, longest: int) -> None:
        super().__init__("offers_list", ("dom.js", "connection.js", "script.js"), elem_id="offers")
        self.props |= {"longest": longest, "longest_reason": LONGEST_REASON}
