"""Confirmed examples in a prompt: in the form of the fixed ones, never more than those, and never more than text."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.envelope import plain_text, read_blocks
from assistant.errors import ContextFull
from assistant.prompt_files import read_examples
from assistant.prompting import Prompting
from assistant.reply import parse_reply
from assistant.types import Entry, Key, Kind, Message, ReplyStatus, Role, Scope, Status

PROMPTS = Path(__file__).parents[2] / "prompts"
FIXED = len(read_examples(PROMPTS / "answer" / "examples.jsonl"))
ME = Scope("me")


@pytest.fixture(scope="module")
def prompting() -> Prompting:
    return Prompting(PROMPTS, b"0123456789abcdef")


def example(number: int, question: str = "", understanding: str = "You want a word.", answer: str = "fast") -> Entry:
    question = question or f"confirmed {number}"
    return Entry(
        id=f"e{number}", kind=Kind.EXAMPLE, owner="me", shared=False, status=Status.ACTIVE, question=question, text="",
        sequence=number, created=datetime(2026, 11, 20, tzinfo=UTC), keys=(Key(question),),
        understanding=understanding, answer=answer,
    )  # fmt: skip


def examples_in(messages: tuple[Message, ...]) -> list[str]:
    found = (re.match("Example question: (.*)", read_blocks(m.content)[1]) for m in messages if m.role is Role.USER)
    return [match[1] for match in found if match]


def test_confirmed_examples_stand_after_the_fixed_ones_nearest_last(prompting: Prompting) -> None:
    prompt = prompting.answer("q", ME, confirmed=[example(1), example(2)], window=8192)
    assert len(examples_in(prompt.messages)) == FIXED + 2
    assert examples_in(prompt.messages)[-2:] == ["confirmed 1", "confirmed 2"]
    assert prompt.messages[-2].content == (
        "<understanding>You want a word.</understanding>\n<answer>fast</answer>"
    )  # fmt: skip
    assert prompt.shown == ("e1", "e2")
    assert prompt.used == prompt.offered == ()


@pytest.mark.parametrize("window", [100_000, 8192, 4096, 3000, 2000, 1500, 1200, 1000])
@pytest.mark.parametrize("number", [2, 12, 60])
def test_at_most_half_of_the_examples_are_confirmed_ones_and_the_nearest_stay(
    prompting: Prompting, window: int, number: int
) -> None:
    try:
        prompt = prompting.answer("q", ME, confirmed=[example(n) for n in range(number)], window=window)
    except ContextFull:
        return
    assert len(prompt.shown) <= len(examples_in(prompt.messages)) / 2
    assert prompt.shown == tuple(f"e{n}" for n in range(number - len(prompt.shown), number))
    if window == 100_000:
        assert len(prompt.shown) == min(number, FIXED)


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80))
def test_whatever_was_confirmed_changes_nothing_but_its_own_two_messages(
    prompting: Prompting, question: str, understanding: str, answer: str
) -> None:
    benign = prompting.answer("q", ME, confirmed=[example(1)], window=32_768)
    prompt = prompting.answer("q", ME, confirmed=[example(1, question, understanding, answer)], window=32_768)
    assert [message.role for message in prompt.messages] == [message.role for message in benign.messages]
    assert (prompt.messages[:-3], prompt.messages[-1]) == (benign.messages[:-3], benign.messages[-1])
    assert read_blocks(prompt.messages[-3].content)[0] == ()
    told = plain_text(understanding), plain_text(answer)
    if all(told):
        reply = parse_reply(prompt.messages[-2].content)
        assert reply.status is ReplyStatus.OK
        assert (reply.understanding, reply.answer) == tuple(text.strip() for text in told)


@given(st.text() | st.from_regex(r"<\s?/?\s?(answer|notes|previous|clarification)", fullmatch=True))
def test_remembered_text_outside_a_block_opens_no_tag(text: str) -> None:
    plain = plain_text(text)
    tags = r"<\s*/?\s*(notes|understanding|answer|correction|clarification|offered|previous)\b"
    assert not re.search(tags, plain, re.IGNORECASE)
    assert not re.search(r"^\s*(example )?question\s*:", plain, re.IGNORECASE | re.MULTILINE)
    assert plain_text(plain) == plain
