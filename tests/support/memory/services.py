"""The services for handlers, on a store."""

from dataclasses import fields
from functools import partial
from typing import Any

from assistant.conversation import Assistant
from assistant.sharing import SharingRules
from memory_store.store import Store
from memory_store.turns.insights import overview
from tests.support.memory.loop import CERTAIN, Loop
from ui.page.lists import MemoryHandlers
from ui.page.teach import ImportHandlers
from ui.server.services import Parts, Services
from ui.streaming.runs import Runs


def _do_nothing(*_given: object, **_named: object) -> Any:
    """Do nothing, as a part that a test does not use."""


def services_on(store: Store, assistant: Assistant | None = None, **given: Any) -> Services:
    """Return services on a store; parts that are neither given nor of the store do nothing."""
    made: dict[str, Any] = {one.name: _do_nothing for one in fields(Services)} | {
        "assistant": assistant or Loop(store).assistant,
        "sharing": store.sharing(SharingRules()),
        "runs": Runs(seconds=0.001),
        "parts": Parts(store.recall, CERTAIN, None),
        "sheet": store.sheet,
        "store": store,
        "memory": store.memory,
        "tokens": store.tokens,
        "conversations": store.conversations,
        "insights": partial(overview, store.ledger),
        "keep_turns_days": 0,
        "card_parts": (),
    }
    return Services(**made | given)


def memory_of(services: Services) -> MemoryHandlers:
    """Return the handlers of the list of entries."""
    return MemoryHandlers(services, ImportHandlers(services))
