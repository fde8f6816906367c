"""The files of the decision benchmark, line by line. What is wrong with one is said with its name and line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, Field, StrictInt, StrictStr, ValidationError

from assistant.errors import InputError
from assistant.limits import DEFAULT_LIMITS
from evaluation.cases import Benchmark, Case, Stored, with_crossings

DATA = Path(__file__).with_name("data")
"""What people wrote for measurements."""

_Name = Annotated[StrictStr, Field(pattern=r"\S", max_length=1_000)]
_Id = StrictInt | _Name
_Question = Annotated[StrictStr, Field(pattern=r"\S", max_length=DEFAULT_LIMITS.question)]
_Feedback = Annotated[StrictStr, Field(pattern=r"\S", max_length=DEFAULT_LIMITS.clarification)]


class BadInput(InputError):
    """A file or an option of a command cannot be used. The sentence names it, and the line where there is one."""


class _Named(BaseModel):
    id: _Id


class _Entry(_Named):
    question: _Question
    feedback: _Feedback
    wrong_understanding: StrictStr
    lang: _Name


class _Keys(_Named):
    keys: tuple[_Question, ...]


class _Asked(BaseModel):
    question: _Question
    applies: _Id | None
    kind: _Name
    lang: _Name
    also: frozenset[_Id] = frozenset()


class _Reply(BaseModel):
    prompt: _Name
    reply: StrictStr


Line = TypeVar("Line", bound=BaseModel)
NamedLine = TypeVar("NamedLine", bound=_Named)


def read_benchmark(entries: Path, questions: Path, keys: Path | None = None, among: Path | None = None) -> Benchmark:
    """The benchmark in these files; the entries in `among` are in the same memory.

    Raises:
        BadInput: a file cannot be read, is empty, or holds what it must not.
    """
    known = _by_id(_Entry, *filter(None, (entries, among)))
    further = _by_id(_Keys, keys) if keys else {}
    for name in further.keys() - known.keys():
        raise BadInput(f'{keys}: no entry has the id "{name}".')
    stored = [
        Stored(
            entry.id,
            (entry.question,),
            entry.feedback,
            entry.wrong_understanding,
            further[name].keys if name in further else (),
            lang=entry.lang,
        )
        for name, entry in known.items()
    ]
    asked = []
    for where, line in _lines(questions, _Asked):
        if line.applies is not None and str(line.applies) not in known:
            raise BadInput(f'{where}: no entry has the id "{line.applies}".')
        applies = None if line.applies is None else known[str(line.applies)].id
        asked.append(Case(line.question, applies, line.kind, line.lang, also=line.also))
    return with_crossings(Benchmark(tuple(stored), tuple(asked)))


def decision_set(name: str, *, keys: bool = False, folder: Path = DATA) -> Benchmark:
    """The set of this name, of those that come with Noted, with or without its further keys. Raises BadInput."""
    entries, questions, further = (folder / f"{name}_{what}.jsonl" for what in ("entries", "questions", "keys"))
    return read_benchmark(entries, questions, further if keys else None)


def set_named(name: str) -> Path:
    """The file of this name, else that of a set that comes with Noted."""
    path = Path(name)
    return path if path.exists() else DATA / f"{name}.jsonl"


def read_replies(path: Path) -> dict[str, str]:
    """Replies by the hash of their prompt."""
    return {line.prompt: line.reply for _, line in _lines(path, _Reply)}


def read_all(path: Path, kind: type[Line]) -> tuple[Line, ...]:
    """The lines of a file, each a value of this kind. Raises BadInput."""
    return tuple(line for _, line in _lines(path, kind))


def _by_id(kind: type[NamedLine], *paths: Path) -> dict[str, NamedLine]:
    """The lines of files by how their ids read, none of which is there twice."""
    found: dict[str, NamedLine] = {}
    for where, line in (numbered for path in paths for numbered in _lines(path, kind)):
        if str(line.id) in found:
            raise BadInput(f'{where}: the id "{line.id}" is there twice.')
        found[str(line.id)] = line
    return found


def _lines(path: Path, kind: type[Line]) -> Iterator[tuple[str, Line]]:
    """The lines of a file that are not blank, of one at least, each with its place."""
    written = {number: text for number, text in enumerate(read_text(path).split("\n"), 1) if text.strip()}
    if not written:
        raise BadInput(f"{path} is empty.")
    for number, text in written.items():
        try:
            yield f"{path}, line {number}", kind.model_validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(str(part) for part in first["loc"])
            raise BadInput(f"{path}, line {number}: {field + ': ' if field else ''}{first['msg']}.") from None


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
