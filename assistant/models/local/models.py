"""Models on this machine: the catalogue, downloads from a model hub, and one engine per file.

Downloads do not use huggingface_hub (2.4), which restarts interrupted downloads and verifies only the size.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import threading
import tomllib
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from filelock import FileLock, Timeout

from assistant.errors import ModelError
from assistant.models.local.local import LocalModel, PackageMissing, gigabytes, read_header
from assistant.settings import GGUF, clean_key

if TYPE_CHECKING:
    from httpx2 import Client

_PART = r"[A-Za-z0-9][\w.-]*"
_FILE = re.compile(rf"({_PART}/{_PART})/((?:{_PART}/)*({_PART}){re.escape(GGUF)})", re.IGNORECASE)
_SECONDS = 30.0  # timeout of each response, and of each piece of a file
_SPARE = 200 << 20  # bytes to leave free on the disk


class HubError(ModelError):
    """A failed download of a model."""


@dataclass(frozen=True, slots=True)
class RequestedModel:
    """A file on the hub, with the local name of its model."""

    name: str
    repo: str
    file: str

    def error(self, code: str, **further: str | int) -> HubError:
        """Return an error with the hub and the file as parameters."""
        hub = urlsplit(_endpoint()).netloc.rpartition("@")[2] or _endpoint()
        return HubError(code, hub=hub, file=f"{self.repo}/{self.file}", **further)


@cache
def catalogue() -> Mapping[str, Mapping[str, Any]]:
    """Load the catalogue of models, by name; the first is recommended."""
    return tomllib.loads(Path(__file__).with_name("catalogue.toml").read_text(encoding="utf-8"))


def find(name: str) -> RequestedModel:
    """Return the file of a model in the catalogue, or of OWNER/REPO/FILE.gguf. Raises HubError if it is neither."""
    if known := catalogue().get(name.lower()):
        return RequestedModel(name.lower(), known["repo"], known["file"])
    if match := _FILE.fullmatch(name):
        return RequestedModel(match[3], match[1], match[2])
    raise HubError("hub.no_such_name", name=name, names=", ".join(catalogue()))


def find_installed(folder: Path) -> list[Path]:
    """Return the installed files of models, sorted by name."""
    return sorted(folder.glob(f"*{GGUF}"))


def delete(name: str, folder: Path) -> None:
    """Delete a model, with any partial download. Raises ModelError if there is no such model."""
    files = list(folder.glob(f"{name}{GGUF}*")) if re.fullmatch(r"[A-Za-z0-9][\w.-]*", name) else []
    if not files:
        raise ModelError("local.no_such_model", name=name)
    for path in (*files, folder / f".{name}{GGUF}.lock"):
        path.unlink(missing_ok=True)


def download(wanted: RequestedModel, folder: Path) -> Generator[tuple[int, int], None, None]:
    """Download a file, yielding the bytes received and the total.

    Closing the generator keeps the partial file, and a later call resumes the download. After size and SHA-256 are
    verified, the file gets its final name.

    Raises:
        HubError: the download failed; the sentence says why.
        FileDamaged: the downloaded file is not GGUF; it is deleted.
    """
    from httpx2 import Client, HTTPError, InvalidURL

    here, token = 0, clean_key(os.environ.get("HF_TOKEN", ""))
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (
            # A stopped download holds the lock until its next piece arrives.
            FileLock(folder / f".{wanted.name}{GGUF}.lock", timeout=1),
            Client(headers=headers, timeout=_SECONDS, follow_redirects=True) as client,
        ):
            url, size, digest = _locate(client, wanted)
            part = folder / f"{wanted.name}{GGUF}.{digest[:16]}.part"  # the digest in the name keeps versions apart
            missing = size - (part.stat().st_size if part.exists() else 0) + _SPARE
            if missing > (room := shutil.disk_usage(folder).free):
                raise wanted.error("hub.disk_full", needed=gigabytes(missing), free=gigabytes(room))
            for here in _fetch(client, url, size, part):
                yield here, size
            if here < size:
                raise wanted.error("hub.broken_off")
            with part.open("rb") as content:
                is_right = here == size and hashlib.file_digest(content, "sha256").hexdigest() == digest
            try:
                if not is_right:
                    raise wanted.error("hub.wrong_hash")
                read_header(part)
            except ModelError:
                part.unlink()
                raise
            part.replace(folder / f"{wanted.name}{GGUF}")
    except Timeout:
        raise HubError("hub.running") from None
    except OSError as error:
        raise HubError("hub.not_written", folder=str(folder), why=error.strerror or "") from None
    except (HTTPError, InvalidURL) as error:
        raise _read_failure(error, wanted, has_begun=here > 0) from None


def _read_failure(error: Exception, wanted: RequestedModel, *, has_begun: bool) -> HubError:
    """Return the HubError for a failed request."""
    response = getattr(error, "response", None)
    if response is None:
        return wanted.error("hub.broken_off" if has_begun else "hub.unreachable")
    if response.headers.get("X-Error-Code") == "GatedRepo" or response.status_code == 403:
        return wanted.error("hub.terms")
    if response.status_code in {401, 404}:  # the hub also says 401 for a missing repository
        return wanted.error("hub.not_there")
    return wanted.error("hub.refused", status=response.status_code)


def _endpoint() -> str:
    return os.environ.get("HF_ENDPOINT", "").strip().rstrip("/") or "https://huggingface.co"


def _locate(client: Client, wanted: RequestedModel) -> tuple[str, int, str]:
    """Return the URL of a file at the newest commit, its size in bytes, and its SHA-256."""
    response = client.get(f"{_endpoint()}/api/models/{wanted.repo}", params={"blobs": "true"}).raise_for_status()
    try:
        told = response.json()
        files = {file["rfilename"]: file.get("lfs") for file in told["siblings"]}
        commit, lfs = told["sha"], files.get(wanted.file) or {}
        size, digest = int(lfs.get("size", 0)), str(lfs.get("sha256"))
    except (ValueError, TypeError, KeyError, AttributeError):
        raise wanted.error("hub.unreachable") from None
    if not re.fullmatch(r"[0-9a-f]{64}", digest):
        raise wanted.error("hub.not_there")
    return f"{_endpoint()}/{wanted.repo}/resolve/{quote(commit)}/{quote(wanted.file)}", size, digest


def _fetch(client: Client, url: str, size: int, part: Path) -> Generator[int, None, None]:
    """Append the missing bytes to a partial file, yielding its size."""
    with part.open("ab") as content:
        yield (here := content.tell())
        if here >= size:
            return
        headers = {"Accept-Encoding": "identity", "Range": f"bytes={here}-"}
        with client.stream("GET", url, headers=headers) as response:
            response.raise_for_status()
            if response.status_code != 206:  # the server restarts from the beginning
                here = content.truncate(0)
            for piece in response.iter_raw():
                here += content.write(piece)
                yield here
                if here > size:
                    break
        content.flush()
        os.fsync(content.fileno())


@dataclass(eq=False, slots=True)
class Download:
    """Progress of a download in the background."""

    name: str
    here: int = 0  # bytes received
    whole: int = 0  # bytes in total
    error: ModelError | None = None
    is_running: bool = True  # set to False to stop it


class LocalModels:
    """Pool of local models with reference counting: a file is loaded once, and freed when no one uses it.

    Args:
        folder: folder with the model files.
        make: returns a model for a file, without loading it.
    """

    def __init__(self, folder: Path, make: Callable[[Path], LocalModel]) -> None:
        self._folder, self._make = folder, make
        self._lock = threading.Lock()
        self._lent: list[LocalModel] = []  # one item per use
        self.download: Download | None = None  # the latest download

    def look(self) -> Sequence[Mapping[str, Any]]:
        """List the installed models, then the rest of the catalogue. Raises PackageMissing.

        `known` is the model's row of the catalogue. Sizes and memory are in bytes; 0: unknown.
        """
        _check_package()
        known, rows = dict(catalogue()), list[Mapping[str, Any]]()
        for file in find_installed(self._folder):
            size = memory = 0
            try:
                header = read_header(file)
                size, memory = header.file_bytes, header.memory(self._make(file).context)
            except ModelError:
                if file.stem in known:  # offer it for download again
                    continue
            model = {"name": file.stem, "is_here": True, "known": known.pop(file.stem, {})}
            rows.append({**model, "bytes": size, "memory": memory})
        for name, one in known.items():
            size, memory = int(one["size_gb"] * 1e9), int(one["memory_gb"] * 1e9)
            rows.append({"name": name, "is_here": False, "known": one, "bytes": size, "memory": memory})
        return rows

    def get(self, name: str) -> None:
        """Start or resume a download. Raises PackageMissing, HubError for an unknown model or a running download."""
        _check_package()
        wanted = find(name)
        with self._lock:
            if self.download is not None and self.download.is_running:
                raise HubError("hub.running")
            try:
                read_header(self._folder / f"{wanted.name}{GGUF}")
            except ModelError:  # missing or damaged
                self.download = Download(wanted.name)
                run = partial(self._run, self.download, wanted)
                threading.Thread(target=run, name="download", daemon=True).start()

    def _run(self, progress: Download, wanted: RequestedModel) -> None:
        try:
            with closing(download(wanted, self._folder)) as steps:
                for progress.here, progress.whole in steps:
                    if not progress.is_running:
                        return
        except ModelError as error:
            progress.error = error if progress.is_running else None
        progress.is_running = False

    def stop(self) -> None:
        """Stop the download, and keep the partial file."""
        if self.download is not None:
            self.download.is_running = False

    def lend(self, name: str) -> LocalModel:
        """Acquire a model until `release`. Raises ModelError if it is not installed."""
        file = next((file for file in find_installed(self._folder) if file.stem == name), None)
        if file is None:
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


def _check_package() -> None:
    if find_spec("xllamacpp") is None:
        raise PackageMissing
