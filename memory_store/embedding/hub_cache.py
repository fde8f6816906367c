"""The local cache of models from a hub, as huggingface_hub lays it out. Read without that library: it takes .2 s to import.

    models--owner--name/refs/main                 the commit that counts
    models--owner--name/snapshots/COMMIT/…        its files
"""

import os
from pathlib import Path

_MODEL = "models--"


def cache_folder() -> Path:
    """Where it is; it may not be there."""
    home = os.environ.get("HF_HOME") or os.path.join(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    named = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    return Path(os.path.expandvars(os.path.expanduser(named or os.path.join(home, "hub"))))


def model_folder(name: str) -> Path:
    """All that there is of a model, or would be."""
    return cache_folder() / (_MODEL + name.replace("/", "--"))


def cached(name: str) -> Path | None:
    """The files of a sentence-transformers model; None where there is none of this name."""
    folder = model_folder(name)
    try:
        files = folder / "snapshots" / (folder / "refs" / "main").read_text(encoding="utf-8").strip()
        return files if (files / "modules.json").is_file() else None
    except (OSError, ValueError):  # not there, or no possible name of a model
        return None


def cached_names() -> list[str]:
    """Names of the sentence-transformers models that are there."""
    folders = cache_folder().glob(f"{_MODEL}*")
    names = (folder.name.removeprefix(_MODEL).replace("--", "/") for folder in folders)
    return sorted(name for name in names if cached(name))
