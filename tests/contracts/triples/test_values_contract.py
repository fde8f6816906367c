"""Contract of `Memory` for relations with one value: the newest applies, with history and undo."""

import pytest

from assistant.ports import Memory
from assistant.types import Entry, Status
from tests.support.memory.store import ANN, BOB
from tests.support.memory.triples import fact, triple

pytestmark = pytest.mark.promise("newer-values-replace")

PUNE, DELHI = ("Dana | works in | Pune", "Dana | works in | Delhi")


def counting(memory: Memory) -> list[str]:
    return [_label(entry) for entry in memory.entries(ANN)]


def _label(entry: Entry) -> str:
    """Return the entry's text without the triples that `fact` appends."""
    return entry.shown.partition(": ")[0]


def history(memory: Memory, entry: Entry) -> list[str]:
    return [_label(earlier) for earlier in memory.earlier([entry.id], ANN).get(entry.id, [])]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (PUNE, DELHI),
        ("Dana | manager of | I", "Ravi | manager of | I"),
        ("Dana | mein rehna | Pune", "दाना | में रहना | Delhi"),
    ],
)
def test_newer_value_replaces_until_undone(memory: Memory, older: str, newer: str) -> None:
    first = memory.remember(fact("said first", older), ANN)
    other = memory.remember(fact("hers", older), BOB)
    second = memory.remember(fact("told later", newer), ANN)
    assert (counting(memory), history(memory, second)) == (["told later"], ["said first"])
    assert memory.current(first.id, ANN) == second
    memory.retract(second.id, ANN)
    assert counting(memory) == ["said first"]
    assert memory.entry(other.id, BOB).status is Status.ACTIVE


def test_triples_set_later_replace_a_value(memory: Memory) -> None:
    memory.remember(fact("Dana works in Pune", PUNE), ANN)
    moved = memory.remember(fact("Dana moved to Delhi"), ANN)
    assert counting(memory) == ["Dana moved to Delhi", "Dana works in Pune"]
    kept = memory.set_triples(moved.id, [triple(DELHI)], ANN)
    assert counting(memory) == ["Dana moved to Delhi"]
    assert history(memory, kept) == ["Dana moved to Delhi", "Dana works in Pune"]
    edited = memory.edit(kept.id, "Dana moved to New Delhi", ANN)
    memory.retract(edited.id, ANN)
    assert counting(memory) == ["Dana moved to Delhi"], "what the edit was made of stands in the older one's place"
    memory.retract(kept.id, ANN)
    assert sorted(counting(memory)) == ["Dana moved to Delhi", "Dana works in Pune"]
    assert history(memory, memory.entry(moved.id, ANN)) == []


@pytest.mark.parametrize(
    ("older", "said", "newer"),
    [
        ("Dana works in Pune", (PUNE, "Dana | likes | chess"), DELHI),
        ("Dana, who plays chess and climbs mountains, works in Pune", (PUNE,), DELHI),
        ("Ravi works in Pune", ("Ravi | works in | Pune",), DELHI),
        ("Ravi believes in God", ("Ravi | believes in | God",), "Ravi | lives in | Surat"),
        ("Anna works in Pune", ("Anna | works in | Pune",), "Ana | works in | Delhi"),
    ],
)
def test_other_facts_stay(memory: Memory, older: str, said: tuple[str, ...], newer: str) -> None:
    first = memory.remember(fact(older, *said), ANN)
    second = memory.remember(fact("told later", newer), ANN)
    assert counting(memory) == ["told later", older]
    is_told = newer == DELHI and "Ravi" not in older
    assert list(memory.beside(second.id, ANN)) == [first] * is_told
    assert list(memory.beside(first.id, ANN)) == [second] * is_told
