"""The Memory page: what is remembered of this person, to read, search, change and erase."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.component import FolderComponent
from ui.memory_handlers import PAGE_SIZE

if TYPE_CHECKING:
    from collections.abc import Mapping

from gradio.events import Dependency

class MemoryList(FolderComponent):
    """Shows entries as cards.

    Its value is a listing: `{"entries": […], "more": bool, "search": text, "done": name of a text}` or
    `{"refused": sentence}`. Its events are `search`, `edit` and `delete`; each brings a dict that nobody has checked.

    Args:
        words: the texts of the page.
    """

    def __init__(self, words: Mapping[str, str]) -> None:
        super().__init__("memory_list", ("dom.js", "script.js"), words, elem_id="memory")
        self.props |= {"step": PAGE_SIZE}
    from typing import Callable, Literal, Sequence, Any, TYPE_CHECKING
    from gradio.blocks import Block
    if TYPE_CHECKING:
        from gradio.components import Timer
        from gradio.components.base import Component