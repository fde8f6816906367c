"""The files of the decision benchmark, line by line. What is wrong with one is said with its name and line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from assistant.errors import InputError
from assistant.limits import DEFAULT_LIMITS
from assistant.text.cleaning import checked
from evaluation.cases import Benchmark, Case, Id, Stored, with_crossings

Keys: TypeAlias = dict[str, tuple[str, tuple[str, ...]]]
"""Further keys by id of the entry, each with the place where they stand."""


class BadInput(InputError):
    """A file or an option of a command cannot be used. The sentence names it, and the line where there is one."""


def read_benchmark(entries: Path, questions: Path, keys: Path | None = None, among: Path | None = None) -> Benchmark:
    """The benchmark in these files; the entries in `among` are in the same memory.

    Raises:
        BadInput: a file cannot be read, is empty, or holds what it must not.
    """
    further = read_keys(keys) if keys else {}
    stored = read_entries(entries, further)
    known = {str(entry.id): entry.id for entry in stored}
    if among:
        others = read_entries(among, further)
        for twice in (str(entry.id) for entry in others if str(entry.id) in known):
            raise BadInput(f'{among}: the id "{twice}" is in the other file of entries too.')
        stored += others
        known |= {str(entry.id): entry.id for entry in others}
    for name, where in ((name, where) for name, (where, _) in further.items() if name not in known):
        raise BadInput(f'{where}: no entry has the id "{name}".')
    return with_crossings(Benchmark(stored, read_questions(questions, known)))


def read_entries(path: Path, further: Keys | None = None) -> tuple[Stored, ...]:
    found: list[Stored] = []
    for name, line in _named_lines(path, "entry"):
        lang = line.text("lang")
        question = line.text("question", DEFAULT_LIMITS.question)
        feedback = line.text("feedback", DEFAULT_LIMITS.clarification)
        _, keys = (further or {}).get(name, ("", ()))
        wrong = line.text("wrong_understanding", None)
        found.append(Stored(line.id("id"), (question,), feedback, wrong, keys, lang=lang))
    return tuple(found)


def read_keys(path: Path) -> Keys:
    return {name: (line.where, line.texts("keys")) for name, line in _named_lines(path, "list of keys")}


def read_questions(path: Path, known: dict[str, Id]) -> tuple[Case, ...]:
    """The questions of a file; `known` has the ids of the entries, by how they read."""
    found: list[Case] = []
    for line in _lines(path, "question"):
        applies = line.entry("applies", known) if line.field("applies") is not None else None
        near = line.entry("near", known) if line.fields.get("near") is not None else None
        question = line.text("question", DEFAULT_LIMITS.question)
        found.append(Case(question, applies, line.text("kind"), line.text("lang"), near))
    return tuple(found)


def read_replies(path: Path) -> dict[str, str]:
    """Replies by the hash of their prompt."""
    return {line.text("prompt"): line.text("reply", None) for line in _lines(path, "reply")}


class _Line:
    """One line that is a JSON object."""

    def __init__(self, where: str, fields: dict[str, Any]) -> None:
        self.where = where
        self.fields = fields

    def wrong(self, what: str) -> BadInput:
        return BadInput(f"{self.where}: {what}.")

    def field(self, name: str) -> Any:
        if name not in self.fields:
            raise self.wrong(f'the field "{name}" is missing')
        return self.fields[name]

    def id(self, name: str) -> Id:
        value = self.field(name)
        if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
            raise self.wrong(f'"{name}" must be a text or a whole number')
        return value

    def entry(self, name: str, known: dict[str, Id]) -> Id:
        value = str(self.id(name))
        if value not in known:
            raise self.wrong(f'"{name}" is "{value}", and no entry has this id')
        return known[value]

    def text(self, name: str, limit: int | None = 1_000) -> str:
        """A text that is not blank; with `limit` None, any text."""
        value = self.field(name)
        if not isinstance(value, str):
            raise self.wrong(f'"{name}" must be a text')
        if limit is not None:
            self._check(name, value, limit)
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.field(name)
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise self.wrong(f'"{name}" must be a list of texts')
        for text in value:
            self._check(name, text, DEFAULT_LIMITS.question)
        return tuple(value)

    def _check(self, name: str, value: str, limit: int) -> None:
        try:
            checked(value, limit)
        except InputError:
            what = f"is longer than {limit:,} characters" if len(value) > limit else "holds no text"
            raise self.wrong(f'"{name}" {what}') from None


def _named_lines(path: Path, what: str) -> Iterator[tuple[str, _Line]]:
    """The lines of a file by their ids, none of which is there twice."""
    names: set[str] = set()
    for line in _lines(path, what):
        name = str(line.id("id"))
        if name in names:
            raise line.wrong(f'the id "{name}" is there twice')
        names.add(name)
        yield name, line


def _lines(path: Path, what: str) -> Iterator[_Line]:
    is_empty = True
    for number, written in enumerate(read_text(path).split("\n"), 1):
        if not written.strip():
            continue
        where = f"{path}, line {number}"
        try:
            fields = json.loads(written)
        except (ValueError, RecursionError):
            raise BadInput(f"{where}: this is not JSON.") from None
        if not isinstance(fields, dict):
            raise BadInput(f"{where}: this is JSON, but not an object in braces.")
        is_empty = False
        yield _Line(where, fields)
    if is_empty:
        raise BadInput(f"{path} is empty; it must hold at least one {what}.")


def read_text(path: Path) -> str:
    """The text of a UTF-8 file.

    Raises:
        BadInput: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise BadInput(f"There is no file {path}.") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BadInput(f"{path}, line {line}: this is not UTF-8 text.") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from None
