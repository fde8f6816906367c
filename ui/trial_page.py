"""A section of the Memory page: try a question, and see what of memory it would get, without asking the model."""

from __future__ import annotations

from ui.component import FolderComponent


class TrialField(FolderComponent):
    """A field for a question, and under it what the question would find.

    Its value is `{"question": text, "found": […]}` or `{"refused": sentence}`. Its event is `consider`; it brings a
    dict that nobody has checked.

    Args:
        longest: most characters of a question.
    """

    def __init__(self, longest: int) -> None:
        super().__init__("trial", ("dom.js", "connection.js", "script.js"), elem_id="trial")
        self.props |= {"longest": longest}
