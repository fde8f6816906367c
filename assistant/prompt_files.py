"""Prompts are files: templates with declared variables, and few-shot examples. Missing or unknown is an error."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined, TemplateError, meta, select_autoescape

from assistant.errors import PromptError

# Remembered text says where it comes from, in the examples too. The order of the fields is part of the prompt.
_PROVENANCE = {"about": "", "said": "", "by": "the person who asks", "on": "2026-01-05"}
_DECLARATION = re.compile(r"\A\{# variables:(?P<names>[a-z_, ]*)#\}\n")
# Prompts are plain text for a model, so nothing is escaped here; remembered text is made safe by assistant.envelope.
_ENVIRONMENT = Environment(
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    autoescape=select_autoescape((), default_for_string=False),
)


class PromptFile:
    """One template.

    Args:
        path: the file; its first line declares the variables.

    Raises:
        PromptError: it cannot be read, declares nothing, or uses other variables than it declares.
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
        """The text, with a value for every declared variable and no other.

        Raises:
            PromptError: a variable is missing or unknown.
        """
        self._compare("is given", values.keys())
        return self._template.render(values).strip("\n")

    def _compare(self, verb: str, names: Any) -> None:
        if unknown := sorted(set(names) - self.variables):
            raise PromptError(f"The prompt {self._name} {verb} the unknown variable {unknown[0]}.")
        if missing := sorted(self.variables - set(names)):
            raise PromptError(f"The prompt {self._name} declares the variable {missing[0]}, but never {verb} it.")


@dataclass(frozen=True, slots=True)
class Example:
    """One few-shot example: a question, the blocks that stand before it, and the reply to it.

    Args:
        question: the message of a person.
        understanding: of the reply. Empty where the reply is a correction.
        answer: of the reply. Empty where the reply is a correction.
        correction: what the person meant, where the message corrects `previous`.
        notes: numbers of the offered notes that the reply names, or "none". Empty where none are offered.
        blocks: block name to rows, in the order in which they are written.
    """

    question: str
    understanding: str
    answer: str
    correction: str
    notes: str
    blocks: Mapping[str, tuple[Mapping[str, str | int], ...]]


def read_examples(path: Path) -> tuple[Example, ...]:
    """The examples of a file, one JSON object per line.

    Raises:
        PromptError: a line is no JSON object, or has a field missing or unknown.
    """
    examples = []
    for number, line in enumerate(_read(path).splitlines(), start=1):
        try:
            examples.append(_example(json.loads(line)))
        except (ValueError, TypeError, KeyError) as error:
            raise PromptError(f"Line {number} of {path.name} is not a valid example: {error}") from error
    return tuple(examples)


def _example(fields: Any) -> Example:
    known = {"question", "understanding", "answer", "correction", "notes", "clarification", "offered", "previous"}
    if not isinstance(fields, dict):
        raise TypeError("it is no JSON object")
    if unknown := sorted(fields.keys() - known):
        raise KeyError(unknown[0])
    if "correction" in fields:
        fields = {"understanding": "", "answer": "", **fields}
    blocks: dict[str, tuple[Mapping[str, str | int], ...]] = {}
    if "clarification" in fields:
        blocks["clarification"] = (_PROVENANCE | fields["clarification"],)
    if "offered" in fields:
        blocks["offered"] = tuple({"note": n} | _PROVENANCE | row for n, row in enumerate(fields["offered"], start=1))
    if "previous" in fields:
        blocks["previous"] = (fields["previous"],)
    return Example(
        question=fields["question"],
        understanding=fields["understanding"],
        answer=fields["answer"],
        correction=fields.get("correction", ""),
        notes=fields.get("notes", ""),
        blocks=blocks,
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"The prompt {path.parent.name}/{path.name} cannot be read.") from error
