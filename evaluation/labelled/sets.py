"""Labelled sets with their scorers, and the command that runs them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any, Generic, TypeAlias, TypeVar

import typer
from pydantic import BaseModel

from assistant.settings import EMBEDDED
from evaluation.harness.dataset import Dataset
from evaluation.harness.options import RUNS, Model, Out, parse_names
from evaluation.harness.report import Report, Share, Table, publish
from evaluation.harness.runner import track
from evaluation.harness.simulated_user import open_fresh_app
from ui.server.services import Services

Line = TypeVar("Line", bound=BaseModel)
Scores: TypeAlias = Mapping[str, Sequence[bool]]
"""Verdicts by measure, one for each thing in a line that is judged. Most lines have one such thing."""
Scorer: TypeAlias = Callable[[Line, Services, str], Scores]
"""Scores a line with the app; the last argument is the split."""


@dataclass(frozen=True, slots=True)
class LabelledSet(Generic[Line]):
    """A data set whose lines are scored one by one in one store, each as another user."""

    dataset: Dataset[Line]
    score: Scorer[Line]
    groups: Callable[[Line], Sequence[str]]  # in which a line is counted, beside its split
    about: str
    prepare: Callable[[str, Services], object] = lambda _split, _services: None  # called before each split

    def table(self, model: str) -> Table:
        """Return the share of each measure by split and group."""
        found: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
        for split in self.dataset.splits:
            with open_fresh_app(model) as services:
                self.prepare(split, services)
                for line in track(self.dataset.lines(split), f"{self.dataset.name} {split}"):
                    scores = self.score(line, services, split)
                    groups = dict.fromkeys((split, *(f"{split}, {group}" for group in self.groups(line))))
                    for group, measure in product(groups, scores):
                        found[group][measure] += scores[measure]
        rows = {group: {name: Share.of_all(holds) for name, holds in found[group].items()} for group in sorted(found)}
        return Table.of(self.dataset.name, rows)


def load_labelled_sets() -> dict[str, LabelledSet[Any]]:
    """Return all sets by name."""
    from evaluation.labelled.corrections import CONFLICTS, REACH, SAME, TOLD
    from evaluation.labelled.described import DESCRIBED, OUTSIDE
    from evaluation.labelled.facts import FACTS_SHOWN, FACTS_TOLD

    sets = (REACH, SAME, CONFLICTS, TOLD, FACTS_TOLD, FACTS_SHOWN, DESCRIBED, OUTSIDE)
    return {one.dataset.name: one for one in sets}


def labelled(
    names: Annotated[list[str], typer.Argument(help="Names of sets; `list` shows them.", metavar="SETS")],
    out: Out = RUNS / "labelled",
    model: Model = EMBEDDED,
) -> None:
    """Score labelled sets: `reach`, `conflicts`, `told`, `same`, `described`, ….

    In most sets, the split `dev` was open during development, and of the other split only totals were seen.
    """
    known = load_labelled_sets()
    tables = tuple(known[name].table(model) for name in parse_names(names, known, "set"))
    notes = tuple(f"{name}: {known[name].about}" for name in names)
    publish(Report(name="labelled", tables=tables, notes=notes, model=model), out)
