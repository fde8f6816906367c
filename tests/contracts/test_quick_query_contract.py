"""What every ledger promises about the number of its last event: it is of now, whoever wrote."""

from assistant.types import Turn
from memory_store.ledger.ledger import Ledger
from memory_store.store import Store
from tests.support.memory.store import ANN, clarification, ledger_memory, unlike


def test_last_event_is_of_now(any_store: Store, any_ledger_url: str) -> None:
    ledger = any_store.ledger
    any_store.turn_store.record(Turn("t", "c", ANN.person, "asked"), ANN)
    assert ledger.last_event() == ledger.last_change() == 0
    saved = any_store.memory.remember(clarification("q"), ANN)
    change = ledger.last_change()
    assert ledger.last_event() == change > 0
    any_store.memory.count(saved.id, "used", "t", ANN)
    assert ledger.last_event() > change == ledger.last_change()
    other = Ledger(any_ledger_url)
    before = ledger.last_event()
    ledger_memory(other).remember(unlike("of another process"), ANN)
    assert before < ledger.last_event() == other.last_event()
    other.close()
    ledger.close()
    assert ledger.last_event() > before  # a closed ledger opens again
