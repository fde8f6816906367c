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
    tally.share("before")  # .5
    """

    def __init__(self) -> None:
        self._rounds: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))

    def add(self, way: str, right: Sequence[bool], groups: Sequence[str] = ()) -> float:
        """Add a round: the verdict and group of each item; return the share of right ones."""
        by_group: dict[str, list[bool]] = {ALL: [*right]}
        for group, is_right in zip(groups, right, strict=False):
            if group != ALL:
                by_group.setdefault(group, []).append(is_right)
        for group, some in by_group.items():
            self._rounds[way][group].append(mean(some))
        return self._rounds[way][ALL][-1]

    def share(self, way: str, group: str = ALL) -> float:
        """Return the mean share of right answers."""
        return mean(self._rounds[way][group])

    def table(self, title: str) -> Table:
        """Return a table with a row per way and a column per group."""
        return Table.of(
            title,
            {way: {group: mean(rounds) for group, rounds in groups.items()} for way, groups in self._rounds.items()},
        )


def count_flips(title: str, before: Sequence[bool], after: Sequence[bool]) -> Table:
    """Return a table of how many answers became right or wrong."""
    found, names = [*zip(before, after, strict=True)], {True: "right", False: "wrong"}
    flips = ((False, False), (False, True), (True, True), (True, False))
    counts = {f"{names[one]} to {names[other]}": found.count((one, other)) for one, other in flips}
    return Table.of(title, {"items": counts})
