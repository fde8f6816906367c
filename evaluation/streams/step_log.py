"""A line for each step of a run that has no streams, never changed, so that the run goes on."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter

Done = TypeVar("Done")


class StepLog(Generic[Done]):
    """What became of each step, by its name; `of` is a dataclass. A last line that is torn does not count."""

    def __init__(self, path: Path, of: type[Done], told: Callable[[int], object]) -> None:
        self._path, self._told, self._adapter = path, told, TypeAdapter[Any](of)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        whole = text[: text.rfind("\n") + 1]
        path.write_text(whole, encoding="utf-8")
        steps = map(json.loads, whole.splitlines())
        self._done: dict[str, Done] = {step: self._adapter.validate_python(done) for step, done in steps}

    def of(self, step: str, do: Callable[[], Done]) -> Done:
        """What became of a step: as it is written down, else it is done now."""
        if step not in self._done:
            done = self._done[step] = do()
            with self._path.open("a", encoding="utf-8", newline="\n") as file:
                written = self._adapter.dump_python(done, mode="json")
                file.write(json.dumps([step, written], ensure_ascii=False) + "\n")
        self._told(len(self._done))
        return self._done[step]
