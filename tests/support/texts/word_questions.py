"""Questions to the embedded model, prompts with them, and detection of the task in an understanding."""

import re
from collections.abc import Sequence
from pathlib import Path

from assistant.models.embedded.embedded import EmbeddedModel
from assistant.prompt.envelope import write_block
from assistant.prompt.prompt import read_examples
from assistant.reply.parser import GRAMMAR, parse_reply
from assistant.types import Message, MessageRole, Reply
from memory_store.embedding.embedder import BUNDLED, SentenceEmbedder, choose_embedder
from memory_store.language.languages import LANGUAGES

MODEL = EmbeddedModel(LANGUAGES, SentenceEmbedder(choose_embedder(BUNDLED)))
BY_WORDING = EmbeddedModel(LANGUAGES)
_SECRET = b"a secret of sixteen bytes"
_EXAMPLES = Path(__file__).parents[3] / "prompts" / "memprompt" / "examples.jsonl"
# Homophones first: their understanding may also contain "the same".
_SPOKEN_OF = {
    "homophone": r"sounds|sunan|sunne",
    "antonym": r"opposite|ulta",
    "synonym": r"means the same|samanarthi",
    "sentence": r"sentence|vakya|vaak",
    "definition": r"know what .* means|matlab",
}


def prompt(
    question: str, said: str | None = None, previous: dict[str, str] | None = None, about: str = "an earlier question"
) -> list[Message]:
    """Return a prompt as `assistant.prompt.prompt` makes it, built by hand from the shipped examples."""
    messages = [Message(MessageRole.SYSTEM, "You are Noted.")]
    for example in read_examples(_EXAMPLES):
        block = "".join(write_block(name, rows, _SECRET) for name, rows in example.blocks.items())
        messages.append(Message(MessageRole.USER, f"{block}Example question: {example.question}"))
        messages.append(Message(MessageRole.ASSISTANT, GRAMMAR.written(example.reply)))
    block = ""
    if said is not None:
        row = {"about": about, "said": said, "by": "you", "on": "2026-11-20"}
        block += write_block("clarification", [row], _SECRET)
    if previous is not None:
        block += write_block("previous", [previous], _SECRET)
    messages.append(Message(MessageRole.USER, f"{block}Question: {question}"))
    return messages


def reply_to(messages: Sequence[Message], model: EmbeddedModel = MODEL) -> Reply:
    return parse_reply("".join(model.stream(messages)))


def ask(question: str, said: str | None = None, model: EmbeddedModel = MODEL) -> Reply:
    return reply_to(prompt(question, said), model)


def find_task(understanding: str) -> str | None:
    return next((task for task, pattern in _SPOKEN_OF.items() if re.search(pattern, understanding)), None)
