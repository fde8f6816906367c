"""What an attacker tries at the operations: entries that are unnamed or cut, and seals that are left out."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from app import compose
from assistant.errors import InputError, NotFound
from assistant.settings import Settings
from assistant.types import Scope
from ui.actions.call import Call
from ui.actions.table import OPERATIONS
from ui.server.identity import LOCAL_PERSON
from ui.server.services import Services

ANN, BOB, CURATOR = "ann", "bob", LOCAL_PERSON


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none"})


@pytest.fixture
def services(settings: Settings) -> Iterator[Services]:
    settings.make_home()
    with closing(compose(settings)) as services:
        yield services


def do(services: Services, who: str, name: str, **sent: Any) -> Any:
    *_, last = OPERATIONS[name].results(Call(services, Scope(who)), sent)
    return last


def saved(services: Services, who: str, question: str = "What is akin to quick?", text: str = "a synonym") -> str:
    return str(do(services, who, "remember", question=question, text=text)["entry"])


@pytest.mark.parametrize("name", ["forget", "offer", "withdraw", "resume", "revert"])
def test_an_entry_that_is_not_named_is_not_the_last_one(services: Services, name: str) -> None:
    asked = do(services, ANN, "ask", question="What is akin to quick?")
    do(services, ANN, "clarify", turn=asked["turn"], text="a word with the same meaning")
    with pytest.raises(InputError):
        do(services, ANN, name, entry="")
    assert do(services, ANN, "list")["total"] == 1
    assert do(services, ANN, "erases", entry="")["result"]["turns"] == 2


def test_an_entry_is_named_by_how_it_begins_among_ones_own(services: Services) -> None:
    entry = saved(services, ANN)
    for start in (entry[:8], entry):
        assert do(services, ANN, "erases", entry=start)["result"] is not None
        with pytest.raises(NotFound):
            do(services, BOB, "erases", entry=start)
    with pytest.raises(NotFound):
        do(services, ANN, "forget", entry="-")


@pytest.mark.promise("curator-sees-every-field")
def test_an_offer_is_accepted_by_its_seal_only(services: Services) -> None:
    offer = do(services, ANN, "offer", entry=saved(services, ANN))["id"]
    with pytest.raises(InputError):
        do(services, CURATOR, "accept", offer=offer, seal="")
    (seen,) = do(services, CURATOR, "offers")["offers"]
    assert do(services, CURATOR, "accept", offer=offer, seal=seen["seal"])["state"] == "accepted"
