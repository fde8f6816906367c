"""The labelled sets with floors and ceilings, each a line looser than measured.

`python -m evaluation run labelled` measures. This tests the accuracy of the rules for messages, facts and words; unit
tests have one case of each kind.
"""

from collections.abc import Mapping

import pytest

from assistant.settings import EMBEDDED
from evaluation.harness.report import Share
from evaluation.labelled.sets import load_labelled_sets

Bounds = Mapping[str, Mapping[str, int]]
"""Lines by measure and group."""
FLOORS: Mapping[str, Bounds] = {
    "same": {"taken for the same": {"dev, the same": 74, "heldout, the same": 77}},
    "told": {"exact": {"dev": 53, "heldout": 30}, "own question": {"dev, question": 11, "heldout, question": 15}},
    "conflicts": {"as marked": {"dev": 26, "heldout": 21}},
    "facts-told": {"right": {"open": 111, "unread": 101}},
    "described": {"followed": {"dev": 151, "heldout": 145}},
}
CEILINGS: Mapping[str, Bounds] = {
    "same": {"taken for the same": {"dev, another": 11, "heldout, another": 11}},
    "told": {
        "certain": {"dev, correction": 0, "dev, question": 0, "heldout, correction": 0, "heldout, question": 0},
        "maybe": {"dev, question": 5, "dev, other": 8, "heldout, question": 3, "heldout, other": 8},
        "own question": {"dev, correction": 1, "heldout, correction": 1},
    },
    "facts-told": {"wrong": {"open": 1, "unread": 8}},
    "described": {"another task": {"dev": 19, "heldout": 26}},
    "outside": {"another task": {"dev": 7, "heldout": 7}},
}


@pytest.mark.parametrize("name", sorted({*FLOORS, *CEILINGS}))
def test_labelled_set_keeps_its_floors(name: str) -> None:
    table = load_labelled_sets()[name].table(EMBEDDED)

    def hits(measure: str, group: str) -> int:
        share = table.cells(group)[measure]
        assert isinstance(share, Share)
        return share.hits

    floors, ceilings = (
        {(measure, group): bound for measure, groups in bounds.get(name, {}).items() for group, bound in groups.items()}
        for bounds in (FLOORS, CEILINGS)
    )
    assert {key: hits(*key) for key, floor in floors.items() if hits(*key) < floor} == {}
    assert {key: hits(*key) for key, ceiling in ceilings.items() if hits(*key) > ceiling} == {}
