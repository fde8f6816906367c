"""Contract of entry types, each of which passes through every port."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import InputError, NotFound, TooLong
from assistant.kinds import FACT, KINDS, Body, Kind, Preference, Reach, Triple
from assistant.reports.listing import EntryFilter
from assistant.types import Key, KeyOrigin, NewEntry
from memory_store.store import Store
from tests.support.memory.sharing import CURATOR, RULES
from tests.support.memory.store import ANN, BOB, read_keys, run_import

QUESTION = "what do I cook for diwali ?"
ANYTHING = st.text() | st.sampled_from(["\x00", "\ud800", "ਠੰਡਾ\u2028", '"}\n{"', "क्‍ष"])
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))


def body_of(kind: Kind, word: Callable[[str], str]) -> Body:
    """Return the body of an entry type with another word in each field."""
    own = kind.body.model_fields.keys() - Body.model_fields.keys()
    texts: dict[object, Callable[[str], object]] = {
        bool: lambda _: True,
        str: word,
        Preference.model_fields["gains"].annotation: lambda _: {"notes": 0.5},
        tuple[Triple, ...]: lambda _: (Triple(subject=word("text"), relation="is", object=word("text")),),
    }
    of: dict[str, Callable[[str], Any]] = {
        name: texts.get(field.annotation, lambda name: (word(name), "x"))
        for name, field in kind.body.model_fields.items()
    }
    return kind.body(**{name: of[name](name) for name in own})


def draft_of(kind: Kind, only_in: str = "", wrong: str = "") -> NewEntry:
    body = body_of(kind, lambda name: f"{name} ਠੰਡਾ\nof {kind.name}").changed(
        {"only_in": only_in, "wrong_understanding": wrong}
    )
    key = kind.idempotency_key(QUESTION, body)
    return NewEntry(kind, QUESTION, body, key, further_keys=(Key("diwali", KeyOrigin.MODEL),))


@every_kind
@given(data=st.data())
def test_kind_keeps_any_text(kind: Kind, data: st.DataObject) -> None:
    said = body_of(kind, lambda _: data.draw(ANYTHING)).changed({"only_in": data.draw(ANYTHING)})
    assert kind.body.model_validate(json.loads(json.dumps(said.stored()))) == said
    assert said.changed({}) == said
    assert kind.idempotency_key("t", said) == kind.idempotency_key("t", said.changed({}))


@every_kind
def test_kind_is_saved_searched_and_changed(kind: Kind, any_store: Store) -> None:
    memory = any_store.memory
    draft = draft_of(kind, wrong="a song")
    saved = memory.remember(draft, ANN)
    assert memory.remember(draft, ANN) == memory.entry(saved.id, ANN) == saved
    assert (saved.kind, saved.body, saved.shown) == (kind, draft.body, f"{kind.shown} ਠੰਡਾ\nof {kind.name}")
    for search in ("diwali", "thanda"):
        assert list(memory.entries(ANN, search)) == [saved]
    assert memory.find(ANN, EntryFilter(kind=kind.name)).entries == memory.entries(ANN) == [saved]
    with pytest.raises(NotFound):
        memory.entry(saved.id, BOB)
    edited = memory.edit(saved.id, "something else", ANN)
    assert edited.body == draft.body.changed({kind.shown: "something else", **dict.fromkeys(kind.drawn, ())})
    memory.retract(edited.id, ANN)
    assert list(memory.entries(ANN)) == [saved]
    if not kind.confirms:
        with pytest.raises(TooLong):
            memory.edit(saved.id, "a" * 2_001, ANN)


@every_kind
def test_kind_is_exported_and_imported(kind: Kind, store: Store, any_store: Store) -> None:
    saved = store.memory.remember(draft_of(kind, wrong="a song"), ANN)
    here = store.memory.remember(draft_of(kind, only_in="c"), ANN)
    exported = [line.encode() for line in store.export(ANN)]
    assert run_import(any_store.take_in, exported, BOB).counting == 2
    assert not run_import(any_store.take_in, exported, BOB).new
    assert [(entry.kind, entry.body, entry.keys) for entry in any_store.memory.entries(BOB)] == [
        (entry.kind, entry.body, entry.keys) for entry in (here, saved)
    ]
    widened = store.memory.set_reach(here.id, Reach.WAY, ANN).only_in if kind.shareable else ""
    assert (here.only_in, widened) == ("c", "")


@every_kind
def test_kind_is_shared_where_allowed(kind: Kind, store: Store) -> None:
    sharing = store.sharing(RULES)
    saved = store.memory.remember(draft_of(kind, wrong="a song"), ANN)
    if not kind.shareable:
        with pytest.raises(InputError):
            sharing.offer(saved.id, ANN)
        return
    offer = sharing.offer(saved.id, ANN)
    sharing.accept(offer.id, sharing.curator(CURATOR), "in other words")
    ids = {key.entry_id for key in read_keys(store, BOB)}
    (copy,) = store.memory.entries_by_id(ids, BOB).values()
    own = {"one_valued": ()} if kind is FACT else {}  # depends on the owner's other facts
    assert copy.body == saved.body.changed({**saved.in_words("in other words"), **own})
    sharing.withdraw(saved.id, ANN)
    assert not read_keys(store, BOB)
