"""What is left out of a reply before it is taken apart: halves of emoji, thinking, marks of templates, repetition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.reply.filter import ReplyFilter
from assistant.reply.marks import MARK
from assistant.reply.parser import parse_reply
from assistant.reply.repetition import repeated_unit, say_once


def filtered(*pieces: str) -> str:
    reply = ReplyFilter()
    return "".join([*map(reply.feed, pieces), reply.finish()])


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (("a\ud83d", "", "\ude00b"), "a😀b"),
        (("\ude00\ud83d", "x"), "\ufffd\ufffdx"),
    ],
)
def test_surrogate_halves_are_joined(pieces: tuple[str, ...], text: str) -> None:
    assert filtered(*pieces) == text


HIDDEN = [
    "<think>secret</think>",
    "< Thinking >secret</ Thinking >",
    "<reasoning>secret</reasoning>",
    "[THINK]secret[/THINK]",
    "◁think▷secret◁/think▷",
    "<|START_THINKING|>secret<|END_THINKING|>",
    "<|channel|>analysis<|message|>secret<|end|>",
    "<|start|>assistant<|channel|>commentary to=functions.x <|constrain|>json<|message|>secret<|call|>",
    "<|endoftext|>",
    "</s>",
    "<｜end▁of▁sentence｜>",
    "<|im_start|>assistant\n",
    "<think>\n<think>\nsecret</think>",
    "<|channel|>final<|message|>",
]


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize(
    "reply", ["<understanding>You want{} it.</understanding><answer>It is{} it.</answer>", "{}It is it.", "It is it.{}"]
)
def test_thinking_and_marks_are_left_out(hidden: str, reply: str) -> None:
    whole = reply.replace("{}", hidden)
    assert filtered(whole) == filtered(*whole) == reply.replace("{}", "")


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("hm, so…</think>It is it.", "It is it."),
        ("<answer>It is it.<think>is it?</answer>", "<answer>It is it.</answer>"),
        ("<think>the <think> tag</think><answer>y</answer>", "<answer>y</answer>"),
        ("analysisThey want it.assistantfinalIt is it.", "It is it."),
        ("It is it.<|im_end|>\n<|im_start|>user\nAnd now?", "It is it.\n"),
        ("It is it.<|im_e", "It is it."),
        ("`<think>` and ``</think>``", "`<think>` and ``</think>``"),
        ("```\n<think>x</think><|im_end|>\n```\n<think>x</think>b", "```\n<think>x</think><|im_end|>\n```\nb"),
        ("<answer>It<think>hm <think>so</think> hm</think> is.</answer>", "<answer>It is.</answer>"),
        ("<think>a<think>b</think>c</think>It is it.", "It is it."),
        ("a ` b <|im_end|> `\nc", "a ` b <|im_end|> `\nc"),
        ("```\nx = 1<|im_end|>\n<|endoftext|>", "```\nx = 1\n"),
        ("1 < 2, a<b, x <| f, [think], <b>b</b>", "1 < 2, a<b, x <| f, [think], <b>b</b>"),
    ],
)
def test_thinking_ends_where_it_ends(reply: str, text: str) -> None:
    assert filtered(reply) == filtered(*reply) == text


PARTS = [
    "<think>", "</think>", "[THINK]", "[/THINK]", "<|im_end|>", "<|channel|>", "<|end|>", "analysis", "<|message|>",
    "<|im_start|>", "user", "</s>", "<s>", "<|", "|>", "<", "/", ">", "`", "```", "\n", " ", "a", "\ud83d", "\ude00",
    "<answer>", "</answer>", "<thi", "nk>", "is it ", "◁think▷", "<｜", "｜>", "assistantfinal",
]  # fmt: skip
replies = st.lists(st.sampled_from(PARTS) | st.text(max_size=4), max_size=25).map("".join)


@given(replies, st.integers(0, 200))
def test_filter_is_the_same_for_any_split(text: str, cut: int) -> None:
    assert filtered(text[:cut], text[cut:]) == filtered(*text) == filtered(text)


@given(st.lists(st.sampled_from(["a", "\n", " ", "is it ", "<answer>", "\ud83d", *filter(MARK.fullmatch, PARTS)])))
def test_filter_leaves_no_mark_and_no_half(parts: list[str]) -> None:
    shown = filtered("".join(parts))
    assert MARK.search(shown) is None
    shown.encode()


@pytest.mark.parametrize("unit", ["The capital is Paris. ", "yes ", "पेरिस राजधानी है। "])
def test_runaway_reply_is_ended(unit: str) -> None:
    reply = ReplyFilter()
    pieces = 0
    shown = reply.feed("<answer>So: ")
    while not reply.is_over:
        shown += reply.feed(unit)
        pieces += 1
    assert pieces * len(unit) < 1_500
    assert parse_reply(shown).answer == f"So: {unit}".strip()
    assert filtered(f"<answer>So: {unit * 3_000}") == shown


def test_runaway_thinking_is_ended() -> None:
    reply = ReplyFilter()
    assert reply.feed("<think>" + "Wait, no. " * 2_000) + reply.finish() == ""
    assert reply.is_over


@pytest.mark.parametrize(
    "text",
    [
        "ha " * 100,
        "| --- " * 100,
        "0, " * 900,
        "la la la\nla la la\nhey\n\n" * 12,
        "".join(f"{number}. Paris is the capital.\n" for number in range(30)),
        "```\n" + "    0x00, 0x00,\n" * 150 + "```\n",
    ],
)
def test_repetition_with_a_purpose_is_kept(text: str) -> None:
    assert filtered(f"<answer>{text}</answer>") == f"<answer>{text}</answer>"
    assert parse_reply(f"<answer>{text}").answer == text.strip()


@given(st.text("ab \n.", min_size=1, max_size=60), st.text(max_size=30))
def test_repetition_is_said_once(unit: str, before: str) -> None:
    found = repeated_unit(before + unit * 5_000)
    assert found or not any(map(str.isalpha, unit)) or unit.isspace()
    if found:
        assert len(say_once(before + unit * 5_000, found)) <= len(before) + 2 * len(unit)
