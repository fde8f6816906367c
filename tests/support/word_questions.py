"""Questions about words, prompts that hold them, and which task an understanding speaks of."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assistant.envelope import Row, write_block
from assistant.models.offline import OfflineModel
from assistant.reply import parse_reply
from assistant.types import Message, Reply, Role

_SECRET = b"a secret of sixteen bytes"
_EXAMPLES = Path(__file__).parents[2] / "prompts" / "answer" / "examples.jsonl"
_TABLE = tomllib.loads(Path(__file__).with_name("word_questions.toml").read_text(encoding="utf-8"))
# Homophones first: their understanding may also say "the same".
_SPOKEN_OF = {
    "homophone": r"sounds|sunan",
    "antonym": r"opposite|ulta",
    "synonym": r"means the same|samanarthi",
    "sentence": r"sentence|vakya",
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
    """A prompt as `assistant.prompting` makes it, built by hand from the shipped examples."""
    messages = [Message(Role.SYSTEM, "You are Noted.")]
    for line in _EXAMPLES.read_text(encoding="utf-8").splitlines():
        example = json.loads(line)
        block = "".join(
            write_block(name, _rows(example[name]), _SECRET)
            for name in ("clarification", "offered", "previous")
            if name in example
        )
        messages.append(Message(Role.USER, f"{block}Example question: {example['question']}"))
        messages.append(Message(Role.ASSISTANT, _reply(example)))
    block = ""
    if said is not None:
        row = {"about": about, "said": said, "by": "you", "on": "2026-11-20"}
        block += write_block("clarification", [row], _SECRET)
    if previous is not None:
        block += write_block("previous", [previous], _SECRET)
    messages.append(Message(Role.USER, f"{block}Question: {question}"))
    return messages


def ask(model: OfflineModel, question: str, said: str | None = None) -> Reply:
    return parse_reply("".join(model.stream(prompt(question, said))))


def task_spoken_of(understanding: str) -> str | None:
    return next((task for task, pattern in _SPOKEN_OF.items() if re.search(pattern, understanding)), None)


def _rows(block: Row | list[Row]) -> list[Row]:
    return block if isinstance(block, list) else [block]


def _reply(example: dict[str, str]) -> str:
    if "correction" in example:
        return f"<correction>{example['correction']}</correction>"
    return f"<understanding>{example['understanding']}</understanding>\n<answer>{example['answer']}</answer>"
