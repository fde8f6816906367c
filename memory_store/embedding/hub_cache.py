"""The local cache of models from a hub, as huggingface_hub lays it out; that library takes .2 s to import.

Of a model, `models--owner--name/refs/main` names the commit that counts, and its files are in
`models--owner--name/snapshots/COMMIT`.
"""

import os
from pathlib import Path

_MODEL = "models--"


def cache_folder() -> Path:
    """Where it is; it may not be there."""
    named = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface"
    return Path(os.path.expandvars(named or Path(home) / "hub")).expanduser()


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
