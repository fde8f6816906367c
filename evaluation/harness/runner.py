"""Run the steps of an experiment, each once; finished steps are logged in the folder of the run, also after Ctrl-C."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any, Generic, TypeVar, cast

import typer
from pydantic import TypeAdapter, ValidationError
from rich.console import Console
from rich.progress import Progress

from assistant.settings import EMBEDDED
from evaluation.harness.dataset import BadInput, read_text
from evaluation.harness.model import Cost, MeasuredModel
from evaluation.harness.simulated_user import open_app
from ui.server.services import Services

Done = TypeVar("Done")
ROOT = Path(__file__).parents[2]
_CACHE = "replies.sqlite3"


class ResultLog(Generic[Done]):
    """Results of steps by name, one JSON line each, append-only. An incomplete last line is dropped.

    log = ResultLog(folder / "answers.jsonl", Answer)
    answer = log.of("question 1", lambda: ask(...))  # done now, or read from the file

    Raises:
        BadInput: the file is not a log of this type.
    """

    def __init__(self, path: Path, kind: type[Done], told: Callable[[], object] = lambda: None) -> None:
        self.path, self._told, self._adapter = path, told, TypeAdapter[Any](kind)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        whole = text[: text.rfind("\n") + 1]
        try:
            steps = map(json.loads, whole.splitlines())
            self._done: dict[str, Done] = {step: self._adapter.validate_python(done) for step, done in steps}
        except (ValueError, TypeError, ValidationError) as error:
            raise BadInput(f"{path} is no log of this experiment; choose another folder, or remove it.") from error
        path.write_text(whole, encoding="utf-8")

    def of(self, step: str, do: Callable[[], Done]) -> Done:
        """Return the result of a step, from the file or by doing it now."""
        if step not in self._done:
            done = self._done[step] = do()
            written = self._adapter.dump_python(done, mode="json")
            with self.path.open("a", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
                file.write(json.dumps([step, written], ensure_ascii=False) + "\n")
        self._told()
        return self._done[step]


@dataclass(frozen=True, slots=True)
class Runner:
    """Folder, arguments and model of a run. Repeating the command continues the run in its folder."""

    folder: Path
    arguments: Mapping[str, object]  # of the command
    model: str = EMBEDDED  # a LiteLLM name, `local/NAME`, the path of a GGUF file, or `embedded`

    @contextmanager
    def app(self) -> Iterator[Services]:
        """Yield the app with its store in the folder; replies of a connected model are cached for the next run.

        Raises:
            BadInput: the folder holds another run.
        """
        self._claim_folder()
        with open_app(self.folder / "home", self.model) as services:
            # The embedded model is faster than a cache.
            cache = None if self.model == EMBEDDED else self.folder / _CACHE
            model = MeasuredModel(services.assistant.runner.model, cache)
            yield replace(services, assistant=services.assistant.with_parts(model=model))

    def _claim_folder(self) -> None:
        """Write the commit and the arguments into the folder; raise BadInput if its steps are of others."""
        path = self.folder / "run.json"
        run = {"commit": read_commit(), **{name: str(value) for name, value in self.arguments.items() if name != "out"}}
        before = json.loads(read_text(path)) if path.exists() else {}
        others = [name for name in {**before, **run} if before.get(name) != run.get(name)]
        if others and any(self.folder.glob("*.jsonl")):
            said = f"{self.folder} has steps of another run ({', '.join(others)})"
            raise BadInput(f"{said}. Choose another folder, or remove this one; {_CACHE} in it can be taken along.")
        self.folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")

    @contextmanager
    def asking(self, services: Services, total: int, what: str = "questions") -> Iterator[Callable[..., None]]:
        """Show a progress bar; after the first step that calls a connected model, say what all steps would cost.

        Yields a function to call after each step. Ctrl-C keeps the steps that are done.
        """
        model, is_said = cast("MeasuredModel", services.assistant.runner.model), self.model == EMBEDDED
        began = perf_counter()
        with progress("Asking", total) as shown:

            def tell() -> None:
                nonlocal is_said, began
                shown()
                cost = Cost() if is_said else model.take_cost()
                if cost.asked:
                    is_said = True
                    typer.echo(cost.said(perf_counter() - began, total, what), err=True)
                began = perf_counter()

            yield tell

    def log(
        self, kind: type[Done], told: Callable[[], object] = lambda: None, name: str = "answers"
    ) -> ResultLog[Done]:
        """Return the log with this name; `told` is called after each step."""
        return ResultLog(self.folder / f"{name}.jsonl", kind, told)


def read_commit() -> str:
    """Return the commit of this code, marked if files differ from it; empty where git does not know."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout.strip()


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[], None]]:
    """Show a progress bar on standard error. Yields a function to call after each step."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as shown:
        bar = shown.add_task(what, total=total)
        yield lambda: shown.advance(bar)


def track(items: Sequence[Done], what: str) -> Iterator[Done]:
    """Yield the items while showing a progress bar."""
    with progress(what, len(items)) as tell:
        for item in items:
            yield item
            tell()
