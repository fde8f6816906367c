"""A section of the Memory page: the tokens with which programs speak for the person."""

from __future__ import annotations

from assistant.tokens import LONGEST_LABEL
from ui.component import FolderComponent


class TokensPanel(FolderComponent):
    """Makes, lists and revokes them, folded away.

    Its value is `{"may_make": bool, "tokens": [{"id", "label", "when"}]}`, with `done` the name of a text, and with
    `secret` the one that was just made; or `{"refused": sentence}`. Its events are `look`, `make` and `revoke`; each
    brings a dict that nobody has checked.
    """

    def __init__(self) -> None:
        scripts = ("dom.js", "connection.js", "asking.js", "copying.js", "script.js")
        super().__init__("tokens", scripts, elem_id="tokens")
        self.props |= {"longest": LONGEST_LABEL}
