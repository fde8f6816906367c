"""A Python without torch and the packages that need it."""

from pathlib import Path

_SITE = """
from importlib.machinery import PathFinder
found = PathFinder.find_spec
MISSING = {missing!r}
PathFinder.find_spec = classmethod(
    lambda cls, name, *rest: None if name.partition(".")[0] in MISSING else found(name, *rest)
)
"""


def without_torch(folder: Path, *further: str) -> str:
    """Return a folder for PYTHONPATH that hides these packages, and `further` ones."""
    missing = {"torch", "transformers", "sentence_transformers", "scipy", "sklearn", *further}
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(_SITE.format(missing=missing), encoding="utf-8")
    return str(folder)
