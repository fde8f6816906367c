"""The loop on a real store, where its events and prompts do not tell all: commits, counts, and what changes meanwhile.

Everything else that a conversation does is recorded in `tests/integration/characters`.
"""

import pytest
from sqlalchemy.event import listen

from assistant.errors import NotFound
from assistant.events import Saved
from assistant.types import Action, Reaction, Turn
from memory_store.store import Store
from tests.support.memory.loop import BY_NOTE, CERTAIN, ME, RIGHT, WRONG, Loop, active, last, states


def react(loop: Loop, turn: Turn, reaction: Reaction, entry_id: str = "") -> Turn:
    return last(loop.assistant.react(turn.id, reaction, ME, entry_id))


def passed_over(loop: Loop) -> tuple[Turn, str]:
    """A turn for which a note was found and not used, and the note."""
    loop.clarify(loop.ask("what is akin to quick ?"), "a synonym")
    turn = loop.ask("words akin to brave", "d")
    (decision,) = turn.decisions
    assert (turn.used, decision.action) == ((), Action.SKIP)
    return turn, decision.entry.id


def test_saved_waits_for_one_commit(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT)
    turn = loop.ask("what is akin to quick ?")
    written = store.ledger.last_event()
    commits: list[object] = []
    listen(store.ledger._engine, "commit", commits.append)
    events = loop.assistant.clarify(turn.id, "I want a word with the same meaning", ME)
    noted = next(event for event in events if isinstance(event, Saved))
    assert len(commits) == 1
    assert store.ledger.last_event() != written
    assert loop.assistant.turn(turn.id, ME).corrected_by == noted.entry.id


def test_reactions_count_for_and_against(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, BY_NOTE, WRONG)
    again = loop.clarify(loop.ask("what is akin to quick ?"), "a synonym")
    for _ in range(2):
        assert react(loop, again, Reaction.CONFIRM).confirmed
    (entry_id,) = again.used
    entry = store.memory.entry(entry_id, ME)
    assert (entry.used, entry.helped, entry.hurt) == (1, 1, 0)
    turn = loop.ask("what is akin to big ?", "other")
    react(loop, turn, Reaction.LEAVE_OUT, entry_id)
    assert store.memory.entry(entry_id, ME).hurt == 1


@pytest.mark.parametrize("cut", ["<understanding>a synonym</understanding>\n<answer>fas", "just words"])
def test_cut_reply_is_no_example(store: Store, cut: str) -> None:
    loop = Loop(store, cut, "")
    react(loop, loop.ask("what is akin to quick ?"), Reaction.CONFIRM)
    assert store.memory.entries(ME) == []


def test_chosen_note_counts_once_until_taken_back(store: Store) -> None:
    loop = Loop(store, WRONG, WRONG, RIGHT, WRONG, RIGHT, RIGHT, gate=CERTAIN)
    without = loop.ask("asked before there was any note", "e")
    turn, entry_id = passed_over(loop)
    with pytest.raises(NotFound):
        react(loop, without, Reaction.USE, entry_id)
    again = react(loop, turn, Reaction.USE, entry_id)
    entry = store.memory.entry(entry_id, ME)
    assert (entry.helped, entry.reactions[0].question) == (1, turn.question)
    with pytest.raises(NotFound):
        react(loop, again, Reaction.USE, entry_id)
    store.memory.retract(entry_id, ME)
    assert react(loop, turn, Reaction.USE, entry_id).used == ()


def test_undo_takes_back_an_edited_correction(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT)
    loop.clarify(loop.ask("what is akin to quick ?"), "a synonym")
    first = store.memory.entries(ME)[0]
    store.memory.edit(first.id, "a word of the same meaning", ME)
    loop.assistant.undo(first.id, ME)
    assert active(store) == []
    assert states(loop) == [("answered", False), ("undone", False)]
