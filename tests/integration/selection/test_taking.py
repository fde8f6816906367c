"""Choosing another draft: the answer, the stored entry, and the user's weights of the ensemble."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import NotFound
from assistant.papers.selection.drafts import DraftChoice, Preferences
from assistant.types import Turn, Use
from memory_store.store import Store
from tests.support.damage.find_bytes import find_bytes
from tests.support.memory.drafting import DraftingLoop, reply_to_round_trip
from tests.support.memory.loop import ME, OTHER, RIGHT, WRONG, Loop, reply
from tests.support.memory.store import run_import, small_store

pytestmark = pytest.mark.promise("drafts-are-taken", "choices-stay-personal")

SOUND, SAME = ("a word that sounds like quick", "kwik"), ("a word that means the same as quick", "fast")
BACK = {"kwik": SOUND[0], "fast": "nothing of that"}


@pytest.fixture
def preferences(store: Store) -> Preferences:
    return Preferences(store.memory)


def drafted(store: Store, conversation: str = "c", **parts: Any) -> tuple[DraftChoice, Turn]:
    """Return two drafts, of which the round trip prefers the first."""
    loop = DraftingLoop(store, WRONG, RIGHT, **parts)
    loop.model.reply = reply_to_round_trip(BACK)
    return DraftChoice(loop.assistant), loop.draft(conversation=conversation)


def answer(turn: Turn) -> tuple[str, str]:
    return turn.reply.understanding, turn.reply.answer


def test_draft_is_taken_and_taken_back(store: Store, preferences: Preferences) -> None:
    taking, turn = drafted(store)
    assert answer(turn) == SOUND
    assert preferences.weights(ME) == {}

    taken = taking.take(turn.id, 2, ME)
    assert answer(taken) == SAME
    assert taken == replace(store.turn_store.turn(turn.id, ME), ms=taken.ms)
    assert [one.body.stored()["gains"] for one in preferences.kept(ME).entries] == [{"round_trip": -1.0}]
    assert preferences.weights(ME) == {"round_trip": pytest.approx(math.e**-0.35)}
    assert taking.take(turn.id, 2, ME) == taken  # idempotent
    assert preferences.kept(ME).total == 1

    assert taking.take(turn.id, None, ME).reply.fields == turn.reply.fields
    assert preferences.weights(ME) == {}


def test_weights_choose_the_next_draft(store: Store, preferences: Preferences) -> None:
    # Notes prefer the second draft as much as the round trip prefers the first, until the user chooses.
    note = Loop(store, WRONG, RIGHT)
    note.clarify(note.ask("What is akin to quick?"), "the same meaning, as fast as can be")
    texts = reply(SOUND[0], "kwik"), reply(SAME[0], "fast as can be")

    def asked(conversation: str) -> tuple[DraftChoice, Turn]:
        loop = DraftingLoop(store, *texts, weights=preferences.weights)
        loop.model.reply = reply_to_round_trip({"kwik": SOUND[0], "fast as can be": "nothing of that"})
        return DraftChoice(loop.assistant), loop.draft("What is akin to big?", conversation)

    taking, turn = asked("c1")
    assert turn.reply.answer == "kwik"
    taking.take(turn.id, 2, ME)
    assert preferences.weights(ME)["notes"] > 1 > preferences.weights(ME)["round_trip"]
    assert preferences.weights(OTHER) == {}
    assert asked("c2")[1].reply.answer == "fast as can be"
    preferences.reset(ME)
    assert asked("c3")[1].reply.answer == "kwik"
    assert answer(store.turn_store.turn(turn.id, ME))[1] == "fast as can be"  # the chosen draft stays


def test_weights_are_exported_and_erased(store: Store, tmp_path: Path) -> None:
    taking, turn = drafted(store)
    taking.take(turn.id, 2, ME)
    lines = [line.encode() for line in store.export(ME)]
    elsewhere = small_store(tmp_path / "elsewhere")
    run_import(elsewhere.take_in, lines, ME)
    assert Preferences(elsewhere.memory).weights(ME) == {"round_trip": pytest.approx(math.e**-0.35)}
    assert not any("preference" in line for line in store.export(OTHER))
    assert Loop(store, RIGHT).ask(turn.question, "d").decisions == ()  # preferences are not retrieved
    store.memory.forget_all(ME)
    assert taking.preferences.weights(ME) == {}
    assert len([*store.export(ME)]) == 1


@pytest.mark.promise("drafts-are-forgotten")
def test_forgetting_erases_all_drafts(store: Store, tmp_path: Path) -> None:
    note = Loop(store, WRONG, RIGHT)
    note.clarify(note.ask("What is akin to quick?"), "the same meaning, marrowfat")
    (entry,) = store.memory.entries(ME)
    loop = DraftingLoop(store, reply("a sound", "beg"), reply("the marrowfat meaning", "large", notes="1"))
    loop.model.reply = reply_to_round_trip({"beg": "a sound", "large": ""})
    turn = loop.draft("What is akin to big?", "d")
    assert (turn.reply.answer, turn.used) == ("beg", ())
    used = store.memory.entry(entry.id, ME).used
    for number in (2, None, 2):
        turn = DraftChoice(loop.assistant).take(turn.id, number, ME)
    assert turn.used == (entry.id,)
    assert [turn.use_of(decision) for decision in turn.decisions] == [Use.FOLLOWED]
    assert store.memory.entry(entry.id, ME).used == used + 1  # once per answer
    store.indexer.wait_until_current()
    assert find_bytes(tmp_path, ["marrowfat"]) != []
    store.memory.forget(entry.id, ME)
    assert find_bytes(tmp_path, ["marrowfat"]) == []
    with pytest.raises(NotFound):
        store.turn_store.turn(turn.id, ME)
