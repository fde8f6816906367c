"""Questions about words, prompts that hold them, and which task an understanding speaks of."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.models.embedded.embedded import EmbeddedModel
from assistant.prompt.envelope import write_block
from assistant.prompt.files import read_examples
from assistant.reply.grammar import GRAMMAR
from assistant.reply.parser import parse_reply
from assistant.types import Message, Reply, Role
from memory_store.embedding.embedder import BUNDLED, SentenceEmbedder, choose_embedder
from memory_store.language.languages import LANGUAGES

MODEL = EmbeddedModel(LANGUAGES, SentenceEmbedder(choose_embedder(BUNDLED)))
BY_WORDING = EmbeddedModel(LANGUAGES)
_SECRET = b"a secret of sixteen bytes"
_EXAMPLES = Path(__file__).parents[3] / "prompts" / "memprompt" / "examples.jsonl"
_TABLE = tomllib.loads(Path(__file__).with_name("word_questions.toml").read_text(encoding="utf-8"))
# Homophones first: their understanding may also say "the same".
_SPOKEN_OF = {
    "homophone": r"sounds|sunan|sunne",
    "antonym": r"opposite|ulta",
    "synonym": r"means the same|samanarthi",
    "sentence": r"sentence|vakya|vaak",
    "definition": r"know what .* means|matlab",
}


@dataclass(frozen=True, slots=True)
class WordQuestion:
    """A question about a word, the task that is meant, and, in further languages, ways to say so."""

    language: str
    task: str
    word: str
    question: str


def questions() -> Iterator[WordQuestion]:
    for language, task, template in ways_to_ask():
        for word in _TABLE["words"][task]:
            yield WordQuestion(language, task, word, template.format(word=word))


def ways_to_ask() -> Iterator[tuple[str, str, str]]:
    """Language, task, and a question with `{word}` in place of the word."""
    for language, tasks in _TABLE["questions"].items():
        for task, templates in tasks.items():
            for template in templates:
                yield language, task, template


def ways_to_say(task: str) -> list[str]:
    return [words for tasks in _TABLE["meant"].values() for words in tasks[task]]


def prompt(
    question: str, said: str | None = None, previous: dict[str, str] | None = None, about: str = "an earlier question"
) -> list[Message]:
    """A prompt as `assistant.prompt.prompt` makes it, built by hand from the shipped examples."""
    messages = [Message(Role.SYSTEM, "You are Noted.")]
    for example in read_examples(_EXAMPLES):
        block = "".join(write_block(name, rows, _SECRET) for name, rows in example.blocks.items())
        messages.append(Message(Role.USER, f"{block}Example question: {example.question}"))
        messages.append(Message(Role.ASSISTANT, GRAMMAR.written(example.reply)))
    block = ""
    if said is not None:
        row = {"about": about, "said": said, "by": "you", "on": "2026-11-20"}
        block += write_block("clarification", [row], _SECRET)
    if previous is not None:
        block += write_block("previous", [previous], _SECRET)
    messages.append(Message(Role.USER, f"{block}Question: {question}"))
    return messages


def reply_to(messages: Sequence[Message], model: EmbeddedModel = MODEL) -> Reply:
    return parse_reply("".join(model.stream(messages)))


def ask(question: str, said: str | None = None, model: EmbeddedModel = MODEL) -> Reply:
    return reply_to(prompt(question, said), model)


def task_spoken_of(understanding: str) -> str | None:
    return next((task for task, pattern in _SPOKEN_OF.items() if re.search(pattern, understanding)), None)
