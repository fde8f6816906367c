"""What a run writes: one file per stream, its settings in the first line, then one line per step, never changed.

A run that is stopped, by whatever, leaves whole lines and perhaps a last one that is torn, which is dropped when the
run goes on.
"""

import json
from collections.abc import Iterator
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


class StreamLog:
    """The file of one stream, in the folder of the run."""

    def __init__(self, folder: Path, settings: StreamSettings) -> None:
        self._settings = settings
        self.path = folder / _FOLDER / f"{settings.id}.jsonl"

    def steps(self) -> tuple[Step, ...]:
        """What is done; nothing where the file is not there."""
        return read_log(self.path).steps if self.path.exists() else ()

    def mend(self) -> None:
        """Begin the file, or take away a last line that is torn, so that lines can be added."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        whole = self.path.read_bytes() if self.path.exists() else b""
        whole = whole[: whole.rfind(b"\n") + 1]
        if not whole:
            head = {"version": _VERSION, "began": datetime.now(UTC).isoformat(timespec="seconds")}
            whole = (json.dumps({**head, "settings": asdict(self._settings)}) + "\n").encode()
        self.path.write_bytes(whole)

    def add(self, step: Step) -> None:
        """One more line. `mend` comes first."""
        with self.path.open("a", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(json.dumps(asdict(step), ensure_ascii=False) + "\n")


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
    """One stream. A last line that is torn does not count.

    Raises:
        BadInput: the file cannot be read, or is no log.
    """
    try:
        first, *lines = path.read_text(encoding="utf-8").rpartition("\n")[0].split("\n")
        head = json.loads(first)
        if head["version"] != _VERSION:
            raise BadInput(f"{path} was written by another version of this program; please begin a new run.")
        steps = tuple(map(_STEP.validate_json, lines))
        return Logged(_SETTINGS.validate_python(head["settings"]), head["began"], steps)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from None
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path} is no log of a stream, or is damaged; remove it to run this stream again.") from error
