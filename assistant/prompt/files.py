"""Prompts are files: templates with declared variables, and few-shot examples. Missing or unknown is an error."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, StrictUndefined, TemplateError, meta, select_autoescape

from assistant.errors import PromptError
from assistant.prompt.envelope import Row

# Remembered text says where it comes from, in the examples too. The order of the fields is part of the prompt.
_PROVENANCE: Row = {"about": "", "said": "", "by": "the person who asks", "on": "2026-01-05"}
_DECLARATION = re.compile(r"\A\{# variables:(?P<names>[a-z_, ]*)#\}\n")
# Prompts are plain text for a model, so nothing is escaped here; remembered text is made safe by
# assistant.prompt.envelope.
_ENVIRONMENT = Environment(
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    autoescape=select_autoescape((), default_for_string=False),
)


class PromptFile:
    """One template, whose first line declares its variables.

    Raises PromptError where it cannot be read, declares nothing, or uses other variables than it declares.
    """

    def __init__(self, path: Path) -> None:
        self._name = f"{path.parent.name}/{path.name}"
        source = _read(path)
        declaration = _DECLARATION.match(source)
        if declaration is None:
            raise PromptError(f"The first line of the prompt {self._name} does not declare its variables.")
        self.variables = frozenset(filter(None, re.split(r"[,\s]+", declaration["names"])))
        body = source[declaration.end() :]
        try:
            used = meta.find_undeclared_variables(_ENVIRONMENT.parse(body))
            self._template = _ENVIRONMENT.from_string(body)
        except TemplateError as error:
            raise PromptError(f"The prompt {self._name} is not a valid template: {error}") from error
        self._compare("uses", used)

    def render(self, **values: str) -> str:
        """The text, with a value for every declared variable and no other. Raises PromptError."""
        self._compare("is given", values.keys())
        return self._template.render(values).strip("\n")

    def _compare(self, verb: str, names: Iterable[str]) -> None:
        names = set(names)
        if unknown := sorted(names - self.variables):
            raise PromptError(f"The prompt {self._name} {verb} the unknown variable {unknown[0]}.")
        if missing := sorted(self.variables - names):
            raise PromptError(f"The prompt {self._name} declares the variable {missing[0]}, but never {verb} it.")


@dataclass(frozen=True, slots=True)
class Example:
    """One few-shot example: a question, the blocks that stand before it, and the reply to it."""

    question: str  # the message of a person
    understanding: str = ""  # of the reply. Empty where the reply is a correction.
    answer: str = ""  # likewise
    correction: str = ""  # what the person meant, where the message corrects `previous`
    notes: str = ""  # numbers of the offered notes that the reply names, or "none". Empty where none are offered.
    clarification: Row | None = None  # what is remembered and used
    offered: Sequence[Row] = ()  # what is remembered and offered, in the order of its numbers
    previous: Row | None = None  # question and understanding of the turn before

    def blocks(self) -> dict[str, Sequence[Row]]:
        used = [{**_PROVENANCE, **self.clarification}] if self.clarification else []
        return blocks_of(used, [{**_PROVENANCE, **row} for row in self.offered], self.previous)


def blocks_of(used: Sequence[Row], offered: Sequence[Row], previous: Row | None) -> dict[str, Sequence[Row]]:
    """What stands before a question: block name to rows, in the order in which they are written."""
    numbered = [{"note": number, **row} for number, row in enumerate(offered, start=1)]
    blocks = {"clarification": used, "offered": numbered, "previous": [previous] if previous else []}
    return {name: rows for name, rows in blocks.items() if rows}


def read_examples(path: Path) -> tuple[Example, ...]:
    """The examples of a file: on each line a JSON object with the fields of `Example`. Raises PromptError."""
    examples = []
    for number, line in enumerate(_read(path).splitlines(), start=1):
        try:
            example = Example(**json.loads(line))
            if not (example.correction or (example.understanding and example.answer)):
                raise ValueError("it has no reply")
        except (ValueError, TypeError) as error:
            raise PromptError(f"Line {number} of {path.name} is not a valid example: {error}") from error
        examples.append(example)
    return tuple(examples)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"The prompt {path.parent.name}/{path.name} cannot be read.") from error
