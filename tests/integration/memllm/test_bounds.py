"""Limits on the number of facts and of changes: the same for every interface, and each change counts."""

from base64 import b64encode
from collections.abc import Callable

import pytest

from assistant.errors import InputError, TooOften
from assistant.kinds import MOST_TRIPLES, Triple
from tests.support.memory.loop import ME
from ui.page.teach import LearnHandlers, SheetHandlers
from ui.server.services import Services

pytestmark = pytest.mark.promise("changes-are-counted")

SAVES = 5
FRIENDS = [f"friend {n}" for n in range(MOST_TRIPLES + 1)]
TOO_MANY = tuple(Triple(subject="Dana", relation="knows", object=friend) for friend in FRIENDS)
ALL = f"Dana knows {', '.join(FRIENDS)}"


@pytest.fixture
def services(composed: Callable[..., Services]) -> Services:
    return composed(saves_per_minute=SAVES)


def test_fact_has_at_most_a_hundred_triples(services: Services) -> None:
    lines = [one.line for one in TOO_MANY]
    assert [*LearnHandlers(services).keep({"facts": [{"text": ALL, "triples": lines}]}, ME)] == ["refused"]
    few = services.sheet_editing.remember(ALL, TOO_MANY[:-1], ME)
    with pytest.raises(InputError, match="100"):
        services.sheet_editing.remember(ALL, TOO_MANY[-1:], ME)
    assert services.assistant.memory.entries(ME) == [few]


def file_of(lines: int) -> dict[str, str]:
    """Return a file with that many facts, as the page sends it."""
    written = "\n".join(["subject,relation,object", *(f"a{n},is,b{n}" for n in range(lines))])
    return {"bytes": b64encode(written.encode()).decode()}


def test_lines_count_by_the_hundred_all_or_none(services: Services) -> None:
    sheet = SheetHandlers(services)
    assert sheet.take_in(file_of(SAVES * 100 + 1), ME) == {"refused": TooOften(SAVES).sentence}
    assert services.assistant.memory.entries(ME) == []
    assert sheet.take_in(file_of(101), ME)["taken"] == 101
    learn = LearnHandlers(services)
    facts = [{"text": f"f{n}", "triples": [f"a{m} | is | c" for m in range(90)]} for n in range(4)]
    assert learn.keep({"facts": facts}, ME) == {"refused": TooOften(SAVES).sentence}
    assert [*learn.keep({"facts": facts * 3}, ME)] == ["refused"]
