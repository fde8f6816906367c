"""Models of a hub: those in the local cache, and the download of one by huggingface_hub.

Only data is fetched: weights as safetensors, JSON, texts, and the models of tokenizers; no pickles and no code.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from assistant.errors import InputError, NotedError

BUNDLED_ON_HUB = "sentence-transformers/all-MiniLM-L6-v2"
"""The bundled embedder, for where the package that carries it is not installed."""
_SECONDS = 5.0  # for what the hub has
_DATA = ["*.safetensors", "*.json", "*.txt", "*.model", "*.md"]
_OTHER_RUNTIMES = ["onnx/*", "openvino/*"]  # folders with the same weights for these
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
        return files if (files / "modules.json").is_file() and any(files.glob("*.safetensors")) else None
    return None


def pull(name: str = "") -> None:
    """Download a model, or the bundled one, into the local cache; what is there is not fetched again.

    Raises:
        HubError: it fails, and what came stays; or it is no model that can be used.
        InputError: the model needs sentence-transformers, which is not installed.
    """
    from huggingface_hub import HfApi, constants, snapshot_download

    if name and find_spec("sentence_transformers") is None:
        raise InputError("embedder.extra_needed")
    name = name or BUNDLED_ON_HUB
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # that it tries again is no matter of whoever waits
    with _plain_errors(name):
        revision = str(HfApi(constants.ENDPOINT).model_info(name, timeout=_SECONDS).sha)
        snapshot_download(
            name,
            revision=revision,
            cache_dir=cache_folder(),
            endpoint=constants.ENDPOINT,
            allow_patterns=_DATA,
            ignore_patterns=_OTHER_RUNTIMES,
            max_workers=1,
        )
    ref = cache_folder() / (_MODEL + name.replace("/", "--")) / "refs" / "main"
    ref.parent.mkdir(exist_ok=True)
    ref.write_text(revision, encoding="utf-8")  # last: what was broken off before is not there
    if cached(name) is None:
        ref.unlink()
        raise HubError(f"{name} is no sentence-transformers model with safetensors; other weights can hold code.")


@contextmanager
def _plain_errors(name: str) -> Iterator[None]:
    """Turn whatever goes wrong on the way to a hub into HubError, in one sentence that says why."""
    from huggingface_hub import constants
    from huggingface_hub.errors import HfHubHTTPError

    if constants.is_offline_mode():
        raise HubError("Nothing is fetched, because HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE is set. Please unset it.")
    hub = urlsplit(constants.ENDPOINT).netloc.rpartition("@")[2]
    try:
        yield
        return
    except HfHubHTTPError as error:
        why = (
            f"{hub} does not give {name} ({error.response.status_code}). Please look at its name and terms there, and "
            "set HF_TOKEN for one that not everybody gets; or try again later."
        )
    except Exception as error:  # whatever goes wrong on the way there
        _log.debug("The hub failed.", exc_info=True)
        why = f"{hub} cannot be reached, is too slow, or is no hub of models. What is here stays; please try again."
        if isinstance(error, OSError) and error.strerror:
            why = f"The local cache of models cannot be written: {error.strerror}."
    raise HubError(why)
