"""Replies: parsed from awkward text and any pieces, without reasoning, marks, split emoji and repetition."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.reply.filter import MARK, ReplyFilter
from assistant.reply.parser import GRAMMAR, Grammar, ReplyParser, Tag, parse_reply
from assistant.types import Reply, ReplyStatus

OK, CUT = ReplyStatus.OK, ReplyStatus.TRUNCATED
U = "<understanding>u</understanding>"
WIDE = Grammar((*GRAMMAR.tags, Tag("because"), Tag("look", anywhere=True, repeats=True), Tag("memo", anywhere=True)))

AWKWARD = [
    ("plain", f"{U}\n<answer>fast</answer>", "u", "fast", OK),
    ("no closing tag between blocks", "<understanding>u\n<answer>y</answer>", "u", "y", OK),
    ("in a code block", f"{U}<answer>```\n</answer>\n```\nb</answer>", "u", "```\n</answer>\n```\nb", OK),
    ("cut in the answer", f"{U}<answer>half an ans", "u", "half an ans", CUT),
    ("no opening tags", "You want it.</understanding>\nfast</answer>", "You want it.", "fast", OK),
    ("the understanding in the answer", f"<answer>{U}fast</answer>", "u", "fast", OK),
    ("a reply that repeats itself", f"{U}<answer>It is fast. {'It is fast. ' * 200}", "u", "It is fast.", CUT),
    ("cut in the understanding", "<understanding>You want", "You want", "", CUT),
    ("no understanding", "<answer>y</answer>", "", "y", ReplyStatus.NO_UNDERSTANDING),
    ("a tag with a long s", f"{U}<an\u017fwer>y", "u", "<an\u017fwer>y", ReplyStatus.UNSTRUCTURED),
    ("empty blocks", "<understanding></understanding><answer> </answer>", "", "", ReplyStatus.EMPTY),
    ("prose", "It is fast.", "", "It is fast.", ReplyStatus.UNSTRUCTURED),
    ("one label", "Understanding: It is fast.", "", "It is fast.", ReplyStatus.UNSTRUCTURED),
]


@pytest.mark.parametrize(
    ("text", "understanding", "answer", "status"), [row[1:] for row in AWKWARD], ids=[row[0] for row in AWKWARD]
)
def test_awkward_reply_is_read(text: str, understanding: str, answer: str, status: ReplyStatus) -> None:
    reply = parse_reply(text)
    assert (reply.understanding, reply.answer, reply.status) == (understanding, answer, status)
    assert reply.raw == text


def test_notes_and_corrections_are_read() -> None:
    assert parse_reply(f"<notes>2, 1</notes>{U}<answer>y</answer>").notes == {2: "", 1: ""}
    assert parse_reply(f"<notes>none</notes>{U}<answer>y</answer>").notes == {}
    assert parse_reply(f"<notes>4 form, 12: later</notes>{U}<answer>y</answer>").notes == {4: "form", 12: "later"}
    assert parse_reply("<correction>a synonym</correction>").correction == "a synonym"
    for text in (f"<correction>none</correction>{U}", f"{U}<correction>x</correction>", "<correction>x"):
        assert parse_reply(text).correction is None


@pytest.mark.parametrize(("text", "answer", "looked"), [
    ("<answer>a <look>b</look> c</answer>", "a  c", ("b",)),
    ("<answer>a <look>b<look>c</look></answer>", "a", ("b", "c")),
    ("<answer>a <memo>b</memo><memo>c</memo></look><because></answer>", "a <because>", ()),
])  # fmt: skip
def test_tag_allowed_anywhere_is_no_answer(text: str, answer: str, looked: tuple[str, ...]) -> None:
    reply = parse_reply(f"<understanding>u<memo>k</memo></understanding>{text}", WIDE)
    assert (reply.understanding, reply.answer, reply.status) == ("u", answer, OK)
    assert (reply.trace.get("look", ()), reply.trace.get("memo")) == (looked, "k")


TAGS = [f"<{slash}{name}>" for slash in ("", "/") for name in ("understanding", "answer", "notes", "readings")]
WHOLE = ["<notes>2</notes>", "<correction>x</correction>", "Understanding: ", "Answer: ", "< /answer >"]
fragments = st.sampled_from([*TAGS, *WHOLE, "<", ">", "</", "`", "```", "\n", " ", "u", "fast", "उल्टा"])
further = st.sampled_from(["<look>a</look>", "<look>", "</look>", "<memo>", "</memo>", "<because>x</because>"])
replies = st.lists(st.one_of(fragments, further, st.text(max_size=4)), max_size=14).map("".join)


def parsed_in_chunks(text: str, cuts: list[int], grammar: Grammar = GRAMMAR) -> tuple[str, str, Reply]:
    parser, pieces = ReplyParser(grammar), []
    edges = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    for start, end in pairwise(edges):
        pieces += parser.feed(text[start:end])
    last, reply = parser.finish()
    pieces += last
    return (
        "".join(piece.text for piece in pieces if piece.field == "understanding"),
        "".join(piece.text for piece in pieces if piece.field == "answer"),
        reply,
    )


@pytest.mark.parametrize("grammar", [GRAMMAR, WIDE])
@given(replies, st.lists(st.integers(0, 200), max_size=12))
def test_chunking_changes_no_reply(grammar: Grammar, text: str, cuts: list[int]) -> None:
    whole = parsed_in_chunks(text, [], grammar)
    assert parsed_in_chunks(text, cuts, grammar) == whole
    assert parsed_in_chunks(text, list(range(len(text))), grammar) == whole
    understanding, answer, reply = whole
    assert (understanding, answer, text) == (reply.understanding, reply.answer, reply.raw)


def filtered(*pieces: str) -> str:
    reply = ReplyFilter()
    return "".join([*map(reply.feed, pieces), reply.finish()])


HIDDEN = [
    "<think>secret</think>", "[THINK]secret[/THINK]", "<|START_THINKING|>secret<|END_THINKING|>", "</s>",
    "<|channel|>analysis<|message|>secret<|end|>", "<think>\n<think>\nsecret</think>",
    "<|start|>assistant<|channel|>commentary to=functions.x <|constrain|>json<|message|>secret<|call|>",
]  # fmt: skip


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize(
    "reply", ["<understanding>You want{} it.</understanding><answer>It is{} it.</answer>", "{}It is it.", "It is it.{}"]
)
def test_thinking_and_marks_are_left_out(hidden: str, reply: str) -> None:
    whole = reply.replace("{}", hidden)
    assert filtered(whole) == filtered(*whole) == reply.replace("{}", "")


def test_thinking_ends_where_it_ends() -> None:
    assert filtered("hm, so…</think>It is it.") == "It is it."
    assert filtered(*"analysisThe user asks for it.assistantfinalIt is it.") == "It is it."
    assert filtered("<answer>It is it.<think>is it?</answer>") == "<answer>It is it.</answer>"
    assert filtered("It is it.<|im_end|>\n<|im_start|>user\nAnd now?") == "It is it.\n"
    assert filtered("`<think>` and ``</think>``") == "`<think>` and ``</think>``"
    block = "```\n<think>x</think><|im_end|>\n```\n"
    assert filtered(f"{block}<think>x</think>b") == f"{block}b"


PARTS = [
    "<think>", "</think>", "[THINK]", "[/THINK]", "<|im_end|>", "<|channel|>", "<|end|>", "analysis", "<|message|>",
    "<|im_start|>", "user", "</s>", "<s>", "<|", "|>", "<", "/", ">", "`", "```", "\n", " ", "a", "\ud83d", "\ude00",
    "<answer>", "</answer>", "<thi", "nk>", "is it ", "◁think▷", "<｜", "｜>", "assistantfinal",
]  # fmt: skip
marked = st.lists(st.sampled_from(PARTS) | st.text(max_size=4), max_size=25).map("".join)


@given(marked, st.integers(0, 200))
def test_filter_is_the_same_for_any_split(text: str, cut: int) -> None:
    assert filtered(text[:cut], text[cut:]) == filtered(*text) == filtered(text)


@given(st.lists(st.sampled_from(["a", "\n", " ", "is it ", "<answer>", "\ud83d", *filter(MARK.fullmatch, PARTS)])))
def test_filter_leaves_no_mark_and_no_half(parts: list[str]) -> None:
    shown = filtered("".join(parts))
    assert MARK.search(shown) is None
    shown.encode()


@pytest.mark.parametrize("unit", ["The capital is Paris. ", "पेरिस राजधानी है। "])
def test_runaway_reply_is_ended(unit: str) -> None:
    reply = ReplyFilter()
    length, shown = 0, reply.feed("<answer>So: ")
    while not reply.is_over and length < 1_500:
        shown += reply.feed(unit)
        length += len(unit)
    assert reply.is_over
    assert parse_reply(shown).answer == f"So: {unit}".strip()
    assert filtered(f"<answer>So: {unit * 3_000}") == shown


@pytest.mark.parametrize("text", ["| --- " * 100, "0, " * 900, "```\n" + "    0x00, 0x00,\n" * 150 + "```\n"])
def test_repetition_with_a_purpose_is_kept(text: str) -> None:
    assert filtered(f"<answer>{text}</answer>") == f"<answer>{text}</answer>"
    assert parse_reply(f"<answer>{text}").answer == text.strip()
