"""Choosing another draft: the answer, the stored entry, and the user's weights of the ensemble."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import NotFound
from assistant.kinds import PREFERENCE
from assistant.papers.selection.drafts import preferred_weights, reset_preferences, take_draft
from assistant.reports.listing import EntryFilter
from assistant.types import Entry, Scope, Turn, Use
from memory_store.store import Store
from tests.support.damage.find_bytes import find_bytes
from tests.support.memory.drafting import DraftingLoop, reply_to_round_trip
from tests.support.memory.loop import ME, OTHER, RIGHT, WRONG, Loop, reply
from tests.support.memory.store import run_import, small_store

pytestmark = pytest.mark.promise("drafts-are-taken", "choices-stay-personal")

Take = Callable[[str, int | None, Scope], Turn]

SOUND, SAME = ("a word that sounds like quick", "kwik"), ("a word that means the same as quick", "fast")
BACK = {"kwik": SOUND[0], "fast": "nothing of that"}


def weights(store: Store, scope: Scope = ME) -> dict[str, float]:
    return preferred_weights(store.memory, scope)


def drafted(store: Store, conversation: str = "c", **parts: Any) -> tuple[Take, Turn]:
    """Return two drafts, of which the round trip prefers the first."""
    loop = DraftingLoop(store, WRONG, RIGHT, **parts)
    loop.model.reply = reply_to_round_trip(BACK)
    return partial(take_draft, loop.assistant), loop.draft(conversation=conversation)


def choices(store: Store) -> Sequence[Entry]:
    return store.memory.find(ME, EntryFilter(kind=PREFERENCE.name)).entries


def answer(turn: Turn) -> tuple[str, str]:
    return turn.reply.understanding, turn.reply.answer


def test_draft_is_taken_and_taken_back(store: Store) -> None:
    take, turn = drafted(store)
    assert answer(turn) == SOUND
    assert weights(store) == {}

    taken = take(turn.id, 2, ME)
    assert answer(taken) == SAME
    assert taken == replace(store.turn_store.turn(turn.id, ME), ms=taken.ms)
    assert [one.body.stored()["gains"] for one in choices(store)] == [{"round_trip": -1.0}]
    assert weights(store) == {"round_trip": pytest.approx(math.e**-0.35)}
    assert take(turn.id, 2, ME) == taken  # idempotent
    assert len(choices(store)) == 1

    assert take(turn.id, None, ME).reply.fields == turn.reply.fields
    assert weights(store) == {}


def test_weights_choose_the_next_draft(store: Store) -> None:
    # Notes prefer the second draft as much as the round trip prefers the first, until the user chooses.
    note = Loop(store, WRONG, RIGHT)
    note.clarify(note.ask("What is akin to quick?"), "the same meaning, as fast as can be")
    texts = reply(SOUND[0], "kwik"), reply(SAME[0], "fast as can be")

    def asked(conversation: str) -> tuple[Take, Turn]:
        loop = DraftingLoop(store, *texts, weights=partial(preferred_weights, store.memory))
        loop.model.reply = reply_to_round_trip({"kwik": SOUND[0], "fast as can be": "nothing of that"})
        return partial(take_draft, loop.assistant), loop.draft("What is akin to big?", conversation)

    take, turn = asked("c1")
    assert turn.reply.answer == "kwik"
    take(turn.id, 2, ME)
    assert weights(store)["notes"] > 1 > weights(store)["round_trip"]
    assert weights(store, OTHER) == {}
    assert asked("c2")[1].reply.answer == "fast as can be"
    reset_preferences(store.memory, ME)
    assert asked("c3")[1].reply.answer == "kwik"
    assert answer(store.turn_store.turn(turn.id, ME))[1] == "fast as can be"  # the chosen draft stays


def test_weights_are_exported_and_erased(store: Store, tmp_path: Path) -> None:
    take, turn = drafted(store)
    take(turn.id, 2, ME)
    lines = [line.encode() for line in store.export(ME)]
    elsewhere = small_store(tmp_path / "elsewhere")
    run_import(elsewhere.take_in, lines, ME)
    assert preferred_weights(elsewhere.memory, ME) == {"round_trip": pytest.approx(math.e**-0.35)}
    assert not any("preference" in line for line in store.export(OTHER))
    assert Loop(store, RIGHT).ask(turn.question, "d").decisions == ()  # preferences are not retrieved
    store.memory.forget_all(ME)
    assert weights(store) == {}
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
        turn = take_draft(loop.assistant, turn.id, number, ME)
    assert turn.used == (entry.id,)
    assert [turn.use_of(decision) for decision in turn.decisions] == [Use.FOLLOWED]
    assert store.memory.entry(entry.id, ME).used == used + 1  # once per answer
    store.indexer.wait_until_current()
    assert find_bytes(tmp_path, ["marrowfat"]) != []
    store.memory.forget(entry.id, ME)
    assert find_bytes(tmp_path, ["marrowfat"]) == []
    with pytest.raises(NotFound):
        store.turn_store.turn(turn.id, ME)
