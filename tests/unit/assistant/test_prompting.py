"""Prompts: from files, within a budget, deterministic, with stored text only inside blocks."""

import re
from dataclasses import replace
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from assistant.errors import ContextFull
from assistant.kinds import CLARIFICATION, EXAMPLE, Kind
from assistant.prompt.envelope import read_blocks
from assistant.prompt.prompt import (
    LONGEST_EXAMPLE,
    NearestExamples,
    PromptBuilder,
    PromptInput,
    estimate_tokens,
    read_examples,
)
from assistant.types import (
    Action,
    Candidate,
    Entry,
    Message,
    MessageRole,
    Question,
    Reply,
    ReplyStatus,
    Scope,
    Turn,
    TurnState,
    day_of,
)
from evaluation.decisions.misunderstandings import load_decision_set
from tests.support.memory.entries import build_entry, decide_all
from tests.support.memory.loop import PROMPTS

SECRET = b"0123456789abcdef"
ME = Scope("me")
FIXED = read_examples(PROMPTS / "connected" / "examples.jsonl")


@pytest.fixture(scope="module")
def prompt_builder() -> PromptBuilder:
    return PromptBuilder(PROMPTS, SECRET, "connected")


def entry(text: str, owner: str = "me", number: int = 1) -> Entry:
    return build_entry(text=text, id=f"entry-{number}", owner=owner, shared=owner != "me", sequence=number)


def example(number: int) -> Entry:
    fields = {"kind": EXAMPLE, "understanding": "You want a word.", "answer": "fast"}
    return build_entry(f"confirmed {number}", "", id=f"e{number}", sequence=number, **fields)


def answered(number: int, text: str = "fast") -> Turn:
    reply = Reply.of("", "You want a word.", text, ReplyStatus.OK)
    return Turn(str(number), "c", "me", f"question {number}", state=TurnState.ANSWERED, reply=reply)


def examples_in(messages: tuple[Message, ...]) -> list[str]:
    found = (re.match("Question: (.*)", read_blocks(m.content)[1]) for m in messages[:-1] if m.role is MessageRole.USER)
    return [match[1] for match in found if match]


def test_question_comes_last_with_day_and_notes(prompt_builder: PromptBuilder) -> None:
    used = decide_all(Action.USE, entry("I want a synonym"))
    for today, day in ((date(2026, 11, 20), {}), (date(2026, 11, 21), {"on": "2026-11-20"})):
        prompt = prompt_builder.answer(PromptInput("what is akin to glad ?", ME, used, today=today), 8192)
        (block,), rest = read_blocks(prompt.messages[-1].content)
        assert rest == f"Today is {today:%A, %Y-%m-%d}.\nQuestion: what is akin to glad ?"
        about = {"about": "what is akin to quick ?", "said": "I want a synonym"}
        assert (block.name, block.rows) == ("clarification", ({**about, **day},))
    assert prompt.sections["clarification"] == ("entry-1",)


def test_first_turn_is_short(prompt_builder: PromptBuilder) -> None:
    stored = load_decision_set("fourth", keys=False)
    notes = [
        build_entry(one.question, one.feedback, id=str(one.id), sequence=number)
        for number, one in enumerate(stored.entries[:5])
    ]
    for offered, most in (([], 900), (notes, 1_100)):
        decisions = decide_all(Action.OFFER, *offered)
        asking = PromptInput(stored.questions[0].question, ME, decisions, today=date(2026, 1, 5))
        messages = prompt_builder.answer(asking, 128_000).messages
        assert sum(estimate_tokens(message.content) + 4 for message in messages) <= most  # providers add 4 to each


def test_history_goes_before_examples_and_notes_stay(prompt_builder: PromptBuilder) -> None:
    history = [answered(1, "one " * 200), answered(2, "two " * 200)]
    asking = PromptInput("the question", ME, decide_all(Action.USE, entry("I want a synonym")), history)

    def contents(window: int) -> str:
        prompt = prompt_builder.answer(asking, window)
        assert prompt.tokens <= window - min(2048, window // 4)
        return "\n".join(message.content for message in prompt.messages)

    needed = prompt_builder.answer(asking, 16384).tokens
    assert "question 1" in contents(16384)
    shorter = contents(int(needed / 0.75) - 10)
    assert "question 1" not in shorter
    assert "question 2" in shorter
    least = contents(1000)
    assert not any(gone in least for gone in ("question 2", FIXED[-1].question))
    assert all(kept in least for kept in ("the question", "I want a synonym"))
    with pytest.raises(ContextFull):
        prompt_builder.answer(PromptInput("word " * 1500, ME), 1000)


@pytest.mark.parametrize("window", [100_000, 3000])
@pytest.mark.parametrize("number", [2, 60])
def test_confirmed_examples_are_half_and_nearest_last(prompt_builder: PromptBuilder, window: int, number: int) -> None:
    prompt = prompt_builder.answer(PromptInput("q", ME, decide_all(Action.SHOW, *map(example, range(number)))), window)
    shown = prompt.sections["confirmed"]
    nearest = range(number - len(shown), number)
    assert shown == tuple(f"e{place}" for place in nearest)
    assert len(shown) <= len(examples_in(prompt.messages)) / 2
    assert examples_in(prompt.messages)[-len(shown) or 99 :] == [f"confirmed {place}" for place in nearest]
    if window == 100_000:
        assert len(shown) == min(number, len(FIXED))


def found(name: str, near: float = 0.9, kind: Kind = EXAMPLE, owner: str = "me", answer: str = "a") -> Candidate:
    shared = owner != "me"
    entry = build_entry(name, "", id=name, kind=kind, owner=owner, shared=shared, understanding="u", answer=answer)
    return Candidate(entry, entry.keys[0], {"words": near, "letters": near})


def chosen(*candidates: Candidate, left_out: tuple[str, ...] = ()) -> list[str]:
    return [
        decision.entry.id
        for decision in NearestExamples(most=3, least=0.5)(candidates, Question("asked", left_out=left_out), ME)
    ]


def test_nearest_fit_examples_are_shown_last() -> None:
    assert chosen(found("near", 0.9), found("nearest", 0.95), found("farther", 0.55)) == ["farther", "near", "nearest"]
    assert chosen(found("far", 0.4)) == []
    assert chosen(found("x"), left_out=("x",)) == []
    assert chosen(found("long", answer="a" * LONGEST_EXAMPLE)) == []
    assert chosen(found("said", kind=CLARIFICATION)) == []


def test_own_examples_come_before_shared() -> None:
    shared = [found(f"shared {number}", 0.99, owner="bob") for number in range(3)]
    assert chosen(*shared, found("mine", 0.6), found("mine too", 0.7)) == ["mine", "mine too", "shared 0"]
    theirs = shared[0]
    assert chosen(replace(theirs, entry=replace(theirs.entry, shared=False))) == []


@pytest.mark.promise("todays-date")
@pytest.mark.parametrize(("zone", "day"), [("Asia/Kolkata", "2026-01-01"), ("Pacific/Kiritimati", None)])
def test_note_has_its_users_day(prompt_builder: PromptBuilder, zone: str, day: str | None) -> None:
    me = Scope("me", zone=ZoneInfo(zone))
    noted = replace(entry("a synonym"), created=datetime(2026, 1, 1, 18, 10, tzinfo=UTC))
    today = day_of(datetime(2026, 1, 1, 18, 40, tzinfo=UTC), me.zone)
    asking = PromptInput("?", me, decide_all(Action.USE, noted), today=today)
    (block,), _ = read_blocks(prompt_builder.answer(asking, 8192).messages[-1].content)
    assert block.rows[0].get("on") == day
