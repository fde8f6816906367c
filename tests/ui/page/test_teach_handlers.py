"""Handlers of the tab Teach: told facts and suggestions."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app import compose
from assistant.settings import Settings
from tests.support.memory.loop import ME, OTHER, reply
from tests.support.servers.scripted import ScriptedModel
from ui.page.handlers import View
from ui.page.teach import SuggestionHandlers, TeachHandlers
from ui.server.services import Services

PAGE = "page"


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with closing(compose(Settings.load({"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none"}))) as services:
        yield services


def tell(panel: TeachHandlers, text: object) -> View:
    return panel.tell({"text": text}, ME, PAGE)


def test_told_fact_is_saved_once_and_undone(services: Services) -> None:
    panel = TeachHandlers(services)
    list(services.assistant.ask("my pin is 11", ME, "c"))
    assert panel.look({}, ME) == {"sheet": {"facts": 1, "things": 1}}
    told = tell(panel, "my pin is 22 now")
    assert (told["done"], told["sheet"]) == ("told", {"facts": 1, "things": 1})
    assert tell(panel, "my pin is 22 now")["saved"] == told["saved"]
    assert [entry.shown for entry in services.assistant.memory.entries(ME)] == ["my pin is 22 now"]
    assert "refused" in panel.undo({"entry": told["saved"]["entry"]}, OTHER)
    assert panel.undo({"entry": told["saved"]["entry"]}, ME)["sheet"] == {"facts": 1, "things": 1}
    (entry,) = services.assistant.memory.entries(ME)
    assert entry.shown == "my pin is 11"
    assert panel.undo({"entry": entry.id}, ME)["sheet"] == {"facts": 0, "things": 0}
    assert SuggestionHandlers(services).look({}, ME) == {"suggestions": []}
    for nothing in ("", " ", None, "x" * 3_000):
        assert [*tell(panel, nothing)] == ["refused"]


def test_suggestions_wait_until_they_are_decided(services: Services) -> None:
    message = "By the way, Dana is the one who manages me."
    model = ScriptedModel([reply("You talk about Dana.", "I see.") + "\n<keep>I | manager | Dana</keep>"])
    list(services.assistant.with_parts(services.models.connected, model=model).ask(message, ME, "c"))
    panel = SuggestionHandlers(services)
    (one,) = panel.look({}, ME)["suggestions"]
    assert (one["of"], one["line"], one["question"]) == ("fact", ["I", "manager", "Dana"], message)
    assert panel.look({}, OTHER) == {"suggestions": []}
    decided = {name: one[name] for name in ("turn", "of", "number")}
    changed = panel.decide({**decided, "act": "keep", "text": "I | manager | Dana Kohli"}, ME)
    assert changed["suggestions"] == []
    assert TeachHandlers(services).look({}, ME) == {"sheet": {"facts": 1, "things": 1}}
