"""How much can be kept at once, and how often it is changed: the same by every way, and each change counts."""

from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from app import compose
from assistant.errors import InputError, TooOften
from assistant.kinds import FACT, MOST_TRIPLES, Fact, Triple
from assistant.settings import Settings
from assistant.types import Draft, Scope
from tests.support.memory.loop import last
from ui.page.learn.learn import LearnHandlers
from ui.page.sheet.sheet import SheetHandlers
from ui.server.services import Services

pytestmark = pytest.mark.promise("changes-are-counted")

ME = Scope("me")
SAVES = 5
FRIENDS = [f"friend {n}" for n in range(MOST_TRIPLES + 1)]
TOO_MANY = tuple(Triple(subject="Dana", relation="knows", object=friend) for friend in FRIENDS)
ALL = f"Dana knows {', '.join(FRIENDS)}"


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    told = {"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none", "NOTED_SAVES_PER_MINUTE": str(SAVES)}
    with closing(compose(Settings.load(told))) as services:
        yield services


def told(services: Services) -> str:
    return last(services.assistant.ask("my manager is Dana", ME, "c")).id


def test_a_fact_says_no_more_of_things_however_it_comes(services: Services) -> None:
    memory = services.assistant.memory
    body = Fact(text=ALL, triples=TOO_MANY)
    with pytest.raises(InputError, match="100"):
        memory.remember(Draft(FACT, ALL, body, "key"), ME)
    learn = LearnHandlers(services)
    kept = learn.keep({"facts": [{"text": ALL, "triples": [one.line for one in TOO_MANY]}]}, ME)
    assert [*kept] == ["refused"]
    few = services.sheet_editing.remember(ALL, TOO_MANY[:-1], ME)
    with pytest.raises(InputError, match="100"):
        services.sheet_editing.remember(ALL, TOO_MANY[-1:], ME)
    assert memory.entries(ME) == [few]


def file_of(lines: int) -> dict[str, str]:
    """A file with so many facts, as the page sends it."""
    written = "\n".join(["subject,relation,object", *(f"a{n},is,b{n}" for n in range(lines))])
    return {"bytes": b64encode(written.encode()).decode()}


def test_lines_count_by_the_hundred_and_all_together_or_not_at_all(services: Services) -> None:
    sheet = SheetHandlers(services)
    assert sheet.take_in(file_of(SAVES * 100 + 1), ME) == {"refused": TooOften(SAVES).sentence}
    assert services.assistant.memory.entries(ME) == []
    assert sheet.take_in(file_of(101), ME)["taken"] == 101
    learn = LearnHandlers(services)
    facts = [{"text": f"f{n}", "triples": [f"a{m} | is | c" for m in range(90)]} for n in range(4)]
    assert learn.keep({"facts": facts}, ME) == {"refused": TooOften(SAVES).sentence}
    assert [*learn.keep({"facts": facts * 3}, ME)] == ["refused"]


CHANGES: dict[str, Callable[[Services, str], object]] = {
    "a proposal, dropped": lambda services, turn: services.triples.discard(turn, 1, ME),
    "and taken back": lambda services, turn: services.triples.undo(turn, 1, ME),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_is_said_again_and_again_of_a_proposal_counts(what: str, services: Services) -> None:
    turn = told(services)
    for _ in range(SAVES):
        CHANGES[what](services, turn)
    with pytest.raises(TooOften):
        CHANGES[what](services, turn)


def test_lines_that_are_taken_off_count(services: Services) -> None:
    sheet = SheetHandlers(services)
    for n in range(SAVES + 1):
        with suppress(InputError):
            services.sheet_editing.remember(f"a{n} is b", [Triple(subject=f"a{n}", relation="is", object="b")], ME)
    done = [[*sheet.remove_line({"line": sheet.look({}, ME)["lines"][0]["name"]}, ME)] for _ in range(SAVES + 1)]
    assert done[-1] == ["refused"]
    assert "refused" not in done[0]
