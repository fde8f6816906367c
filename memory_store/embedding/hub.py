"""Models of a hub: those in the local cache, and the download of one by huggingface_hub.

Only data is fetched: weights as safetensors, JSON, texts, and the models of tokenizers; no pickles and no code.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from assistant.errors import InputError, NotedError

BUNDLED_ON_HUB = "sentence-transformers/all-MiniLM-L6-v2"
"""The bundled embedder, for where the package that carries it is not installed."""
_SECONDS = 5.0  # for what the hub has
_WHAT: dict[str, Any] = {
    "allow_patterns": ["*.safetensors", "*.json", "*.txt", "*.model", "*.md"],
    "ignore_patterns": ["onnx/*", "openvino/*"],  # the same weights for other runtimes
}

_log = logging.getLogger(__name__)


class HubError(NotedError):
    """A hub does not give what was asked of it."""


def cached(name: str) -> Path | None:
    """Return the folder of a sentence-transformers model that is whole in the local cache, or None. Asks nobody."""
    from huggingface_hub import snapshot_download

    try:
        files = Path(snapshot_download(name, local_files_only=True, **_WHAT))
    except (OSError, ValueError):  # not there or broken off, or no possible name of a model
        return None
    return files if (files / "modules.json").is_file() and any(files.glob("*.safetensors")) else None


def pull(name: str = "") -> None:
    """Download a model, or the bundled one, into the local cache; what is there is not fetched again.

    Raises:
        HubError: it fails, and what came stays; or it is no model that can be used.
        InputError: the model needs sentence-transformers, which is not installed.
    """
    from huggingface_hub import HfApi, snapshot_download

    if name and find_spec("sentence_transformers") is None:
        raise InputError("embedder.extra_needed")
    name = name or BUNDLED_ON_HUB
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # that it tries again is no matter of whoever waits
    with _plain_errors(name):
        HfApi().model_info(name, timeout=_SECONDS)  # it says what is wrong, where a download only finds nothing
        snapshot_download(name, max_workers=1, **_WHAT)
    if cached(name) is None:
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
