"""Contract of stores for shared copies: the curator sees each copied field, and nothing else is copied."""

import json
from typing import Any

import pytest

from assistant.errors import NotFound
from assistant.kinds import CLARIFICATION, FACT, Body, Clarification, Content, Fact, Reach, texts_in
from assistant.ports import WrittenKeys
from assistant.sharing import Curator, Offered
from assistant.types import SEED, Key, KeyOrigin, NewEntry
from memory_store.sharing.sharing import LedgerSharing
from memory_store.store import Store
from tests.support.memory.sharing import read_shared_entry
from tests.support.memory.store import ANN, clarification
from tests.support.memory.triples import triple
from ui.actions.memory import OfferedView

pytestmark = pytest.mark.promise("curator-sees-every-field")

QUESTION, OWN = "which one is it ?", "what only Ann wrote"
HIDDEN: dict[str, Any] = {
    "reach_chosen": True, "apart": (OWN,), "why_both": OWN, "replaced": (OWN,), "place_chosen": True,
    "title": OWN, "in_view": (OWN,),
}  # fmt: skip
CLEAR = Clarification(text="the bank", wrong_understanding="a river", only_its_question=True, **HIDDEN)
PUNE = triple("Dana | works in | Pune")
TOLD = Fact(text="Dana works in Pune", denied=True, triples=(PUNE,), **HIDDEN)
BODIES = pytest.mark.parametrize("body", [CLEAR, TOLD], ids=["clarification", "fact"])


def offered(store: Store, sharing: LedgerSharing, curator: Curator, body: Body) -> Offered:
    """Offer an entry with this body and keys of every origin."""
    kind = FACT if isinstance(body, Fact) else CLARIFICATION
    keys = tuple(Key(f"{OWN} {origin}", origin) for origin in KeyOrigin)
    draft = NewEntry(kind, QUESTION, body, "key", model=SEED, further_keys=keys, wants_keys=True)
    offer = sharing.offer(store.memory.remember(draft, ANN).id, ANN)
    (seen,) = sharing.offers(curator)
    assert seen.offer == offer
    return seen


@BODIES
def test_curator_is_told_every_field(store: Store, sharing: LedgerSharing, curator: Curator, body: Body) -> None:
    waiting = offered(store, sharing, curator, body)
    sharing.accept(waiting.offer.id, curator, seen=waiting.seal)
    (shared,) = sharing.offers(curator)
    copy = read_shared_entry(store)
    assert (waiting.copy.body, waiting.copy.question) == (copy.body, copy.question)
    assert shared.told == waiting.told
    assert not copy.seeded
    shown = "\n".join([waiting.copy.shown, *map(str, waiting.told)])
    for_programs = json.dumps(OfferedView.model_validate(waiting).model_dump(mode="json"))
    for text in [copy.question, *texts_in(copy.body.stored()), *(key.text for key in copy.keys)]:
        assert text in shown
        assert text in for_programs
    assert OWN not in f"{shown} {copy}"
    for name in [name for name, value in copy.body.stored().items() if value is True]:
        without = Offered(waiting.offer, "ann", Content(copy.kind, QUESTION, copy.body.changed({name: False})))
        assert len(without.told) + len(waiting.found_by) == len(waiting.told) - 1


def test_changed_offer_is_not_accepted(store: Store, sharing: LedgerSharing, curator: Curator) -> None:
    entry = store.memory.remember(clarification("q"), ANN)
    offer = sharing.offer(entry.id, ANN)
    (seen,) = sharing.offers(curator)
    store.memory.set_reach(entry.id, Reach.QUESTION, ANN)
    for text in (None, "other words"):
        with pytest.raises(NotFound, match="meantime"):
            sharing.accept(offer.id, curator, text, seen.seal)
    (seen,) = sharing.offers(curator)
    assert "this question only" in str(seen.told[-1])
    sharing.accept(offer.id, curator, seen=seen.seal)
    store.memory.set_reach(entry.id, Reach.WAY, ANN)
    assert read_shared_entry(store).body == seen.copy.body


def test_model_adds_only_keys_to_a_copy(store: Store, sharing: LedgerSharing, curator: Curator) -> None:
    waiting = offered(store, sharing, curator, Clarification(text="the bank"))
    sharing.accept(waiting.offer.id, curator)
    copy = read_shared_entry(store)
    written = WrittenKeys([Key("by the model", KeyOrigin.MODEL)], title="a title", reach=Reach.QUESTION)
    assert store.key_work.written(copy.id, written)
    assert read_shared_entry(store).body == copy.body
    (listed,) = sharing.offers(curator)
    assert str(listed.told[-1]) == "Also found by: by the model"
