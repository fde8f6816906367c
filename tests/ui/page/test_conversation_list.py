"""Handlers of the list of conversations, on a real store."""

import re

from assistant.types import Turn
from memory_store.store import Store
from tests.support.memory.loop import ME, OTHER
from tests.support.memory.services import services_on
from ui.page.lists import PAGE_SIZE, ConversationListHandlers


def talk(store: Store, conversation: str, question: str) -> None:
    store.turn_store.record(Turn(f"turn of {conversation}", conversation, ME.person, question), ME)


def titles(listing: dict[str, object]) -> list[str]:
    views = listing["conversations"]
    assert isinstance(views, list)
    return [view["title"] for view in views]


def test_they_are_listed_a_page_at_a_time_each_in_one_short_line(store: Store) -> None:
    handlers = ConversationListHandlers(services_on(store))
    for number in range(PAGE_SIZE + 2):
        talk(store, f"c{number}", f"question\n{number}" + " and so on" * (40 if number == 0 else 0))
    first = handlers.look({}, ME)
    assert (titles(first)[0], len(titles(first)), first["more"]) == (f"question {PAGE_SIZE + 1}", PAGE_SIZE, True)
    everything = handlers.look({"shown": 2 * PAGE_SIZE}, ME)
    assert (len(titles(everything)), everything["more"]) == (PAGE_SIZE + 2, False)
    assert re.fullmatch(r"question 0( and so on)+ ?(a(nd?)?)?( so?)?( on?)?…", titles(everything)[-1])
    assert titles(handlers.look({}, OTHER)) == []
