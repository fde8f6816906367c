"""Count the verdicts of scorers.

A scorer judges one item: a turn, a line of a labelled set (`evaluation.labelled.sets.Scorer`), or a question of a
stream.
"""

from collections import defaultdict
from collections.abc import Sequence

from evaluation.harness.report import Share, Table

ALL = "all"


class ScoreTally:
    """Shares of right answers by way and group of items.

    tally = ScoreTally()
    tally.add("before", [True, False], ["seen", "unseen"])
    tally.table("right").cells("before")  # {"all": 1 of 2, "seen": 1 of 1, "unseen": 0 of 1}
    """

    def __init__(self) -> None:
        self._right: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))

    def add(self, way: str, right: Sequence[bool], groups: Sequence[str] = ()) -> None:
        """Add the verdict and group of each item."""
        self._right[way][ALL] += right
        for group, is_right in zip(groups, right, strict=False):
            if group != ALL:
                self._right[way][group].append(is_right)

    def table(self, title: str) -> Table:
        """Return a table with a row per way and a column per group."""
        shares = {way: {one: Share.of_all(right) for one, right in by.items()} for way, by in self._right.items()}
        return Table.of(title, shares)
