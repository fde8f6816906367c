"""What the Insights page is told: a person their own, a curator the whole, and nobody a text of somebody else."""

import json

import pytest

from assistant.kinds import PREFERENCE, Preference
from assistant.model_usage import Usage
from assistant.sharing import SharingRules
from assistant.types import Draft, Reaction, Scope
from memory_store.store import Store
from tests.support.memory.loop import BY_NOTE, ME, RIGHT, WRONG, Loop
from tests.support.memory.services import services_on
from ui.page.insights import InsightsHandlers

CURATOR = Scope("cora")


@pytest.fixture
def insights(store: Store) -> InsightsHandlers:
    return InsightsHandlers(services_on(store, sharing=store.sharing(SharingRules(frozenset({CURATOR.person})))))


def test_every_draft_that_was_taken_is_counted(store: Store, insights: InsightsHandlers) -> None:
    for number in range(101):
        body = Preference(gains={"round_trip": 0.1}, line="-")
        store.memory.remember(Draft(PREFERENCE, f"question {number}", body, f"key {number}"), ME)
    assert insights.look({}, ME)["preferences"]["count"] == 101


def test_a_person_sees_their_own_and_a_curator_the_whole_without_a_text(
    store: Store, insights: InsightsHandlers
) -> None:
    loop = Loop(store, WRONG, RIGHT, BY_NOTE, RIGHT)
    loop.model.usage = Usage(800, 90, told=False, dollars=0.25)
    loop.clarify(loop.ask("what is akin to quick ?"), "the marigold synonym")
    good = loop.ask("what is akin to happy ?", "c2")
    assert good.used
    list(loop.assistant.react(good.id, Reaction.CONFIRM, ME))
    mine = insights.look({"of": "own"}, ME)
    assert (mine["questions"], mine["taken"]["answers"]) == (2, 3)
    worked = [{**row, "text": str(row["text"])} for row in mine["worked"]]
    assert {"text": "the marigold synonym", "used": 2, "helped": 1, "hurt": 0} in worked
    assert insights.look({"of": "own"}, CURATOR)["taken"]["answers"] == 0

    assert insights.look({"of": "everyone"}, ME)["of"] == "own"
    assert insights.look({"of": "own"}, CURATOR)["questions"] == 0
    whole = insights.look({"of": "everyone"}, CURATOR)
    assert (whole["curator"], whole["of"], whole["people"], whole["questions"]) == (True, "everyone", 1, 2)
    assert whole["taken"]["answers"] == 3
    told = json.dumps(whole)
    assert not [secret for secret in ("marigold", "akin", "quick", "fast", f'"{ME.person}"', good.id) if secret in told]
    assert insights.look({"of": "everyone"}, Scope("somebody else"))["questions"] == 0
