"""The Insights page: users see their own numbers, curators the totals, and nobody texts of others."""

import json

import pytest

from assistant.sharing import SharingRules
from assistant.types import Reaction, Scope
from memory_store.store import Store
from tests.support.memory.loop import BY_NOTE, ME, RIGHT, WRONG, Loop
from tests.support.memory.services import services_on
from ui.page.lists import InsightsHandlers

CURATOR = Scope("cora")


@pytest.fixture
def insights(store: Store) -> InsightsHandlers:
    return InsightsHandlers(services_on(store, sharing=store.sharing(SharingRules(frozenset({CURATOR.person})))))


def test_user_sees_own_and_curator_all_without_texts(store: Store, insights: InsightsHandlers) -> None:
    loop = Loop(store, WRONG, RIGHT, BY_NOTE, BY_NOTE, RIGHT)
    loop.clarify(loop.ask("what is akin to quick ?"), "the marigold synonym")
    good = loop.ask("what is akin to happy ?", "c2")
    bad = loop.ask("what is akin to brave ?", "c3")
    (note,) = good.used
    list(loop.assistant.react(bad.id, Reaction.EXCLUDE, ME, note))
    mine = insights.look({"of": "own"}, ME)
    assert (mine["weeks"][-1]["helped"], mine["taught"]) == (1, {"clarification": 1})
    titles = [(row["meaning"], row["corrected"], row["used"]) for row in mine["corrected"]]
    assert titles == [("the marigold synonym", 1, 3)]
    assert [row["id"] for row in mine["latest"]] == [note]

    assert insights.look({"of": "everyone"}, ME)["of"] == "own"
    assert insights.look({"of": "own"}, CURATOR)["weeks"] == []
    whole = insights.look({"of": "everyone"}, CURATOR)
    assert (whole["curator"], whole["of"], whole["people"]) == (True, "everyone", 1)
    assert (whole["weeks"][-1]["helped"], whole["taught"]) == (1, {"clarification": 1})
    told = json.dumps(whole)
    assert not [secret for secret in ("marigold", "akin", "quick", "fast", f'"{ME.person}"', good.id) if secret in told]
    assert insights.look({"of": "everyone"}, Scope("somebody else"))["weeks"] == []
