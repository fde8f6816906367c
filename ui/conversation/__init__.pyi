"""The conversation: one card per turn, and the field to write in. Everything in it is built by its scripts, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.component import FolderComponent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

from gradio.events import Dependency

class Conversation(FolderComponent):
    """Shows turns (`ui.render`) and says what the person does.

    Its value is an update: `{"run": id, "turns": […], "done": bool, "refused": sentence}`, and with `reset` a whole
    conversation. Its events are `ask`, `clarify`, `react`, `retry`, `undo`, `stop` and `fresh`; each brings a dict that
    nobody has checked.

    Args:
        words: the texts of the page.
        examples: questions to begin with.
        longest: characters that are sent at most; the assistant's own limits are lower.
    """

    def __init__(self, words: Mapping[str, str], examples: Sequence[str], longest: int) -> None:
        super().__init__("conversation", ("dom.js", "card.js", "script.js"), words, elem_id="conversation")
        self.props |= {"examples": list(examples), "longest": longest}
    from typing import Callable, Literal, Sequence, Any, TYPE_CHECKING
    from gradio.blocks import Block
    if TYPE_CHECKING:
        from gradio.components import Timer
        from gradio.components.base import Component