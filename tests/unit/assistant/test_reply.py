"""The reply parser: awkward replies, and the property that chunking changes nothing."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.reply.grammar import GRAMMAR, Grammar, Tag
from assistant.reply.parser import Piece, ReplyParser, parse_reply
from assistant.types import Reply, ReplyStatus

OK, CUT = ReplyStatus.OK, ReplyStatus.TRUNCATED
U = "<understanding>u</understanding>"
WIDE = Grammar((*GRAMMAR.tags, Tag("because"), Tag("look", anywhere=True, repeats=True), Tag("memo", anywhere=True)))

AWKWARD = [
    ("plain", f"{U}\n<answer>fast</answer>", "u", "fast", OK),
    ("answer first", f"<answer>y</answer>{U}", "u", "y", OK),
    ("no closing tag between blocks", "<understanding>u\n<answer>y</answer>", "u", "y", OK),
    ("a repeated block", f"{U}<understanding>v</understanding><answer>y</answer><answer>z</answer>", "u", "y", OK),
    ("our tags in the answer", f"{U}<answer><notes>x</notes></answer>", "u", "<notes>x</notes>", OK),
    ("a lone answer tag in the answer", f"{U}<answer>the <answer> tag</answer>\n", "u", "the <answer> tag", OK),
    ("in a code block", f"{U}<answer>```\n</answer>\n```\nb</answer>", "u", "```\n</answer>\n```\nb", OK),
    ("a code block that is not closed", f"{U}<answer>so:\n```\nx = 1\n</answer>", "u", "so:\n```\nx = 1", OK),
    ("cut in the answer", f"{U}<answer>half an ans", "u", "half an ans", CUT),
    ("no opening tags", "You want it.</understanding>\nfast</answer>", "You want it.", "fast", OK),
    ("the rest of an opening tag", f"{U}\nswer>fast</answer>", "u", "fast", OK),
    ("an opening tag without its end", f"{U}<answer\nfast</answer>", "u", "fast", OK),
    ("notes without an opening tag", "2 later, 2 form</notes>", "", "", ReplyStatus.EMPTY),
    ("notes without one, then blocks", f"2 later</notes>{U}<answer>y</answer>", "u", "y", OK),
    ("the understanding in the answer", f"<answer>{U}fast</answer>", "u", "fast", OK),
    ("stray closing tags without others", "</notes>fast</readings>", "", "", ReplyStatus.EMPTY),
    ("an opening tag for the closing one", f"{U}<answer>fast<answer>", "u", "fast", CUT),
    ("a reply that repeats itself", f"{U}<answer>It is fast. {'It is fast. ' * 200}", "u", "It is fast.", CUT),
    ("cut in the understanding", "<understanding>You want", "You want", "", CUT),
    ("no understanding", "<answer>y</answer>", "", "y", ReplyStatus.NO_UNDERSTANDING),
    ("empty blocks", "<understanding></understanding><answer> </answer>", "", "", ReplyStatus.EMPTY),
    ("labels", "Understanding: u\nAnswer: y\nand more", "u", "y\nand more", OK),
    ("prose", "It is fast.", "", "It is fast.", ReplyStatus.UNSTRUCTURED),
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


@pytest.mark.parametrize(
    ("written", "readings"),
    [
        ("\n- one\n2. two\n\n* one\nthree\nfour\n", ("one", "two", "three")),
        ("one | two", ("one", "two")),
        ("None.", ()),
        ("x" * 300, ("x" * 200,)),
    ],
)
def test_other_readings_are_no_part_of_the_answer(written: str, readings: tuple[str, ...]) -> None:
    reply = parse_reply(f"{U}<answer>y</answer>\n<readings>{written}</readings>")
    assert (reply.answer, reply.status, reply.fields.get("readings", ())) == ("y", OK, readings)


def test_correction_is_known_before_the_end() -> None:
    parser = ReplyParser()
    parser.feed("<correction>a syn")
    assert (parser.correction, parser.knows_correction) == (None, False)
    parser.feed("onym</correction>")
    assert (parser.correction, parser.knows_correction) == ("a synonym", True)
    other = ReplyParser()
    assert other.feed("<understanding>You want") == [Piece("understanding", "You want")]
    assert other.knows_correction


@pytest.mark.parametrize(("text", "answer", "looked"), [
    ("<answer>a <look>b</look> c</answer>", "a  c", ("b",)),
    ("<answer>a <look>b</answer>", "a", ("b",)),
    ("<answer>a <look>b<look>c</look></answer>", "a", ("b", "c")),
    ("<answer>`<look>`</answer><look>b</look>", "`<look>`", ("b",)),
    ("<answer>a <memo>b</memo><memo>c</memo></look><because></answer>", "a <because>", ()),
])  # fmt: skip
def test_tag_allowed_anywhere_is_no_answer(text: str, answer: str, looked: tuple[str, ...]) -> None:
    reply = parse_reply(f"<understanding>u<memo>k</memo></understanding>{text}", WIDE)
    assert (reply.understanding, reply.answer, reply.status) == ("u", answer, OK)
    assert (reply.trace.get("look", ()), reply.trace.get("memo")) == (looked, "k")


TAGS = [f"<{slash}{name}>" for slash in ("", "/") for name in ("understanding", "answer", "notes", "readings")]
WHOLE = ["<notes>2</notes>", "<correction>x</correction>", "Answer: ", "< /answer >"]
fragments = st.sampled_from([*TAGS, *WHOLE, "<", ">", "</", "`", "```", "\n", " ", "u", "fast", "उल्टा"])
replies = st.lists(st.one_of(fragments, st.text(max_size=4)), max_size=14).map("".join)


further = st.sampled_from(["<look>a</look>", "<look>", "</look>", "<memo>", "</memo>", "<because>x</because>"])
wide_replies = st.lists(st.one_of(fragments, further), max_size=14).map("".join)


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
@given(replies | wide_replies, st.lists(st.integers(0, 200), max_size=12))
def test_chunking_changes_no_reply(grammar: Grammar, text: str, cuts: list[int]) -> None:
    whole = parsed_in_chunks(text, [], grammar)
    assert parsed_in_chunks(text, cuts, grammar) == whole
    assert parsed_in_chunks(text, list(range(len(text))), grammar) == whole
    understanding, answer, reply = whole
    assert (understanding, answer, text) == (reply.understanding, reply.answer, reply.raw)
