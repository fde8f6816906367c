"""The Insights page: how well it goes, in plots, each with its numbers and one plain sentence."""

from __future__ import annotations

from ui.component import FolderComponent


class InsightsView(FolderComponent):
    """Draws the numbers.

    Its value is what `ui.insights_handlers` says, or `{"refused": sentence}`. Its event is `look`; it brings a dict
    that nobody has checked.

    Args:
        keep_days: how many days conversations are kept, and so counted.
    """

    def __init__(self, keep_days: int) -> None:
        scripts = ("dom.js", "connection.js", "plots.js", "sections.js", "script.js")
        super().__init__("insights", scripts, elem_id="insights")
        self.props |= {"keep_days": keep_days}
