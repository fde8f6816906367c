"""Find models in the local cache of huggingface_hub, and download them.

Only data is downloaded: safetensors, JSON, text and tokenizer models; no pickles and no code.
"""

import logging
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from assistant.errors import InputError, NotedError

BUNDLED_ON_HUB = "sentence-transformers/all-MiniLM-L6-v2"
"""The bundled embedder on the hub, if the package with its files is not installed."""
_SECONDS = 5.0  # timeout of the first request
_WHAT: dict[str, Any] = {
    "allow_patterns": ["*.safetensors", "*.json", "*.txt", "*.model", "*.md"],
    "ignore_patterns": ["onnx/*", "openvino/*"],  # the same weights for other runtimes
}


class DownloadError(NotedError):
    """A model cannot be downloaded or used."""


def find_cached(name: str) -> Path | None:
    """Return the folder of a complete sentence-transformers model in the local cache, or None. Makes no request."""
    from huggingface_hub import snapshot_download

    try:
        files = Path(snapshot_download(name, local_files_only=True, **_WHAT))
    except (OSError, ValueError):  # missing, incomplete, or an invalid name
        return None
    return files if (files / "modules.json").is_file() and any(files.glob("*.safetensors")) else None


def pull(name: str = "") -> None:
    """Download a model, or the bundled one, into the local cache; existing files are kept.

    Raises:
        DownloadError: the download failed, or this is not a usable model. Complete files stay.
        InputError: the model needs sentence-transformers, which is not installed.
    """
    from huggingface_hub import HfApi, constants, snapshot_download
    from huggingface_hub.errors import HfHubHTTPError

    if name and find_spec("sentence_transformers") is None:
        raise InputError("embedder.extra_needed")
    if constants.is_offline_mode():
        raise DownloadError("Nothing is fetched, because HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE is set.")
    name = name or BUNDLED_ON_HUB
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # hide warnings about retries
    try:
        HfApi().model_info(name, timeout=_SECONDS)  # its errors have the reason; those of the download do not
        snapshot_download(name, max_workers=1, **_WHAT)
    except HfHubHTTPError as error:
        status = error.response.status_code
        raise DownloadError(
            f"The hub does not give {name} ({status}). Please look at its name and terms there, and set HF_TOKEN for a "
            "gated one; or try again later."
        ) from error
    except Exception as error:  # of the network, the hub or the disk
        why = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
        raise DownloadError(f"{name} cannot be downloaded ({why}). What is here stays; please try again.") from error
    if find_cached(name) is None:
        raise DownloadError(f"{name} is no sentence-transformers model with safetensors; other weights can hold code.")
