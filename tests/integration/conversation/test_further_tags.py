"""Further tags and a section, by composition alone: what the model is asked, what it says, what is kept."""

import pytest

from assistant.events import AnswerText, UnderstandingText
from assistant.prompt.envelope import read_blocks
from assistant.prompt.prompt import PromptBuilder
from assistant.prompt.sections import Item, Section
from assistant.reply.grammar import ANSWER, CORRECTION, NOTES, UNDERSTANDING, Grammar, Tag
from assistant.types import Turn
from memory_store.store import Store
from tests.support.memory.loop import ME, PROMPTS, Loop, last

BECAUSE = Tag("since", asks="why, in one sentence")
LOOK = Tag("look", anywhere=True, repeats=True, read=lambda text: tuple(part.strip() for part in text.split("|")))
GRAMMAR = Grammar((NOTES, CORRECTION, UNDERSTANDING, BECAUSE, ANSWER, LOOK))
ROW = {"subject": "Dana", "relation": "manager of", "object": "Kim"}


FACTS = Section("facts", lambda _: [Item("", row=ROW)], rank=5, told="what is true.")
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
