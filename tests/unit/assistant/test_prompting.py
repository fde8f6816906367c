"""Prompts: from files, within a budget, the same every time, with remembered text inside its envelope only."""

import re
import time
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from assistant.errors import ContextFull, PromptError
from assistant.kinds import EXAMPLE
from assistant.prompt.envelope import read_blocks
from assistant.prompt.files import PromptFile, read_examples
from assistant.prompt.prompt import PromptBuilder
from assistant.prompt.sections import Asking, asks_readings
from assistant.types import Action, Entry, Message, Reply, ReplyStatus, Role, Scope, Turn, TurnState, day_of
from memory_store.store import Store
from tests.support.memory.entries import an_entry, decided
from tests.support.memory.loop import Loop, reply

PROMPTS = Path(__file__).parents[3] / "prompts"
SECRET = b"0123456789abcdef"
ME = Scope("me")
FIXED = len(read_examples(PROMPTS / "connected" / "examples.jsonl"))


@pytest.fixture(scope="module")
def prompt_builder() -> PromptBuilder:
    return PromptBuilder(PROMPTS, SECRET, "connected")


def entry(text: str, question: str = "what is akin to quick ?", owner: str = "me", number: int = 1) -> Entry:
    return an_entry(question, text, id=f"entry-{number}", owner=owner, shared=owner != "me", sequence=number)


def answered(number: int, text: str = "fast") -> Turn:
    reply = Reply.of("", "You want a word.", text, ReplyStatus.OK)
    return Turn(str(number), "c", "me", f"question {number}", state=TurnState.ANSWERED, reply=reply)


def test_the_question_comes_last_with_the_day_and_what_is_used_before_it(prompt_builder: PromptBuilder) -> None:
    used = decided(Action.USE, entry("I want a synonym"))
    for today, day in ((date(2026, 11, 20), {}), (date(2026, 11, 21), {"on": "2026-11-20"})):
        prompt = prompt_builder.answer(Asking("what is akin to glad ?", ME, used, today=today), 8192)
        (block,), rest = read_blocks(prompt.messages[-1].content)
        assert rest == f"Today is {today:%A, %Y-%m-%d}.\nQuestion: what is akin to glad ?"
        about = {"about": "what is akin to quick ?", "said": "I want a synonym"}
        assert (block.name, block.rows) == ("clarification", ({**about, **day},))
    assert prompt.sections["clarification"] == ("entry-1",)


def test_other_readings_are_asked_for_where_no_note_stands_beside_the_question() -> None:
    prompt_builder = PromptBuilder(PROMPTS, SECRET, "connected", hints=[asks_readings])
    noted = decided(Action.USE, entry("a")), decided(Action.OFFER, entry("a"))
    for decisions, asks in (((), True), (decided(Action.SKIP, entry("a")), True), *((each, False) for each in noted)):
        prompt = prompt_builder.answer(Asking("and glad?", ME, decisions, previous=answered(1)), 8192)
        assert ("<readings>" in prompt.messages[-1].content) is asks
        assert not any("<readings>" in message.content for message in prompt.messages[:-1])


def test_notes_are_numbered_and_the_turn_before_is_told(prompt_builder: PromptBuilder) -> None:
    offered = decided(Action.OFFER, entry("a", number=1), entry("b", owner="other", number=2))
    prompt = prompt_builder.answer(Asking("and glad?", ME, offered, previous=answered(1)), 8192)
    blocks, _ = read_blocks(prompt.messages[-1].content)
    assert [row["note"] for row in blocks[0].rows] == [1, 2]
    assert blocks[0].rows[1]["by"] == "someone else, for everyone"
    assert blocks[1].rows == ({"question": "question 1", "understanding": "You want a word."},)
    assert prompt.sections["offered"] == ("entry-1", "entry-2")


def test_the_oldest_history_goes_first_then_examples_and_never_the_question_or_what_is_used(
    prompt_builder: PromptBuilder,
) -> None:
    history = [answered(1, "one " * 200), answered(2, "two " * 200)]
    asking = Asking("the question", ME, decided(Action.USE, entry("I want a synonym")), history)

    def contents(window: int) -> str:
        prompt = prompt_builder.answer(asking, window)
        assert prompt.tokens <= window - min(2048, window // 4)
        return "\n".join(message.content for message in prompt.messages)

    everything = contents(16384)
    needed = prompt_builder.answer(asking, 16384).tokens
    assert "question 1" in everything
    shorter = contents(int(needed / 0.75) - 10)
    assert "question 1" not in shorter
    assert "question 2" in shorter
    least = contents(1000)
    with pytest.raises(ContextFull):
        prompt_builder.answer(Asking("word " * 1500, ME), 1000)
    assert "question 2" not in least
    assert read_examples(PROMPTS / "connected" / "examples.jsonl")[-1].question not in least
    assert "the question" in least
    assert "I want a synonym" in least


@pytest.mark.parametrize(
    ("source", "complaint"),
    [("{{ question }}{{ other }}", "uses the unknown variable other"), ("{% if %}", "not a valid template")],
)
def test_a_wrong_prompt_file_is_named(tmp_path: Path, source: str, complaint: str) -> None:
    path = tmp_path / "question.txt"
    path.write_text(source)
    with pytest.raises(PromptError, match=complaint):
        PromptFile(path, "question", "today")


@pytest.mark.parametrize(
    "line", ["[]", "{}", '{"question": "q", "understanding": "u", "answer": "a", "extra": 1}', "{"]
)
def test_a_wrong_example_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "examples.jsonl"
    path.write_text(line)
    with pytest.raises(PromptError, match=r"Line 1 of examples\.jsonl"):
        read_examples(path)


def example(number: int, question: str = "", understanding: str = "You want a word.", answer: str = "fast") -> Entry:
    question = question or f"confirmed {number}"
    fields = {"kind": EXAMPLE, "understanding": understanding, "answer": answer}
    return an_entry(question, "", id=f"e{number}", sequence=number, **fields)


def examples_in(messages: tuple[Message, ...]) -> list[str]:
    found = (re.match("Question: (.*)", read_blocks(m.content)[1]) for m in messages[:-1] if m.role is Role.USER)
    return [match[1] for match in found if match]


def test_every_prompt_begins_alike_up_to_where_it_says_so(prompt_builder: PromptBuilder) -> None:
    def stable(asking: Asking) -> tuple[Message, ...]:
        messages = prompt_builder.answer(asking, 8192).messages
        (end,) = (place for place, message in enumerate(messages) if message.ends_stable)
        return messages[: end + 1]

    first = stable(Asking("q", ME, today=date(2026, 11, 20)))
    offered = decided(Action.OFFER, entry("a"))
    assert first == stable(Asking("r", Scope("x"), offered, [answered(1)], answered(2), date(2027, 1, 1)))
    assert len(first) == 1 + 2 * FIXED


def test_confirmed_examples_stand_after_the_fixed_ones_nearest_last(prompt_builder: PromptBuilder) -> None:
    prompt = prompt_builder.answer(Asking("q", ME, decided(Action.SHOW, example(1), example(2))), 8192)
    assert examples_in(prompt.messages)[FIXED:] == ["confirmed 1", "confirmed 2"]
    assert prompt.messages[-2].content == "<understanding>You want a word.</understanding>\n<answer>fast</answer>"
    assert {name: ids for name, ids in prompt.sections.items() if ids} == {"confirmed": ("e1", "e2")}


@pytest.mark.parametrize("window", [100_000, 8192, 3000, 1200])
@pytest.mark.parametrize("number", [2, 12, 60])
def test_at_most_half_of_the_examples_are_confirmed_ones_and_the_nearest_stay(
    prompt_builder: PromptBuilder, window: int, number: int
) -> None:
    try:
        prompt = prompt_builder.answer(Asking("q", ME, decided(Action.SHOW, *map(example, range(number)))), window)
    except ContextFull:
        return
    shown = prompt.sections["confirmed"]
    assert len(shown) <= len(examples_in(prompt.messages)) / 2
    assert shown == tuple(f"e{n}" for n in range(number - len(shown), number))
    if window == 100_000:
        assert len(shown) == min(number, FIXED)


@pytest.mark.promise("todays-date")
@pytest.mark.parametrize(("zone", "today", "day"), [
    ("Asia/Kolkata", "Friday, 2026-01-02", {"on": "2026-01-01"}),
    ("Pacific/Kiritimati", "Friday, 2026-01-02", {}),
    ("America/Los_Angeles", "Thursday, 2026-01-01", {}),
])  # fmt: skip
def test_today_is_the_users_day(zone: str, today: str, day: dict[str, str], store: Store) -> None:
    """Ten minutes to seven in the evening of New Year's Day, UTC, and a note of half an hour before."""
    loop = Loop(store, reply("a word", "fast"))
    now = datetime(2026, 1, 1, 18, 40, tzinfo=UTC)
    loop.assistant = loop.assistant.with_parts(clock=lambda: now)
    me = Scope("me", zone=ZoneInfo(zone))
    loop.ask("quick?", scope=me)
    assert f"Today is {today}." in loop.model.asked[0][-1].content
    noted = replace(entry("a synonym"), created=datetime(2026, 1, 1, 18, 10, tzinfo=UTC))
    asking = Asking("?", me, decided(Action.USE, noted), today=day_of(now, me.zone))
    (block,), _ = read_blocks(PromptBuilder(PROMPTS, SECRET, "connected").answer(asking, 8192).messages[-1].content)
    assert {name: value for name, value in block.rows[0].items() if name == "on"} == day


@pytest.mark.promise("todays-date")
def test_day_follows_the_terminals_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    days = []
    for zone in ("Asia/Kolkata", "America/Los_Angeles", "UTC"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        days.append(str(day_of(datetime(2026, 1, 1, 18, 40, tzinfo=UTC))))
    assert days == ["2026-01-02", "2026-01-01", "2026-01-01"]
