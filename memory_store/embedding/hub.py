"""Models of a hub: those in the local cache, what the hub offers, and its download by huggingface_hub.

Only data is fetched: weights as safetensors, JSON, texts, and the models of tokenizers; no pickles and no code.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from assistant.errors import NotedError
from assistant.reports.embedders import Offered
from assistant.reports.upkeep import Progress
from memory_store.background import begin

_ASKING_SECONDS = 5.0  # for what the hub has; it may take longer to look up a host that is not there
_DATA = ("*.safetensors", "*.json", "*.txt", "*.model", "*.md")
_OTHER_RUNTIMES = ("onnx/*", "openvino/*")  # folders with the same weights for these
_OURS = "sentence_transformers."  # what the parts of a model are, where it needs no code of its own
_MODEL = "models--"

_log = logging.getLogger(__name__)


class HubError(NotedError):
    """A hub does not give what was asked of it."""


def cache_folder() -> Path:
    """Return where the local cache of models is; it may not be there."""
    named = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface"
    return Path(os.path.expandvars(named or Path(home) / "hub")).expanduser()


def cached(name: str) -> Path | None:
    """Return the folder of a sentence-transformers model in the local cache, or None. Asks nobody."""
    folder = cache_folder() / (_MODEL + name.replace("/", "--"))
    with suppress(OSError, ValueError):  # not there, or no possible name of a model
        files = folder / "snapshots" / (folder / "refs" / "main").read_text(encoding="utf-8").strip()
        return files if (files / "modules.json").is_file() else None
    return None


def cached_names() -> list[str]:
    """Return the names of the sentence-transformers models in the local cache."""
    folders = cache_folder().glob(f"{_MODEL}*")
    names = (folder.name.removeprefix(_MODEL).replace("--", "/") for folder in folders)
    return sorted(name for name in names if cached(name))


def offered(name: str) -> Offered:
    """Return what the hub has of a model. Raises HubError: there is no hub, no such model, or none that can be used."""
    from huggingface_hub import HfApi, constants

    def ask() -> Any:
        return HfApi(constants.ENDPOINT).model_info(name, files_metadata=True, timeout=_ASKING_SECONDS)

    with _of_hub(name):
        info = begin("hub", ask).result(_ASKING_SECONDS)  # in a thread of its own: looking up a host has no limit
        sizes = {file.rfilename: int(file.size) for file in info.siblings if _is_data(file.rfilename)}
        large = (file for file in info.siblings if file.rfilename in sizes and file.lfs)
        weights = {file.rfilename: str(file.lfs.sha256) for file in large}
        if not re.fullmatch(r"[0-9a-f]{40}", info.sha or ""):  # it names a folder
            raise ValueError("no commit")
        if "modules.json" not in sizes:
            raise HubError(f"{name} is no sentence-transformers model.")
        if not any(file.endswith(".safetensors") for file in sizes):
            raise HubError(f"{name} has no weights as safetensors, and others are not fetched: they can hold code.")
        return Offered(name, _host(), str(info.sha), sum(sizes.values()), len(sizes), weights)


def pull(offer: Offered, told: Progress) -> None:
    """Download a model into the local cache; what is there is not fetched again. `told` hears how far it is.

    Raises HubError: it fails, and what came stays; it needs code of its own; or a file is not what was offered, and is
    removed.
    """
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # that it tries again is no matter of whoever waits
    _check_code(offer.name, _downloaded(offer, ["modules.json"], told))
    folder = _downloaded(offer, _DATA, told)
    for file, sha256 in offer.weights.items():
        with suppress(FileNotFoundError), (folder / file).open("rb") as content:
            if hashlib.file_digest(content, "sha256").hexdigest() == sha256:
                continue
        (folder / file).resolve().unlink(missing_ok=True)
        (folder / file).unlink(missing_ok=True)
        raise HubError(f"{file} is not what was offered: its hash is another. It was removed; please try again.")
    ref = cache_folder() / (_MODEL + offer.name.replace("/", "--")) / "refs" / "main"
    ref.parent.mkdir(exist_ok=True)
    ref.write_text(offer.revision, encoding="utf-8")  # from now on, the model is there


def _downloaded(offer: Offered, wanted: Sequence[str], told: Progress) -> Path:
    from huggingface_hub import constants, snapshot_download

    with _of_hub(offer.name):
        folder = snapshot_download(
            offer.name,
            revision=offer.revision,
            cache_dir=cache_folder(),
            endpoint=constants.ENDPOINT,
            allow_patterns=list(wanted),
            ignore_patterns=list(_OTHER_RUNTIMES),
            tqdm_class=_bar(told),
            max_workers=1,
        )
        return Path(folder)


def _is_data(name: str) -> bool:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:  # it would lie outside of the model's folder
        return False
    return any(fnmatch(name, some) for some in _DATA) and not any(fnmatch(name, some) for some in _OTHER_RUNTIMES)


def _bar(told: Progress) -> Any:
    """Return what hears from huggingface_hub how much has come, instead of a bar on the screen."""
    from tqdm import tqdm

    class Bar(tqdm):  # type: ignore[misc]
        def __init__(self, *arguments: Any, **how: Any) -> None:
            super().__init__(*arguments, **how | {"disable": True})
            self.is_bytes, self.done = how.get("unit") == "B", int(how.get("initial") or 0)

        def update(self, n: float | None = 1) -> None:
            self.done += int(n or 0)
            if self.is_bytes:
                told(f"{self.done / 1e6:,.1f} MB…")

    return Bar


def _check_code(name: str, folder: Path) -> None:
    kinds = [str(module["type"]) for module in json.loads((folder / "modules.json").read_text(encoding="utf-8"))]
    if not all(kind.startswith(_OURS) for kind in kinds):
        raise HubError(f"{name} is made of code of its own, which is neither fetched nor run.")


@contextmanager
def _of_hub(name: str) -> Iterator[None]:
    """Turn whatever goes wrong on the way to a hub into HubError, in one sentence that says why."""
    from huggingface_hub import constants
    from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, HFValidationError, RepositoryNotFoundError

    if constants.is_offline_mode():
        raise HubError("Nothing is fetched, because HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE is set. Please unset it.")
    hub = _host()
    try:
        yield
        return
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
