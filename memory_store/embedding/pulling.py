"""Fetching a model from a hub into the local cache: first what it would be, then its files, each held to its hash.

Only data is fetched: weights as safetensors, JSON, texts, and the models of tokenizers; no pickles and no code. The
model can be used once all of it is there: what says which commit counts is written last.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar
from urllib.parse import urlsplit

from filelock import FileLock

from assistant.errors import NotedError
from assistant.reports.embedders import HubFile, Offered
from assistant.reports.upkeep import Progress
from memory_store.background import begin
from memory_store.embedding.hub_cache import cache_folder, model_folder

_ASKING_SECONDS = 5.0  # for what the hub has; it may take longer to look up a host that is not there
_DATA = frozenset({".safetensors", ".json", ".txt", ".model", ".md"})
_OTHER_RUNTIMES = frozenset({"onnx", "openvino"})  # folders with the same weights for these
_OURS = "sentence_transformers."  # what the parts of a model are, where it needs no code of its own

_log = logging.getLogger(__name__)

T = TypeVar("T")


class HubError(NotedError):
    """A hub does not give what was asked of it."""


def offered(name: str) -> Offered:
    """What the hub has of a model. Fetches nothing.

    Raises HubError: there is no hub, no such model, or none that can be used.
    """
    from huggingface_hub import HfApi, constants

    def ask() -> Any:
        return HfApi(constants.ENDPOINT).model_info(name, files_metadata=True, timeout=_ASKING_SECONDS)

    # In a thread of its own, for looking up a host has no limit.
    return _of_hub(name, lambda: _offer(name, begin("hub", ask).result(_ASKING_SECONDS)))


def pull(offer: Offered, told: Progress) -> None:
    """Fetch the files of a model that are not here yet. `told` hears how far it is.

    Raises HubError: it fails, and what came stays; or a file is not what was offered, and is removed.
    """
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # that it tries again is no matter of whoever waits
    so_far = 0
    for file in sorted(offer.files, key=lambda file: file.bytes):  # what says that it cannot be used comes first
        bar = _bar(told, so_far, offer.bytes)
        path = _of_hub(offer.name, partial(_fetched, offer, file, bar))
        _check(file, path)
        _check_code(offer.name, file.name, path)
        so_far += file.bytes
    _of_hub(offer.name, partial(_point_to, offer))


def _point_to(offer: Offered) -> None:
    """From now on, the model is there."""
    ref = model_folder(offer.name) / "refs" / "main"
    ref.parent.mkdir(exist_ok=True)
    part = ref.with_suffix(".part")
    part.write_text(offer.revision, encoding="utf-8")
    part.replace(ref)


def _offer(name: str, info: Any) -> Offered:
    files = [file for file in info.siblings or () if _is_data(file.rfilename)]
    if not any(file.rfilename == "modules.json" for file in files):
        raise HubError(f"{name} is no sentence-transformers model.")
    if not any(file.rfilename.endswith(".safetensors") for file in files):
        raise HubError(f"{name} has no weights as safetensors, and others are not fetched: they can hold code.")
    if not re.fullmatch(r"[0-9a-f]{40}", info.sha or ""):
        raise ValueError("no commit")
    return Offered(name, _host(), info.sha, tuple(map(_file, files)))


def _is_data(name: str) -> bool:
    path = PurePosixPath(name)
    return path.suffix in _DATA and _OTHER_RUNTIMES.isdisjoint(path.parts)


def _file(file: Any) -> HubFile:
    size, kind, digest = file.size, "git", str(file.blob_id)
    if file.lfs:
        size, kind, digest = file.lfs.size, "sha256", str(file.lfs.sha256)
    if not re.fullmatch(r"[0-9a-f]{40,64}", digest):  # a file is named by it
        raise ValueError("no hash")
    return HubFile(file.rfilename, int(size), kind, digest)


def _fetched(offer: Offered, file: HubFile, bar: Any) -> Path:
    from huggingface_hub import constants, hf_hub_download

    _complete(offer, file, bar)
    cache, hub = cache_folder(), constants.ENDPOINT
    path = hf_hub_download(
        offer.name, file.name, revision=offer.revision, cache_dir=cache, endpoint=hub, tqdm_class=bar
    )
    return Path(path)


def _complete(offer: Offered, file: HubFile, bar: Any) -> None:
    """Fetch what is missing of a file, where hf_hub_download looks for it; that begins anew after whoever is killed."""
    from huggingface_hub import constants, hf_hub_url
    from huggingface_hub.file_download import http_get
    from huggingface_hub.utils._headers import build_hf_headers

    whole = model_folder(offer.name) / "blobs" / file.digest
    part = whole.with_suffix(".part")
    whole.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(whole.with_suffix(".lock")):
        if whole.exists():
            return
        url = hf_hub_url(offer.name, file.name, revision=offer.revision, endpoint=constants.ENDPOINT)
        with part.open("ab") as content:
            if content.tell() > file.bytes:
                content.truncate(0)
            here = content.seek(0, os.SEEK_END)
            http_get(
                url, content, resume_size=here, headers=build_hf_headers(), expected_size=file.bytes, tqdm_class=bar
            )
        part.replace(whole)


def _bar(told: Progress, before: int, whole: int) -> Any:
    """What hears from huggingface_hub how many bytes of a file came, instead of a bar on the screen."""
    from tqdm import tqdm

    class Bar(tqdm):  # type: ignore[misc]
        def __init__(self, *arguments: Any, **how: Any) -> None:
            super().__init__(*arguments, **how | {"disable": True})
            self.bytes = before + int(how.get("initial") or 0)

        def update(self, n: float | None = 1) -> None:
            self.bytes += int(n or 0)
            told(f"{self.bytes / 1e6:,.1f} of {whole / 1e6:,.1f} MB…")

    return Bar


def _check(file: HubFile, path: Path) -> None:
    with path.open("rb") as content:
        if file.algorithm == "sha256":
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        else:
            blob = b"blob %d\0" % path.stat().st_size + content.read()
            digest = hashlib.sha1(blob, usedforsecurity=False).hexdigest()
    if digest != file.digest:
        path.resolve().unlink()
        path.unlink(missing_ok=True)
        raise HubError(f"{file.name} is not what was offered: its hash is another. It was removed; please try again.")


def _check_code(name: str, file: str, path: Path) -> None:
    """Raises HubError: a part of the model is code of its own."""
    if file == "modules.json":
        kinds = [str(module["type"]) for module in json.loads(path.read_text(encoding="utf-8"))]
        if not all(kind.startswith(_OURS) for kind in kinds):
            raise HubError(f"{name} is made of code of its own, which is neither fetched nor run.")


def _of_hub(name: str, ask: Callable[[], T]) -> T:
    """What the hub answers. Raises HubError: it does not, in one sentence that says why."""
    from huggingface_hub import constants
    from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, HFValidationError, RepositoryNotFoundError

    if constants.is_offline_mode():
        raise HubError("Nothing is fetched, because HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE is set. Please unset it.")
    hub = _host()
    try:
        return ask()
    except HubError:
        raise
    except HFValidationError:
        why = f"{name} is no name of a model on a hub, which is like owner/model."
    except GatedRepoError:
        why = f"{hub} gives {name} only to who has agreed to its terms there. Please do, and set HF_TOKEN."
    except RepositoryNotFoundError:
        why = f"{hub} has no model {name}, or not for everybody. For one of your own, please set HF_TOKEN."
    except HfHubHTTPError as error:
        code = error.response.status_code
        refused = f"{hub} wants a key, or refuses the one in HF_TOKEN."
        why = refused if code in {401, 403} else f"{hub} fails ({code}). Please try again later."
    except (TypeError, ValueError, KeyError, AttributeError):
        why = f"{hub} does not answer as a hub of models does."
    except Exception as error:  # whatever goes wrong on the way there
        _log.debug("The hub failed.", exc_info=True)
        if isinstance(error, OSError) and error.strerror:
            why = f"The local cache of models cannot be written: {error.strerror}."
        else:
            why = f"{hub} cannot be reached, or is too slow. What is here stays; please try again."
    raise HubError(why)


def _host() -> str:
    from huggingface_hub import constants

    return urlsplit(constants.ENDPOINT).netloc.rpartition("@")[2]
