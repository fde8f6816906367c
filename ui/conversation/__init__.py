"""The conversation: one card per turn, and the field to write in. Everything in it is built by its scripts, as text."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from ui.component import FolderComponent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assistant.limits import Limits


class Conversation(FolderComponent):
    """Shows turns (`ui.render`) and says what the person does.

    Its value is an update: `{"run": id, "conversation": id, "turns": […], "done": bool, "refused": sentence}`, with
    `reset` a whole conversation, with `refresh` the turns as they are now. While an answer is being written, it is such
    an update as JSON text. Its events are `ask`, `edit`, `clarify`, `react`, `retry`, `undo`, `offer`, `stop`,
    `refresh`, `fresh` and `open`; each brings a dict that nobody has checked.

    Args:
        first_questions: language of the page to questions to begin with.
        limits: most characters of what is sent.
    """

    def __init__(self, first_questions: Mapping[str, Sequence[str]], limits: Limits) -> None:
        scripts = (
            "dom.js",
            "connection.js",
            "copying.js",
            "kept.js",
            "markup.js",
            "comparison.js",
            "card.js",
            "editing.js",
            "waiting.js",
            "receiving.js",
            "script.js",
        )
        super().__init__("conversation", scripts, elem_id="conversation")
        self.props |= {"examples": dict(first_questions), "longest": asdict(limits)}
