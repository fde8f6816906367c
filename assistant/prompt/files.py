"""Load prompt files: templates with known variables, and few-shot examples. Missing or unknown ones are errors."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined, TemplateError, meta, select_autoescape

from assistant.errors import PromptError
from assistant.prompt.envelope import Row
from assistant.prompt.sections import BLOCKS
from assistant.reply.grammar import GRAMMAR, Grammar

# No escaping: prompts are plain text, and `assistant.prompt.envelope` makes remembered text safe.
_ENVIRONMENT = Environment(
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    autoescape=select_autoescape((), default_for_string=False),
)


class PromptFile:
    """One template with these variables. Raises PromptError if it is unreadable, invalid, or uses another variable."""

    def __init__(self, path: Path, *variables: str) -> None:
        source, name = _read(path), f"{path.parent.name}/{path.name}"
        try:
            self._template = _ENVIRONMENT.from_string(source)
            used = meta.find_undeclared_variables(_ENVIRONMENT.parse(source))
        except TemplateError as error:
            raise PromptError(f"The prompt {name} is not a valid template: {error}") from error
        if unknown := sorted(used - set(variables)):
            raise PromptError(f"The prompt {name} uses the unknown variable {unknown[0]}.")

    def render(self, **values: str) -> str:
        return self._template.render(values).strip("\n")


@dataclass(frozen=True, slots=True)
class FixedExample:
    """One few-shot example: a question with the blocks before it, and the reply."""

    question: str
    reply: Mapping[str, str | Sequence[str]]  # by name of the tag
    blocks: Mapping[str, Sequence[Row]] = field(default_factory=dict)  # by name, in order


def read_examples(path: Path, grammar: Grammar = GRAMMAR) -> tuple[FixedExample, ...]:
    """Parse a JSON Lines file of examples, objects with `question`, tags and blocks. Raises PromptError."""
    examples = []
    for number, line in enumerate(_read(path).splitlines(), start=1):
        try:
            examples.append(_example(json.loads(line), grammar))
        except (ValueError, TypeError, KeyError) as error:
            raise PromptError(f"Line {number} of {path.name} is not a valid example: {error}") from error
    return tuple(examples)


def _example(told: dict[str, Any], grammar: Grammar) -> FixedExample:
    question = told.pop("question")
    reply = {name: told.pop(name) for name in grammar.by_name if name in told}
    if not (reply.get("correction") or (reply.get("understanding") and reply.get("answer"))):
        raise ValueError("it has no reply")
    if unknown := sorted(told.keys() - {*BLOCKS}):
        raise ValueError(f"{unknown[0]} is neither a tag nor a block")
    rows = {name: told[name] if isinstance(told[name], list) else [told[name]] for name in BLOCKS if name in told}
    if "offered" in rows:  # numbered, as they would be in a prompt
        rows["offered"] = [{"note": number, **row} for number, row in enumerate(rows["offered"], start=1)]
    return FixedExample(question, reply, rows)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"The prompt {path.parent.name}/{path.name} cannot be read.") from error
