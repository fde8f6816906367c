"""What a run writes: one file per stream that came to its end, its settings in the first line, then a line per step."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter

from evaluation.reading import BadInput
from evaluation.streams.experiment import StreamSettings
from evaluation.streams.stream import Step

_SETTINGS, _STEP = TypeAdapter(StreamSettings), TypeAdapter(Step)  # which pass over what earlier versions wrote beside
_VERSION = 1
_FOLDER = "streams"


@dataclass(frozen=True, slots=True)
class Logged:
    """A stream as it was written down."""

    settings: StreamSettings
    began: str  # day and time, UTC
    steps: tuple[Step, ...]  # in their order, without gaps


def log_path(folder: Path, settings: StreamSettings) -> Path:
    """The file of one stream, in the folder of the run; while it runs, its name ends with `.part`."""
    return folder / _FOLDER / f"{settings.id}.jsonl"


def write_log(folder: Path, settings: StreamSettings, steps: Iterable[Step]) -> None:
    """Write a stream as it runs. Its file is whole or not there."""
    path = log_path(folder, settings)
    path.parent.mkdir(parents=True, exist_ok=True)
    head = {"version": _VERSION, "began": datetime.now(UTC).isoformat(timespec="seconds")}
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        file.write(json.dumps({**head, "settings": asdict(settings)}) + "\n")
        for step in steps:
            file.write(json.dumps(asdict(step), ensure_ascii=False) + "\n")
            file.flush()
    part.replace(path)


def read_logs(folder: Path) -> Iterator[Logged]:
    """All streams of a run, in the order of their file names.

    Raises:
        BadInput: there is none, or one is no log.
    """
    paths = sorted((folder / _FOLDER).glob("*.jsonl"))
    if not paths:
        raise BadInput(f"{folder} holds no run; `python -m evaluation run … --out {folder}` makes one.")
    yield from map(read_log, paths)


def read_log(path: Path) -> Logged:
    """One stream.

    Raises:
        BadInput: the file cannot be read, or is no log.
    """
    try:
        first, *lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        head = json.loads(first)
        if head["version"] != _VERSION:
            raise BadInput(f"{path} was written by another version of this program; please begin a new run.")
        steps = tuple(map(_STEP.validate_json, lines))
        return Logged(_SETTINGS.validate_python(head["settings"]), head["began"], steps)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from None
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path} is no log of a stream, or is damaged; remove it to run this stream again.") from error
