"""The Memory page: what is remembered of this person, to read, search, change and erase."""

from __future__ import annotations

from ui.component import FolderComponent
from ui.import_handlers import LARGEST_FILE, PIECE
from ui.memory_handlers import PAGE_SIZE

_SCRIPTS = (
    "dom.js", "connection.js", "asking.js", "pages.js", "keys.js", "earlier.js", "sharing.js", "bring_in.js",
    "everything.js", "script.js",
)  # fmt: skip


class MemoryList(FolderComponent):
    """Shows entries as cards.

    Its value is a listing: `{"entries": […], "first": number, "total": number, "more": bool, "search": text, "filters":
    {…}, "done": name of a text, "changed": id}` or `{"refused": sentence}`; after forgetting with a `receipt` (a
    sentence), after an export with a `file` (text). While a file is brought in it is `{"received": pieces}`, then
    `{"imported": {…}}`. Its events are those of `ui.page.MEMORY_EVENTS`, and `piece`; each brings a dict that nobody
    has checked.

    Args:
        longest: most characters of what an entry may be changed to.
        longest_key: most characters of a wording under which it is found.
        keep_days: how many days conversations are kept.
    """

    def __init__(self, longest: int, longest_key: int, keep_days: int) -> None:
        super().__init__("memory_list", _SCRIPTS, elem_id="memory")
        self.props |= {"step": PAGE_SIZE, "piece": PIECE, "largest": LARGEST_FILE, "keep_days": keep_days}
        self.props |= {"longest": longest, "longest_key": longest_key}
