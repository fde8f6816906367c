"""The list of conversations: a column beside the conversation, or a drawer where there is no room for one."""

from __future__ import annotations

from assistant.conversation_list import LONGEST_TITLE
from ui.component import FolderComponent
from ui.conversation_list_handlers import PAGE_SIZE


class ConversationList(FolderComponent):
    """Shows conversations by name, to open, search, rename and delete.

    Its value is a listing: `{"conversations": […], "more": bool, "search": text, "done": name, "changed": id}` or
    `{"refused": sentence}`; after a deletion with a `receipt` (a sentence). Its events are `look`, `rename` and
    `erase`; each brings a dict that nobody has checked. It tells the page to open one by the window's event
    `noted:open`, and hears by `noted:talk` which one is open and that it has changed.

    """

    def __init__(self) -> None:
        super().__init__(
            "conversation_list", ("dom.js", "connection.js", "asking.js", "script.js"), elem_id="conversations"
        )
        self.props |= {"step": PAGE_SIZE, "longest": LONGEST_TITLE}
