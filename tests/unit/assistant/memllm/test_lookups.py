"""What a model is told of what it looks up: whatever stands in a triple, or in what was asked, is data."""

from collections.abc import Sequence
from datetime import UTC, datetime
from unittest.mock import Mock
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given

from assistant.generate.generate import Request
from assistant.kinds import Triple
from assistant.papers.memllm.lookups import LookupModel
from assistant.papers.memllm.sheet import Found, Line, Outcome, Query
from assistant.prompt.envelope import Row, read_blocks
from assistant.prompt.prompt import PromptBuilder
from assistant.prompt.sections import Asking
from assistant.text.cleaning import for_prompt
from assistant.types import Corrects, Entry, Scope, Turn
from tests.support.memory.entries import an_entry
from tests.support.memory.loop import ME, PROMPTS
from tests.support.servers.scripted import ScriptedModel
from tests.unit.assistant.test_prompt_structure import hostile

PROMPTING = PromptBuilder(PROMPTS, b"0123456789abcdef", "connected")
PROMPT = PROMPTING.answer(Asking("q", ME), 8_000)
ROOM = 10**9


def looked_up(asked: str, triple: Triple | None, entry: Entry | None = None, scope: Scope = ME) -> Sequence[Row]:
    """The rows of a lookup that finds this triple, or nothing."""
    found = Found(Outcome.FOUND, [Line(triple, entry or an_entry())]) if triple else Found(Outcome.NOTHING)
    request = Request(Turn("t", "c", ME.person, "q"), PROMPT, PROMPTING, ScriptedModel(), Corrects.NO, scope)
    sheet = Mock(read=Mock(return_value=found))
    rows = LookupModel(request, sheet, PROMPTING).results(asked, ROOM)
    assert all(isinstance(call.args[0], Query) for call in sheet.read.call_args_list)
    return rows


def told(asked: str, thing: str) -> str:
    return PROMPTING.data({"found": looked_up(asked, Triple(subject=thing, relation=thing, object=thing))})


@given(text=hostile)
def test_no_triple_leaves_its_block(text: str) -> None:
    (block,), rest = read_blocks(told("a | b | ?", text))
    thing = for_prompt(Triple(subject=text, relation="", object="").subject)
    assert (block.name, rest, len(block.rows)) == ("found", "", 1)
    assert for_prompt(str(block.rows[0]["true"])).count(thing) >= 1


@given(text=hostile)
def test_no_query_leaves_its_block(text: str) -> None:
    (block,), rest = read_blocks(told(text, "c"))
    assert (block.name, rest) == ("found", "")
    assert all(row.keys() <= {"true", "said by", "on", "asked", "result"} for row in block.rows)


@pytest.mark.parametrize(("zone", "day"), [("Asia/Kolkata", "2026-01-02"), ("America/Los_Angeles", "2026-01-01")])
def test_fact_is_dated_in_the_users_zone(zone: str, day: str) -> None:
    entry = an_entry(created=datetime(2026, 1, 1, 18, 40, tzinfo=UTC))
    triple = Triple(subject="a", relation="b", object="c")
    (row,) = looked_up("a | b | ?", triple, entry, Scope(ME.person, zone=ZoneInfo(zone)))
    assert row["on"] == day
