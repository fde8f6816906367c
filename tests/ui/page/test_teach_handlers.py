"""Handlers of the tab Teach and the settings: told facts, suggestions, and token usage."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app import compose
from assistant.model_usage import Usage
from assistant.settings import Settings
from assistant.types import Scope
from memory_store.store import Store
from tests.support.memory.loop import ME, RIGHT, WRONG, Loop, reply
from tests.support.memory.services import services_on
from tests.support.servers.scripted import ScriptedModel
from ui.page.handlers import View
from ui.page.lists import SettingsHandlers
from ui.page.teach import SuggestionHandlers, TeachHandlers
from ui.server.services import Services

PAGE = "page"


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with closing(compose(Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none"}))) as services:
        yield services


def entries(services: Services, scope: Scope = ME) -> list[str]:
    return [entry.shown for entry in services.assistant.memory.entries(scope)]


def tell(panel: TeachHandlers, text: object, scope: Scope = ME) -> View:
    return panel.tell({"text": text}, scope, PAGE)


def test_told_fact_is_saved_once_and_undone(services: Services) -> None:
    panel = TeachHandlers(services)
    told = tell(panel, "My manager is Dana.")
    assert (told["done"], told["sheet"]) == ("told", {"facts": 1, "things": 1})
    assert tell(panel, "My manager is Dana.")["saved"] == told["saved"]
    assert entries(services) == ["My manager is Dana."]
    assert "refused" in panel.undo({"entry": told["saved"]["entry"]}, Scope("somebody else"))
    assert panel.undo({"entry": told["saved"]["entry"]}, ME)["sheet"] == {"facts": 0, "things": 0}
    assert tell(panel, "My manager is Dana.")["sheet"] == {"facts": 1, "things": 1}
    for nothing in ("", " ", None, "x" * 3_000):
        assert [*tell(panel, nothing)] == ["refused"]


def test_told_fact_is_that_of_the_chat(services: Services) -> None:
    panel = TeachHandlers(services)
    list(services.assistant.ask("my pin is 11", ME, "c"))
    assert panel.look({}, ME) == {"sheet": {"facts": 1, "things": 1}}
    assert SuggestionHandlers(services).look({}, ME) == {"suggestions": []}
    assert tell(panel, "my pin is 22 now")["sheet"] == {"facts": 1, "things": 1}
    assert entries(services) == ["my pin is 22 now"]
    (entry,) = services.assistant.memory.entries(ME)
    services.assistant.undo(entry.id, ME)
    assert entries(services) == ["my pin is 11"]
    (entry,) = services.assistant.memory.entries(ME)
    services.assistant.undo(entry.id, ME)
    assert SuggestionHandlers(services).look({}, ME) == {"suggestions": []}
    assert panel.look({}, ME) == {"sheet": {"facts": 0, "things": 0}}


def test_suggestions_wait_until_they_are_decided(services: Services) -> None:
    message = "By the way, Dana is the one who manages me."
    model = ScriptedModel([reply("You talk about Dana.", "I see.") + "\n<keep>I | manager | Dana</keep>"])
    list(services.assistant.with_parts(services.models.connected, model=model).ask(message, ME, "c"))
    panel = SuggestionHandlers(services)
    (one,) = panel.look({}, ME)["suggestions"]
    assert (one["of"], one["line"], one["question"]) == ("fact", ["I", "manager", "Dana"], message)
    assert panel.look({}, Scope("somebody else")) == {"suggestions": []}
    decided = {name: one[name] for name in ("turn", "of", "number")}
    changed = panel.decide({**decided, "act": "keep", "text": "I | manager | Dana Kohli"}, ME)
    assert changed["suggestions"] == []
    assert TeachHandlers(services).look({}, ME) == {"sheet": {"facts": 1, "things": 1}}


def test_settings_say_what_the_own_answers_took(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT)
    loop.model.usage = Usage(800, 90, told=False, dollars=0.25)
    loop.clarify(loop.ask("what is akin to quick ?"), "a synonym")
    panel = SettingsHandlers(services_on(store))
    told = panel.look({}, ME)
    assert (told["answers"], told["counted"], told["estimated"]) == (2, 2, 2)
    assert (told["prompt"], told["reply"], told["each"], told["dollars"]) == (800, 90, 0.25, 0.5)
    nothing = panel.look({}, Scope("somebody else"))
    assert (nothing["answers"], nothing["counted"], nothing["dollars"]) == (0, 0, 0)
