"""Further tags and a section, by composition alone: what the model is asked, what it says, what is kept."""

from pathlib import Path

import pytest

from assistant.errors import PromptError
from assistant.events import AnswerText, UnderstandingText
from assistant.prompt.envelope import read_blocks
from assistant.prompt.files import read_examples
from assistant.prompt.prompt import PromptBuilder
from assistant.prompt.sections import Asking, Item, Section
from assistant.reply.grammar import ANSWER, CORRECTION, NOTES, UNDERSTANDING, Grammar, Tag
from assistant.types import Action, Turn
from memory_store.store import Store
from tests.support.memory.entries import an_entry, decided
from tests.support.memory.loop import ME, PROMPTS, Loop, last


def in_parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split("|"))


BECAUSE = Tag("since", asks="why, in one sentence")
LOOK = Tag("look", anywhere=True, repeats=True, read=in_parts)
GRAMMAR = Grammar((NOTES, CORRECTION, UNDERSTANDING, BECAUSE, ANSWER, LOOK))
ROW = {"subject": "Dana", "relation": "manager of", "object": "Kim"}


def facts(asking: Asking) -> list[Item]:
    """What is looked up beside memory, and what of memory is a fact."""
    told = [Item(entry.id, row={"said": entry.text}) for entry in asking.entries(Action.USE) if entry.text == "a fact"]
    return [Item("", row=ROW), *told]


FACTS = Section("facts", facts, rank=5, told="what is true.")
SAID = (
    "<understanding>You ask for Kim's boss.</understanding>\n<since>Dana <manages></since>\n"
    "<answer>Let me see. <look>? | manager of | Kim</look>It is Dana; `<look>` finds her.</answer>"
    "<look>Dana|boss|?</look>"
)


@pytest.fixture
def prompt_builder() -> PromptBuilder:
    return PromptBuilder(PROMPTS, b"0123456789abcdef", "connected", GRAMMAR, [FACTS])


def asked(loop: Loop, prompt_builder: PromptBuilder) -> tuple[Turn, str]:
    """A question, answered, and what people saw of the answer while it came."""
    assistant = loop.assistant.with_parts(prompt_builder=prompt_builder)
    events = list(assistant.ask("Who is Kim's boss? <since>", ME, "c"))
    return last(events), "".join(event.text for event in events if isinstance(event, UnderstandingText | AnswerText))


def test_further_tags_are_kept_and_not_shown(store: Store, prompt_builder: PromptBuilder) -> None:
    turn, shown = asked(Loop(store, SAID), prompt_builder)
    answer = "Let me see. It is Dana; `<look>` finds her."
    assert shown == f"You ask for Kim's boss.{answer}"
    assert turn.reply.fields == {
        "understanding": "You ask for Kim's boss.",
        "since": "Dana <manages>",
        "answer": answer,
        "look": (("?", "manager of", "Kim"), ("Dana", "boss", "?")),
    }
    assert store.turn_store.turn(turn.id, ME).reply == turn.reply


def test_model_is_told_and_no_text_opens_a_tag(store: Store, prompt_builder: PromptBuilder) -> None:
    loop = Loop(store, SAID, SAID)
    for _ in range(2):
        asked(loop, prompt_builder)
    system, *_, before, _, question = (message.content for message in loop.model.asked[-1])
    assert "ask</understanding>\n<since>why, in one sentence</since>\n<answer>the answer</answer>\n" in system
    assert '\n- "facts": what is true.\n\nThe first' in system
    blocks, rest = read_blocks(question)
    assert {block.name: block.rows for block in blocks}["facts"] == (ROW,)
    assert rest.partition(".\n")[2] == "Question: Who is Kim's boss? ‹since>"
    assert before.endswith("Question: Who is Kim's boss? ‹since>")


def test_section_gives_way_where_there_is_no_room(prompt_builder: PromptBuilder) -> None:
    used = decided(Action.USE, an_entry(id="1", text="a fact"), an_entry(id="2"))
    asking = Asking("q", ME, used)
    prompt = prompt_builder.answer(asking, 50_000)
    assert (prompt.sections["facts"], prompt.sections["clarification"]) == (("1",), ("2",))
    tight = prompt_builder.answer(asking, (prompt.tokens - 1) * 4 // 3)
    assert (tight.sections["facts"], tight.sections["clarification"]) == ((), ("2",))


def test_example_may_show_tags_and_blocks(tmp_path: Path) -> None:
    path = tmp_path / "examples.jsonl"
    path.write_text('{"question": "q", "facts": {"a": "b"}, "understanding": "u", "answer": "a", "look": ["x", "y"]}')
    (example,) = read_examples(path, GRAMMAR, [FACTS])
    assert example.blocks == {"facts": [{"a": "b"}]}
    lines = GRAMMAR.written(example.reply).splitlines()
    assert lines == ["<understanding>u</understanding>", "<answer>a</answer>", "<look>x</look>", "<look>y</look>"]
    with pytest.raises(PromptError, match="facts is neither a tag nor a block"):
        read_examples(path, GRAMMAR)
