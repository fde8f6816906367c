"""The panel in which a person brings a model of their own, for this page only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.component import FolderComponent

if TYPE_CHECKING:
    from collections.abc import Mapping


class OwnModelPanel(FolderComponent):
    """Asks for the name of a model and a key, and says which is in use.

    Its value is `{"allowed": bool, "model": name or "", "providers": […]}` or `{"refused": sentence}`; a key is never
    in it. Its events are `use` and `stop`; each brings a dict that nobody has checked.

    Args:
        words: the texts of the page.
    """

    def __init__(self, words: Mapping[str, str]) -> None:
        super().__init__("own_model", ("dom.js", "connection.js", "script.js"), words, elem_id="own-model")
