"""The fact sheet as a table, on both ledgers: owners, filters and order."""

import pytest

from assistant.papers.memllm.sheet import Lines, Order
from assistant.types import Scope
from memory_store.store import Store
from tests.support.memory.triples import fact

pytestmark = pytest.mark.promise("sheet-shows-own-lines")

ME, OTHER = Scope("me"), Scope("somebody else")


@pytest.fixture
def filled(any_store: Store) -> Store:
    memory = any_store.memory
    memory.remember(fact("Dana works in Pune", "Dana | works in | Pune"), ME)
    memory.remember(fact("Abe lives in Ulm and likes tea", "Abe | lives in | Ulm", "Abe | likes | tea"), ME)
    memory.remember(fact("डाना को चाय पसंद है", "डाना | पसंद | चाय"), ME)
    memory.remember(fact("no triple"), ME)
    memory.remember(fact("Dana is not here", "Dana | is | here", denied=True), ME)
    memory.remember(fact("Zoe owns a secret", "Zoe | owns | secret"), OTHER)
    return any_store


def shown(store: Store, wanted: Lines, scope: Scope = ME) -> list[str]:
    return [line.triple.line for line in store.sheet.lines(scope, wanted, 50, 0).lines]


def test_lines_are_own_and_newest_first(filled: Store) -> None:
    every = ["डाना | पसंद | चाय", "Abe | lives in | Ulm", "Abe | likes | tea", "Dana | works in | Pune"]
    assert shown(filled, Lines()) == every
    assert shown(filled, Lines(backwards=True))[0] == every[-1]
    page = filled.sheet.lines(ME, Lines(), 2, 1)
    assert ([line.triple.line for line in page.lines], page.total) == (every[1:3], 4)
    assert shown(filled, Lines(), OTHER) == ["Zoe | owns | secret"]
    assert shown(filled, Lines(), Scope("nobody")) == []


def test_lines_are_sorted_by_a_name(filled: Store) -> None:
    for place, order in enumerate((Order.SUBJECT, Order.RELATION, Order.OBJECT)):
        for is_backwards in (False, True):
            lines = shown(filled, Lines(order=order, backwards=is_backwards))
            latin = [line.split(" | ")[place] for line in lines if line.isascii()]
            assert latin == sorted(latin, key=str.casefold, reverse=is_backwards)


def test_lines_are_searched_in_any_script(filled: Store) -> None:
    assert len(shown(filled, Lines("dana"))) == 2
    assert shown(filled, Lines("ulm")) == ["Abe | lives in | Ulm"]
    for nothing in ("%", "_", "' OR 1=1 --", "secret"):
        assert shown(filled, Lines(nothing)) == [], nothing
    assert shown(filled, Lines(of="Dana")) == ["डाना | पसंद | चाय", "Dana | works in | Pune"]
    assert shown(filled, Lines(of="pune")) == ["Dana | works in | Pune"]
    for nothing in ("Dan", "secret"):
        assert shown(filled, Lines(of=nothing)) == [], nothing


def test_retracted_and_forgotten_lines_are_gone(filled: Store) -> None:
    pune = filled.sheet.lines(ME, Lines("pune")).lines[0]
    filled.memory.retract(pune.entry.id, ME)
    assert shown(filled, Lines("pune")) == []
    ulm = filled.sheet.lines(ME, Lines("ulm")).lines[0]
    filled.memory.forget(ulm.entry.id, ME)
    assert shown(filled, Lines()) == ["डाना | पसंद | चाय"]
