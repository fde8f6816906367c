"""A reply with lookups, parsed while it streams in arbitrary pieces."""

from collections.abc import Iterator
from unittest.mock import Mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assistant.events import AnswerText, Event, UnderstandingText
from assistant.generate.generate import GenerationRequest, OneCall
from assistant.kinds import Triple
from assistant.papers.memllm.lookups import AnswerWithLookups, LookupModel, parse_lookup
from assistant.papers.memllm.sheet import Line, LookupOutcome, LookupResult, Query
from assistant.prompt.envelope import read_blocks
from assistant.prompt.prompt import PromptBuilder, PromptInput
from assistant.reply.parser import parse_reply
from assistant.text.cleaning import clean_for_prompt
from assistant.types import Corrects, Entry, ReplyStatus, Scope, Turn
from tests.support.memory.entries import build_entry
from tests.support.memory.loop import ME, PROMPTS
from tests.support.servers.scripted import ScriptedModel
from tests.unit.assistant.test_prompt_structure import hostile

pytestmark = pytest.mark.promise("lookups-give-one-answer")

PIECES = (
    "<look>", "</look>", "< Look >", "<lo", "<", ">", "a | b | ?", "`", "```\n", "\n", " ", "word", "Dana", "is ",
    "<think>", "</think>", "<notes>", "</notes>", "<understanding>", "</understanding>", "<answer>", "</answer>",
    "<correction>",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=25).map("".join)
HEAD = "<understanding>u</understanding>\n<answer>"


def sheet_with(triple: Triple, entry: Entry) -> Mock:
    """Return a fact sheet with one triple, found as "a | b"."""

    def read(query: Query, scope: Scope, conversation: str = "") -> LookupResult:
        if (query.entity, query.relation, scope.person) == ("a", "b", ME.person):
            return LookupResult(LookupOutcome.FOUND, [Line(triple, entry)])
        return LookupResult(LookupOutcome.NOTHING)

    return Mock(spec_set=["has_any", "read"], has_any=lambda scope: scope == ME, read=read)


TRIPLE = Triple(subject="a", relation="b", object="c")
PROMPTING = PromptBuilder(PROMPTS, b"0123456789abcdef", "connected")
PROMPT = PROMPTING.answer(PromptInput("q", ME), 8_000)
LOOK = "<look>a | b | ?</look>"
LOOKS = st.sampled_from([LOOK, "<look>a | c | ?</look>", f"{HEAD}One <look>a | b", HEAD, "</answer>"])


def answered(model: ScriptedModel) -> tuple[Turn, list[Event]]:
    """Answer a question; return its turn and the events."""

    def happening() -> Iterator[Event]:
        request = GenerationRequest(Turn("t", "c", ME.person, "q"), PROMPT, PROMPTING, model, Corrects.NO, ME)
        turns.append((yield from AnswerWithLookups(OneCall(50_000), sheet_with(TRIPLE, build_entry()))(request)))

    turns: list[Turn] = []
    events = list(happening())
    return turns[0], events


@example(replies=["<understanding>u</understanding>\n<answer>"], piece=1)
@example(replies=["<look>a | c | ?</look>", f"{HEAD}One <look>a | b<lo</look>"], piece=1)
@given(replies=st.lists(st.tuples(TEXTS, LOOKS, TEXTS).map("".join), max_size=8), piece=st.integers(1, 30))
def test_any_reply_is_one_answer_in_few_calls(replies: list[str], piece: int) -> None:
    model = ScriptedModel(replies, reply=lambda _messages: LOOK, piece=piece)
    turn, events = answered(model)
    for kind, said in ((UnderstandingText, turn.reply.understanding), (AnswerText, turn.reply.answer)):
        shown = "".join(event.text for event in events if isinstance(event, kind))
        assert said.startswith(shown) or turn.reply.answer == shown
    assert turn.reply == answered(ScriptedModel(replies, reply=lambda _messages: LOOK, piece=10_000))[0].reply
    assert len(model.asked) <= 4 + 5
    assert model.running == 0
    looked = [one["asked"] for one in turn.reply.fields.get("looked", ())]
    assert len(looked) == len(set(looked))  # repeated lookups are not answered again
    assert set(turn.used) <= {build_entry().id}


WHOLE, BEGUN = "It is Kim, in Delhi.", f"{HEAD}It is "
REPEATED = f"<notes>none</notes>\n{HEAD}{WHOLE}</answer>"
THOUGHTS = f"<think><look>{' '.join(map(str, range(6_000)))}</think>Kim, in Delhi.</answer>"
JOINED = {
    "before all else": (LOOK, f"{HEAD}{WHOLE}</answer>", WHOLE),
    "in any case and with spaces": (f"{BEGUN}< LOOK >a|b< / Look >", "Kim, in Delhi.</answer>", WHOLE),
    "never closed": (f"{BEGUN}<look>a | b | ?", "Kim, in Delhi.</answer>", WHOLE),
    "its last words again": (f"{BEGUN}Kim, in {LOOK}", "Kim, in Delhi.</answer>", WHOLE),
    "its whole reply again": (f"{BEGUN}{LOOK}", REPEATED, WHOLE),
    "thoughts": (f"{BEGUN}{LOOK}", THOUGHTS, WHOLE),
    "in quotes": (f"{HEAD}I say “{LOOK}", "that”.</answer>", "I say “that”."),
    "one word twice": (f"{HEAD}He said that {LOOK}", "that is Kim.</answer>", "He said that that is Kim."),
    "two words twice": (f"{HEAD}One two three {LOOK}", "two three four</answer>", "One two three four"),
    "a list": (f"{HEAD}One:\n{LOOK}", "\n- two</answer>", "One:\n- two"),
    "a number": (f"{HEAD}It is 3.{LOOK}", "5</answer>", "It is 3.5"),
    "without spaces": (f"{HEAD}上司は{LOOK}", "金さん</answer>", "上司は金さん"),
}


@pytest.mark.parametrize("piece", [1, 97])
@pytest.mark.parametrize(("first", "second", "whole"), JOINED.values(), ids=list(JOINED))
def test_reply_with_lookup_is_one_answer(first: str, second: str, whole: str, piece: int) -> None:
    model = ScriptedModel([first, second], piece=piece)
    turn, events = answered(model)
    assert (turn.reply.answer, turn.reply.status, len(model.asked)) == (whole, ReplyStatus.OK, 2)
    assert "".join(event.text for event in events if isinstance(event, AnswerText)) == whole
    assert turn.used == (build_entry().id,)


@pytest.mark.parametrize("said", [f"{HEAD}A `{LOOK}`.</answer>", f"<think>I could {LOOK}</think>{HEAD}Kim.</answer>"])
def test_lookup_tag_elsewhere_is_text(said: str) -> None:
    model = ScriptedModel([said])
    assert answered(model)[0].reply.answer == parse_reply(said).answer
    assert len(model.asked) == 1


def test_query_forms() -> None:
    assert parse_lookup("Dana|manager of | ?") == parse_lookup("Dana | manager of") == Query("Dana", "manager of", "")
    assert parse_lookup("? | capital of | France") == Query("", "capital of", "France")
    for text in ("where does Dana work?", "Dana | manager of | Kim", "? | manager of | ?"):
        assert parse_lookup(text) is None


def test_each_query_of_a_lookup_is_answered_once() -> None:
    (block,), _ = read_blocks(told("a | b; x | y |?; nonsense; a  | b", "c"))
    assert [row.get("asked", row.get("true")) for row in block.rows] == ["c | c | c", "x | y | ?", "nonsense"]


def told(asked: str, thing: str) -> str:
    """Return the block that answers a lookup in a sheet with one triple of this thing."""
    request = GenerationRequest(Turn("t", "c", ME.person, "q"), PROMPT, PROMPTING, ScriptedModel(), Corrects.NO, ME)
    sheet = sheet_with(Triple(subject=thing, relation=thing, object=thing), build_entry())
    return PROMPTING.data({"found": LookupModel(request, sheet).results(asked, 10**9)})


@given(text=hostile)
def test_no_lookup_leaves_its_block(text: str) -> None:
    (block,), rest = read_blocks(told("a | b | ?", text))
    thing = clean_for_prompt(Triple(subject=text, relation="", object="").subject)
    assert (block.name, rest, len(block.rows)) == ("found", "", 1)
    assert clean_for_prompt(str(block.rows[0]["true"])).count(thing) >= 1
    (block,), rest = read_blocks(told(text, "c"))
    assert (block.name, rest) == ("found", "")
    assert all(row.keys() <= {"true", "said by", "on", "asked", "result"} for row in block.rows)
