"""Manage the models of this machine: one download at a time, and one engine per file."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from assistant.errors import ModelError
from assistant.models.local import hub
from assistant.models.local.gguf_header import Header, read_header
from assistant.models.local.hub import HubError
from assistant.models.local.local import LocalModel, PackageMissing


class Download:
    """Download of a model in the background, which waits for the end of the stopped one `before` it."""

    def __init__(self, wanted: hub.RequestedModel, folder: Path, before: Download | None) -> None:
        self.name, self.here, self.whole = wanted.name, 0, 0  # bytes received and in total
        self.error: ModelError | None = None
        self.is_stopped = False
        self._thread = threading.Thread(target=self._run, args=(wanted, folder, before), name="download", daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive() and not self.is_stopped

    def _run(self, wanted: hub.RequestedModel, folder: Path, before: Download | None) -> None:
        if before is not None:
            before._thread.join()
        try:
            with closing(hub.download(wanted, folder)) as steps:
                for self.here, self.whole in steps:
                    if self.is_stopped:
                        return
        except ModelError as error:
            self.error = None if self.is_stopped else error


@dataclass(frozen=True, slots=True)
class Listed:
    """An installed model, or one of the catalogue (`known` is its row). Sizes are in bytes; 0: unknown."""

    name: str
    is_here: bool
    bytes: int
    memory: int
    known: dict[str, Any]


class LocalModels:
    """Pool of local models with reference counting: a file is loaded once, and freed when no one uses it.

    Args:
        folder: of the files.
        make: returns the model of a file, not loaded yet.
    """

    def __init__(self, folder: Path, make: Callable[[Path], LocalModel]) -> None:
        self._folder, self._make = folder, make
        self._lock = threading.Lock()
        self._lent: list[LocalModel] = []  # one item per use
        self.download: Download | None = None  # the newest

    def look(self) -> Sequence[Listed]:
        """Return the installed models, then the others of the catalogue. Raises PackageMissing."""
        _check_package()
        known, here = dict(hub.catalogue()), list[Listed]()
        for file in hub.find_installed(self._folder):
            header = _header(file)
            if header is None and file.stem in known:  # offer it for download again
                continue
            size, memory = (header.file_bytes, header.memory(self._make(file).context)) if header else (0, 0)
            here.append(Listed(file.stem, True, size, memory, dict(known.pop(file.stem, {}))))
        return here + [
            Listed(name, False, int(one["size_gb"] * 1e9), int(one["memory_gb"] * 1e9), dict(one))
            for name, one in known.items()
        ]

    def get(self, name: str) -> None:
        """Start or resume a download. Raises PackageMissing, and HubError if it is unknown, or another one runs."""
        _check_package()
        wanted = hub.find(name)
        with self._lock:
            if self.download is not None and self.download.is_running:
                raise HubError("hub.running")
            file = self._file(wanted.name)
            if file is None or _header(file) is None:
                self.download = Download(wanted, self._folder, self.download)

    def stop(self) -> None:
        """Stop the download, and keep its part."""
        if self.download is not None:
            self.download.is_stopped = True

    def lend(self, name: str) -> LocalModel:
        """Acquire a model until `release`. Raises ModelError: it is not here."""
        if (file := self._file(name)) is None:
            raise ModelError("local.no_such_model", name=name)
        with self._lock:
            model = next((model for model in self._lent if model.path == file), None) or self._make(file)
            self._lent.append(model)
        return model

    def release(self, model: LocalModel) -> None:
        """Release a model; the last release stops and frees it in the background."""
        with self._lock:
            self._lent.remove(model)
            is_lent = model in self._lent
        if not is_lent:
            threading.Thread(target=model.close, name="close-model", daemon=True).start()

    def close(self) -> None:
        """Stop the download, and free all models."""
        self.stop()
        for model in set(self._lent):
            model.close()

    def _file(self, name: str) -> Path | None:
        return next((file for file in hub.find_installed(self._folder) if file.stem == name), None)


def recommended_bytes() -> int:
    """Return the size of the first model of the catalogue, which is the one to begin with."""
    first: dict[str, Any] = dict(next(iter(hub.catalogue().values())))
    return int(first["size_gb"] * 1e9)


def _check_package() -> None:
    if find_spec("xllamacpp") is None:
        raise PackageMissing


def _header(file: Path) -> Header | None:
    """Return the header of a file, None if it is damaged or missing."""
    with suppress(ModelError):
        return read_header(file)
    return None
