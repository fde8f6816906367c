"""What was told of the reasons for answers leaves no byte once it is forgotten, however it was used."""

from pathlib import Path

import pytest

from assistant.papers.teachme.facts import fact
from assistant.papers.teachme.teaching import Act
from assistant.types import Turn
from memory_store.store import Store
from tests.support.damage.remains import remains
from tests.support.memory.loop import ME
from tests.support.memory.teaching import METALS, NO, QUESTION, YES, TaughtLoop, reasons

pytestmark = pytest.mark.promise("facts-answer-elsewhere", "forgotten-reasons")

TOLD = "A marrowfat is made of copper."


@pytest.mark.parametrize("act", [Act.WRONG, Act.TRUE, Act.DOES_NOT_MATTER, Act.DOES_NOT_FOLLOW])
def test_forgotten_reason_leaves_no_byte(act: Act, store: Store, tmp_path: Path) -> None:
    loop = TaughtLoop(store, YES, NO, reasons(TOLD, METALS), NO, YES, reasons(TOLD.upper()))
    (told,), turn = loop.dispute(loop.ask(QUESTION), Act.MISSING, words=TOLD)
    loop.why(turn)
    loop.dispute(turn, act, 1)
    elsewhere = loop.ask("Is a penny magnetic?", "another conversation")
    loop.why(elsewhere)
    store.indexer.wait_until_current()
    assert remains(tmp_path, ["marrowfat"]) != []
    store.memory.forget(told.id, ME)
    assert remains(tmp_path, ["marrowfat", "MARROWFAT"]) == []


def test_premise_named_by_chance_leaves_no_byte(store: Store, tmp_path: Path) -> None:
    loop = TaughtLoop(store, YES, reasons(TOLD), NO)
    turn = loop.ask(QUESTION)
    told = store.memory.remember(fact(Turn("", "", ME.person, TOLD), TOLD), ME)
    assert [premise.entry and premise.entry.id for premise in loop.why(turn).premises] == [told.id]
    loop.dispute(turn, Act.DOES_NOT_FOLLOW)
    store.indexer.wait_until_current()
    store.memory.forget(told.id, ME)
    assert remains(tmp_path, ["marrowfat"]) == []
