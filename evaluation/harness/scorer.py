"""Count the verdicts of scorers.

A scorer judges one item: a turn, a line of a labelled set (`evaluation.labelled.sets.Scorer`), or a question of a
stream.
"""

from collections import defaultdict
from collections.abc import Sequence

from evaluation.harness.report import Table, mean

ALL = "all"


class ScoreTally:
    """Shares of right answers by way and group of items, averaged over rounds (seeds or orders).

    tally = Tally()
    tally.add("before", [True, False], ["seen", "unseen"])
    tally.table("right").cells("before")  # {"all": .5, "seen": 1, "unseen": 0}
    """

    def __init__(self) -> None:
        self._rounds: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))

    def add(self, way: str, right: Sequence[bool], groups: Sequence[str] = ()) -> None:
        """Add a round: the verdict and group of each item."""
        by_group: dict[str, list[bool]] = {ALL: [*right]}
        for group, is_right in zip(groups, right, strict=False):
            if group != ALL:
                by_group.setdefault(group, []).append(is_right)
        for group, some in by_group.items():
            self._rounds[way][group].append(mean(some))

    def table(self, title: str) -> Table:
        """Return a table with a row per way and a column per group."""
        return Table.of(
            title,
            {way: {group: mean(rounds) for group, rounds in groups.items()} for way, groups in self._rounds.items()},
        )
