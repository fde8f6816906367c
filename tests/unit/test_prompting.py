"""Prompts: from files, within a budget, the same every time, with remembered text inside its envelope only."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.envelope import read_blocks
from assistant.errors import ContextFull, PromptError
from assistant.prompt_files import PromptFile, read_examples
from assistant.prompting import Prompting, estimate_tokens
from assistant.types import Entry, Key, Kind, Reply, ReplyStatus, Role, Scope, Status, Turn, TurnState

PROMPTS = Path(__file__).parents[2] / "prompts"
SECRET = b"0123456789abcdef"
ME = Scope("me")


@pytest.fixture(scope="module")
def prompting() -> Prompting:
    return Prompting(PROMPTS, SECRET)


def entry(text: str, question: str = "what is akin to quick ?", owner: str = "me", number: int = 1) -> Entry:
    return Entry(
        id=f"entry-{number}",
        kind=Kind.CLARIFICATION,
        owner=owner,
        shared=owner != "me",
        status=Status.ACTIVE,
        question=question,
        text=text,
        sequence=number,
        created=datetime(2026, 11, 20, tzinfo=UTC),
        keys=(Key(question),),
    )


def answered(number: int, text: str = "fast") -> Turn:
    reply = Reply("", "You want a word.", text, ReplyStatus.OK)
    return Turn(str(number), "c", "me", f"question {number}", state=TurnState.ANSWERED, reply=reply)


def test_the_question_comes_last_with_what_is_used_before_it(prompting: Prompting) -> None:
    prompt = prompting.answer("what is akin to glad ?", ME, used=[entry("I want a synonym")], window=8192)
    blocks, rest = read_blocks(prompt.messages[-1].content)
    assert rest == "Question: what is akin to glad ?"
    assert [(block.name, [row["said"] for row in block.rows]) for block in blocks] == [
        ("clarification", ["I want a synonym"])
    ]
    assert blocks[0].rows[0]["by"] == "the person who asks"
    assert blocks[0].rows[0]["on"] == "2026-11-20"
    assert prompt.used == ("entry-1",)


def test_notes_are_numbered_and_the_turn_before_is_told(prompting: Prompting) -> None:
    offered = [entry("a", number=1), entry("b", owner="other", number=2)]
    prompt = prompting.answer("and glad?", ME, offered=offered, previous=answered(1), window=8192)
    blocks, _ = read_blocks(prompt.messages[-1].content)
    assert [row["note"] for row in blocks[0].rows] == [1, 2]
    assert blocks[0].rows[1]["by"] == "someone else, for everyone"
    assert blocks[1].rows == ({"question": "question 1", "understanding": "You want a word."},)
    assert prompt.offered == ("entry-1", "entry-2")


@given(st.text(max_size=80), st.text(max_size=80))
def test_remembered_text_never_leaves_its_block(prompting: Prompting, said: str, about: str) -> None:
    benign = prompting.answer("q", ME, used=[entry("x")], window=8192)
    prompt = prompting.answer("q", ME, used=[entry(said, about)], window=8192)
    assert [message.role for message in prompt.messages] == [message.role for message in benign.messages]
    assert prompt.messages[:-1] == benign.messages[:-1]
    blocks, rest = read_blocks(prompt.messages[-1].content)
    assert [(block.name, len(block.rows), list(block.rows[0])) for block in blocks] == [
        ("clarification", 1, ["about", "said", "by", "on"])
    ]
    assert rest == "Question: q"


def test_the_same_things_give_the_same_prompt() -> None:
    first, second = (
        Prompting(PROMPTS, SECRET).answer("q", ME, used=[entry("x")], history=[answered(1)], window=8192)
        for _ in range(2)
    )
    assert first == second


def test_the_oldest_history_goes_first_then_examples_and_never_the_question_or_what_is_used(
    prompting: Prompting,
) -> None:
    used, history = [entry("I want a synonym")], [answered(1, "one " * 200), answered(2, "two " * 200)]

    def contents(window: int) -> str:
        prompt = prompting.answer("the question", ME, used=used, history=history, window=window)
        assert prompt.tokens <= window - min(2048, window // 4)
        return "\n".join(message.content for message in prompt.messages)

    everything = contents(16384)
    needed = prompting.answer("the question", ME, used=used, history=history, window=16384).tokens
    assert "question 1" in everything
    shorter = contents(int(needed / 0.75) - 10)
    assert "question 1" not in shorter
    assert "question 2" in shorter
    least = contents(1000)
    assert "question 2" not in least
    assert read_examples(PROMPTS / "answer" / "examples.jsonl")[-1].question not in least
    assert "the question" in least
    assert "I want a synonym" in least


def test_what_cannot_fit_is_said(prompting: Prompting) -> None:
    with pytest.raises(ContextFull):
        prompting.answer("word " * 1500, ME, window=1000)


def test_the_estimate_is_on_the_safe_side_for_other_scripts() -> None:
    assert estimate_tokens("quick " * 100) >= 150
    assert estimate_tokens("शब्द" * 100) >= 300


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("{{ question }}", "does not declare"),
        ("{# variables: question #}\n{{ question }}{{ other }}", "uses the unknown variable other"),
        ("{# variables: question, other #}\n{{ question }}", "declares the variable other, but never uses it"),
        ("{# variables: #}\n{% if %}", "not a valid template"),
    ],
)
def test_a_wrong_prompt_file_is_named(tmp_path: Path, source: str, complaint: str) -> None:
    path = tmp_path / "question.txt"
    path.write_text(source)
    with pytest.raises(PromptError, match=complaint):
        PromptFile(path)


def test_every_declared_variable_must_be_given(tmp_path: Path) -> None:
    path = tmp_path / "question.txt"
    path.write_text("{# variables: question #}\n{{ question }}")
    with pytest.raises(PromptError, match="declares the variable question, but never is given it"):
        PromptFile(path).render()
    with pytest.raises(PromptError, match="is given the unknown variable answer"):
        PromptFile(path).render(question="q", answer="a")


@pytest.mark.parametrize(
    "line", ["[]", "{}", '{"question": "q", "understanding": "u", "answer": "a", "extra": 1}', "{"]
)
def test_a_wrong_example_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "examples.jsonl"
    path.write_text(line)
    with pytest.raises(PromptError, match=r"Line 1 of examples\.jsonl"):
        read_examples(path)


def test_the_prompt_without_memory_is_short_enough_for_small_models(prompting: Prompting) -> None:
    prompt = prompting.answer("q", ME, window=4096)
    assert len([message for message in prompt.messages if message.role is Role.ASSISTANT]) >= 12
