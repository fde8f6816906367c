"""The panel in which a person brings a model of their own, for this page only."""

from __future__ import annotations

from ui.component import FolderComponent


class OwnModelPanel(FolderComponent):
    """Asks for the name of a model and a key, and says which is in use.

    Its value is `{"allowed": bool, "model": name or "", "providers": […]}` or `{"refused": sentence}`; a key is never
    in it. Its events are `use` and `stop`; each brings a dict that nobody has checked.

    """

    def __init__(self) -> None:
        super().__init__("own_model", ("dom.js", "connection.js", "script.js"), elem_id="own-model")
