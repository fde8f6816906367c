"""Contract of entry types, and a new type of this test that passes through every port."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import InputError, NotFound, TooLong
from assistant.kinds import KINDS, Body, Kind, Preference, Reach, Text, Triple
from assistant.reports.listing import EntryFilter
from assistant.types import Key, KeyOrigin, NewEntry
from memory_store.store import Store, open_store
from tests.support.memory.sharing import CURATOR, RULES
from tests.support.memory.store import ANN, BOB, read_keys, run_import


class Recipe(Body):
    dish: Text
    steps: tuple[Text, ...]


RECIPE = Kind(
    name="recipe",
    body=Recipe,
    shown="dish",
    prompted=lambda said: {"cook": said.dish, "steps": "; ".join(said.steps)},
    identity=lambda said: (said.dish, *said.steps),
    calibration="clarification",
    shareable=True,
)
ALL = {**KINDS, RECIPE.name: RECIPE}
QUESTION = "what do I cook for diwali ?"
ANYTHING = st.text() | st.sampled_from(["\x00", "\ud800", "ਠੰਡਾ\u2028", '"}\n{"', "क्‍ष"])
every_kind = pytest.mark.parametrize("kind", ALL.values(), ids=list(ALL))


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


@pytest.fixture
def opened(tmp_path: Path, any_ledger_url: str) -> Iterator[Callable[[str], Store]]:
    stores = []

    def in_folder(name: str) -> Store:
        (tmp_path / name).mkdir(exist_ok=True)
        url = f"sqlite:///{tmp_path / name / 'ledger.db'}" if name else any_ledger_url
        stores.append(open_store(url, str(tmp_path / name / "index"), None, kinds=ALL))
        return stores[-1]

    yield in_folder
    for store in stores:
        store.close()


@every_kind
@given(data=st.data())
def test_kind_keeps_any_text(kind: Kind, data: st.DataObject) -> None:
    said = body_of(kind, lambda _: data.draw(ANYTHING)).changed({"only_in": data.draw(ANYTHING)})
    assert kind.body.model_validate(json.loads(json.dumps(said.stored()))) == said
    assert said.changed({}) == said
    assert kind.idempotency_key("t", said) == kind.idempotency_key("t", said.changed({}))


@every_kind
def test_kind_is_saved_searched_and_changed(kind: Kind, opened: Callable[[str], Store]) -> None:
    memory = opened("").memory
    draft = draft_of(kind, wrong="a song")
    saved = memory.remember(draft, ANN)
    assert memory.remember(draft, ANN) == memory.entry(saved.id, ANN) == saved
    assert (saved.kind, saved.body, saved.shown) == (kind, draft.body, f"{kind.shown} ਠੰਡਾ\nof {kind.name}")
    for search in ("diwali", saved.shown, "thanda", "ਠੰਡਾ"):
        assert list(memory.entries(ANN, search)) == [saved]
    assert memory.find(ANN, EntryFilter(kind=kind.name)).entries == memory.entries(ANN) == [saved]
    assert not memory.find(ANN, EntryFilter(kind="another")).total
    with pytest.raises(NotFound):
        memory.entry(saved.id, BOB)
    edited = memory.edit(saved.id, "something else", ANN)
    assert edited.body == draft.body.changed({kind.shown: "something else", **dict.fromkeys(kind.drawn, ())})
    assert memory.edit(saved.id, "something else", ANN) == edited
    assert memory.retract(edited.id, ANN).id == edited.id
    assert list(memory.entries(ANN)) == [saved]
    if not kind.confirms:
        with pytest.raises(TooLong):
            memory.edit(saved.id, "a" * 2_001, ANN)


@every_kind
def test_kind_is_exported_and_imported(kind: Kind, opened: Callable[[str], Store]) -> None:
    store, other = opened(""), opened("other")
    saved = store.memory.remember(draft_of(kind, wrong="a song"), ANN)
    here = store.memory.remember(draft_of(kind, only_in="c"), ANN)
    exported = [line.encode() for line in store.export(ANN)]
    assert run_import(other.take_in, exported, BOB).counting == 2
    assert not run_import(other.take_in, exported, BOB).new
    assert [(entry.kind, entry.body, entry.keys) for entry in other.memory.entries(BOB)] == [
        (entry.kind, entry.body, entry.keys) for entry in (here, saved)
    ]
    widened = store.memory.set_reach(here.id, Reach.WAY, ANN).only_in if kind.shareable else ""
    assert (here.only_in, widened) == ("c", "")


@every_kind
def test_kind_is_shared_where_allowed(kind: Kind, opened: Callable[[str], Store]) -> None:
    store = opened("")
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
    assert copy.body == saved.body.changed(saved.in_words("in other words"))
    sharing.withdraw(saved.id, ANN)
    assert not read_keys(store, BOB)


def test_every_text_of_a_copy_keeps_the_rules(opened: Callable[[str], Store]) -> None:
    store = opened("")
    body = Recipe(dish="kheer", steps=("milk", "a" * 41))
    saved = store.memory.remember(replace(draft_of(RECIPE), body=body), ANN)
    with pytest.raises(TooLong):
        store.sharing(RULES).offer(saved.id, ANN)


def test_unknown_kind_is_passed_over(opened: Callable[[str], Store], tmp_path: Path) -> None:
    store = opened("x")
    recipe = store.memory.remember(draft_of(RECIPE), ANN)
    store.memory.remember(draft_of(KINDS["clarification"]), ANN)
    store.close()
    without = open_store(f"sqlite:///{tmp_path / 'x' / 'ledger.db'}", str(tmp_path / "x" / "index"), None)
    assert [entry.kind.name for entry in without.memory.entries(ANN)] == ["clarification"]
    without.memory.remember(replace(draft_of(KINDS["example"]), idempotency_key="k"), ANN)
    assert without.memory.forget(recipe.id, ANN).erased["recipes"] == 1
    without.close()
