"""Handlers of API tokens: who may make them, and isolation of users."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from assistant.settings import Settings
from assistant.types import Scope
from memory_store.store import Store
from tests.support.memory.loop import Loop
from tests.support.memory.services import services_on
from tests.support.memory.store import ANN, BOB
from ui.actions.upkeep import MOST_TOKENS
from ui.page.lists import TokenHandlers
from ui.programs.api import token_makers
from ui.server.identity import HUGGING_FACE, LOCAL_PERSON, VISITOR
from ui.server.rate_limit import RateLimit

A_VISITOR = Scope(f"{VISITOR}0123456789abcdef")


@pytest.fixture
def panel(store: Store) -> TokenHandlers:
    return TokenHandlers(services_on(store), token_makers(Settings.load({})))


@pytest.mark.parametrize(("environment", "person", "may"), [
    ({}, f"{HUGGING_FACE}ann", True),
    ({}, "ann", True),
    ({}, LOCAL_PERSON, True),
    ({"NOTED_API": "everyone"}, "ann", True),
    ({"NOTED_API": "everyone"}, A_VISITOR.person, False),
    ({}, A_VISITOR.person, False),
    ({"NOTED_API": "off"}, "ann", False),
])  # fmt: skip
def test_who_may_make_one(store: Store, environment: dict[str, str], person: str, may: bool) -> None:
    panel = TokenHandlers(services_on(store), token_makers(Settings.load(environment)))
    assert panel.look({}, Scope(person))["may_make"] is may
    assert ("secret" in panel.make({"label": "x"}, Scope(person))) is may
    assert len(store.tokens.tokens(Scope(person))) == may


def test_who_may_make_none_any_more_can_still_revoke_the_last(store: Store) -> None:
    token, secret = store.tokens.make(ANN, "of before")
    panel = TokenHandlers(services_on(store), lambda _scope: False)
    assert [shown["id"] for shown in panel.look({}, ANN)["tokens"]] == [token.id]
    assert panel.revoke({"token": token.id}, ANN)["tokens"] == []
    assert store.tokens.person(secret) is None


def test_there_are_not_more_than_one_can_look_through(panel: TokenHandlers, store: Store) -> None:
    with ThreadPoolExecutor(2 * MOST_TOKENS) as together:
        labels = ({"label": f"program {number}"} for number in range(2 * MOST_TOKENS))
        made = list(together.map(lambda sent: panel.make(sent, ANN), labels))
    assert len(store.tokens.tokens(ANN)) == sum("secret" in one for one in made) == MOST_TOKENS
    refused = panel.make({"label": "one more"}, ANN)
    assert str(refused["refused"]) == f"You have {MOST_TOKENS} tokens. Revoke one that you no longer use."
    panel.revoke({"token": panel.look({}, ANN)["tokens"][0]["id"]}, ANN)
    for person, label in ((ANN, "in its place"), (BOB, "of somebody else")):
        assert panel.make({"label": label}, person)["done"] == "token_made"
        assert panel.look({}, person)["tokens"][0]["label"] == label  # the newest comes first


def test_making_them_counts_as_saving_and_revoking_does_not(store: Store) -> None:
    assistant = replace(Loop(store).assistant, allowance=RateLimit(9, 2))
    panel = TokenHandlers(services_on(store, assistant), token_makers(Settings.load({})))
    made = [panel.make({"label": "x"}, ANN) for _ in range(3)]
    assert [shown.get("done") for shown in made] == ["token_made", "token_made", None]
    assert "2 times a minute" in str(made[2]["refused"])
    assert panel.revoke({"token": made[0]["tokens"][0]["id"]}, ANN)["done"] == "token_revoked"
