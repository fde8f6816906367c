"""What a model is told of what it looks up: whatever stands in a triple, or in what was asked, is data."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from hypothesis import given

from assistant.kinds import Triple
from assistant.papers.memllm.lookups import Lookups
from assistant.papers.memllm.sheet import Found, Line, Outcome, Query
from assistant.prompt.envelope import read_blocks
from assistant.prompt.prompt import Prompting
from assistant.text.cleaning import for_prompt
from tests.support.memory.entries import an_entry
from tests.support.memory.loop import PROMPTS
from tests.unit.assistant.test_prompt_structure import hostile

PROMPTING = Prompting(PROMPTS, b"0123456789abcdef", "connected")


def told(asked: str, thing: str) -> str:
    triple = Triple(subject=thing, relation=thing, object=thing)
    lookups = Lookups(lambda _query: Found(Outcome.FOUND, [Line(triple, an_entry(), 1.0)]), ())
    return PROMPTING.data({"found": lookups.rows(asked, lambda _rows: True)})


@given(text=hostile)
def test_no_triple_leaves_its_block(text: str) -> None:
    (block,), rest = read_blocks(told("a | b | ?", text))
    thing = for_prompt(Triple(subject=text, relation="", object="").subject)
    assert (block.name, rest, len(block.rows)) == ("found", "", 1)
    assert for_prompt(str(block.rows[0]["true"])).count(thing) >= 1


@given(text=hostile)
def test_nothing_that_was_asked_does(text: str) -> None:
    (block,), rest = read_blocks(told(text, "c"))
    assert (block.name, rest) == ("found", "")
    assert all(row.keys() <= {"true", "said by", "on", "asked", "result"} for row in block.rows)


def test_fact_is_dated_in_the_users_zone() -> None:
    read = [
        Line(
            Triple(subject="a", relation="b", object="c"),
            an_entry(created=datetime(2026, 1, 1, 18, 40, tzinfo=UTC)),
            1.0,
        )
    ]
    for zone, day in (("Asia/Kolkata", "2026-01-02"), ("America/Los_Angeles", "2026-01-01")):
        lookups = Lookups(lambda _query: Found(Outcome.FOUND, read), (), ZoneInfo(zone))
        (row,) = lookups.rows("a | b | ?", lambda _rows: True)
        assert row["on"] == day


def test_a_query_is_asked_as_it_is_written() -> None:
    asked: list[Query] = []

    def read(query: Query) -> Found:
        asked.append(query)
        return Found(Outcome.NOTHING)

    rows = Lookups(read, ()).rows("? | b |  c \n d ", lambda _rows: True)
    assert (asked, rows) == ([Query("", "b", "c d")], [{"asked": "? | b | c d", "result": "no stored fact about this"}])
