"""The Memory page: what is remembered of this person, to read, search, change and erase."""

from __future__ import annotations

from ui.component import FolderComponent
from ui.memory_handlers import PAGE_SIZE


class MemoryList(FolderComponent):
    """Shows entries as cards.

    Its value is a listing: `{"entries": […], "more": bool, "search": text, "done": name of a text, "changed": id}`
    or `{"refused": sentence}`; after forgetting with a `receipt` (a sentence), after an export with a `file` (text).
    Its events are `search`, `edit`, `rekey`, `reuse`, `offer`, `withdraw`, `forget`, `forget_all` and `export`; each
    brings a dict that nobody has checked.

    Args:
        longest: most characters of what an entry may be changed to.
        longest_key: most characters of a wording under which it is found.
        keep_days: how many days conversations are kept.
    """

    def __init__(self, longest: int, longest_key: int, keep_days: int) -> None:
        scripts = ("dom.js", "connection.js", "asking.js", "keys.js", "sharing.js", "everything.js", "script.js")
        super().__init__("memory_list", scripts, elem_id="memory")
        self.props |= {"step": PAGE_SIZE, "longest": longest, "longest_key": longest_key, "keep_days": keep_days}
