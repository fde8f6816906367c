"""Handlers of sharing: permissions depend on the scope alone."""

import json

import pytest

from assistant.errors import NotCurator
from assistant.limits import Limits
from assistant.settings import Settings
from assistant.sharing import SharingRules
from assistant.types import Entry, Scope
from memory_store.store import Store
from tests.support.memory.loop import Loop
from tests.support.memory.services import memory_of, services_on
from tests.support.memory.store import ANN, BOB, clarification
from ui.page.conversation import ConversationHandlers
from ui.page.lists import MemoryHandlers, OfferHandlers
from ui.server.identity import VISITOR
from ui.server.rate_limit import has_several_users, sharing_rules

pytestmark = pytest.mark.promise("sharing-needs-rights", "curator-sees-every-field")

CURATOR = Scope("cora")
A_VISITOR = Scope(f"{VISITOR}0123456789abcdef")
RULES = SharingRules(frozenset({CURATOR.person}))
Panels = tuple[MemoryHandlers, OfferHandlers]


@pytest.fixture
def entry(store: Store) -> Entry:
    return store.memory.remember(clarification("what is akin to quick ?"), A_VISITOR)


@pytest.fixture
def handlers(store: Store) -> Panels:
    assistant = Loop(store).assistant.with_parts(limits=Limits(clarification=100))
    services = services_on(store, assistant, sharing=store.sharing(RULES))
    return memory_of(services), OfferHandlers(services)


def test_owner_offers_and_curator_decides(handlers: Panels, entry: Entry) -> None:
    memory, offers = handlers
    for person in (ANN, BOB, CURATOR):
        assert "isn’t yours" in str(memory.offer({"entry": entry.id}, person)["refused"])
    listing = memory.offer({"entry": entry.id}, A_VISITOR)
    assert (listing["done"], listing["changed"], listing["entries"][0]["may_offer"]) == ("offer_made", entry.id, True)
    assert listing["entries"][0]["offer"]["state"] == "offered"

    for person in (ANN, BOB, A_VISITOR):
        assert offers.look({}, person) == {"curator": False, "offers": [], "more": False}
    seen = offers.look({}, CURATOR)
    (offered,) = seen["offers"]
    assert (offered["who"], offered["mine"]) == ("", False)
    assert [str(line) for line in offered["told"]] == [f"Question: {entry.question}"]
    assert A_VISITOR.person not in json.dumps(seen, default=str)
    unseen = {"offer": offered["id"], "text": "better"}
    sent = unseen | {"seal": offered["seal"]}
    for person in (ANN, BOB, A_VISITOR):
        assert offers.accept(sent | {"curator": "cora"}, person) == {"refused": NotCurator().sentence}
        assert offers.decline({"offer": offered["id"], "reason": ""}, person) == {"refused": NotCurator().sentence}

    for other in (unseen, unseen | {"seal": "0" * 64}, sent | {"text": "a" * 101}, sent | {"text": " \n "}):
        assert "refused" in offers.accept(other, CURATOR)
    accepted = offers.accept(sent | {"text": " \ud800 better "}, CURATOR)
    assert (accepted["done"], accepted["offers"][0]["text"]) == ("offer_accepted", "\ufffd better")

    assert "isn’t yours" in str(memory.withdraw({"entry": entry.id}, BOB)["refused"])
    assert memory.search({}, BOB)["entries"] == []
    (mine,) = memory.search({}, A_VISITOR)["entries"]
    assert (mine["text"], mine["offer"]["state"]) == (entry.text, "accepted")
    declined = offers.decline({"offer": offered["id"], "reason": "why"}, CURATOR)
    assert (declined["done"], declined["offers"]) == ("offer_declined_now", [])
    (mine,) = memory.withdraw({"entry": entry.id}, A_VISITOR)["entries"]
    assert (mine["offer"]["state"], mine["offer"]["because"]) == ("declined", "why")


def test_settings_say_who_offers_and_who_decides() -> None:
    def rules(**environment: str) -> SharingRules:
        return sharing_rules(Settings.load(environment))

    assert rules().curators == {"local"}
    assert rules(NOTED_CURATORS="ann, bob").curators == {"ann", "bob"}
    for public in ({"SPACE_ID": "me/noted"}, {"NOTED_HOST": "0.0.0.0"}):  # noqa: S104
        assert rules(**public).curators == frozenset()
        assert rules(**public, NOTED_CURATORS="ann").curators == {"ann"}
    closed, opened = rules(NOTED_ANONYMOUS_OFFERS="off"), rules(NOTED_ANONYMOUS_OFFERS="on")
    assert [each.may_offer(A_VISITOR) for each in (rules(), closed, opened)] == [False, False, True]
    assert closed.may_offer(ANN)
    assert closed.may_offer(Scope("local"))


@pytest.mark.parametrize(("environment", "has_several"), [
    ({}, False),
    ({"NOTED_API": "everyone"}, False),
    ({"NOTED_AUTH": "ann:secret password"}, True),
    ({"NOTED_CURATORS": "ann"}, True),
    ({"NOTED_ANONYMOUS_OFFERS": "on"}, True),
    ({"NOTED_HOST": "0.0.0.0"}, True),  # noqa: S104
    ({"SPACE_ID": "me/noted"}, True),
])  # fmt: skip
def test_installation_for_one_person_offers_nothing(
    environment: dict[str, str], has_several: bool, store: Store, entry: Entry
) -> None:
    several = has_several_users(Settings.load(environment))
    services = services_on(store, sharing=store.sharing(RULES), has_several_users=several)
    (shown,) = memory_of(services).search({}, A_VISITOR)["entries"]
    began = ConversationHandlers(services).fresh({}, A_VISITOR)
    assert (shown["id"], shown["may_offer"], began["may_offer"]) == (entry.id, has_several, has_several)
    assert OfferHandlers(services).look({}, CURATOR)["curator"] is has_several
