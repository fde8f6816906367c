"""Write `requirements.txt`: the app with PostgreSQL and object storage, in the versions of `constraints.txt`.

Each pin has the hashes of all files of that version, for every machine, as the package index tells them to uv; pip then
takes no other file.

python -m tools.requirements
"""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
FILE = ROOT / "requirements.txt"
_HEAD = "# Made by `python -m tools.requirements`: the app, as in constraints.txt."
_HASHED = (*(sys.executable, "-m", "uv", "pip", "compile", "-"), "--quiet", "--no-deps", "--generate-hashes")
# Whichever machine makes the file, it is for this one.
_THERE = {"platform_system": "Linux", "sys_platform": "linux", "platform_machine": "x86_64", "os_name": "posix"}


def pins() -> list[str]:
    """The packages of the file in their versions, in order."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = told["optional-dependencies"]
    wanted = [*told["dependencies"], *extras["postgres"], *extras["s3"]]
    versions = dict(_versions((ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()))
    return [f"{name}=={versions[name]}" for name in sorted(_closure(wanted))]


def hashed(wanted: Iterable[str]) -> str:
    """Lines of a file of requirements with hashes. Asks the package index."""
    told = "\n".join(wanted)
    command = (*_HASHED, "--no-header", "--no-annotate", "--python-version", "3.11")
    return subprocess.run(command, input=told, capture_output=True, text=True, check=True).stdout  # noqa: S603


def _closure(wanted: Iterable[str]) -> set[str]:
    """Names of all packages that these need, and they themselves."""
    known: set[tuple[str, frozenset[str]]] = set()
    left = [Requirement(one) for one in wanted]
    while left:
        one = left.pop()
        name, extras = canonicalize_name(one.name), frozenset(one.extras)
        if (name, extras) in known:
            continue
        known.add((name, extras))
        for further in map(Requirement, requires(name) or []):
            environments = [{**_THERE, "extra": extra} for extra in ("", *extras)]
            if further.marker is None or any(map(further.marker.evaluate, environments)):
                left.append(further)
    return {name for name, _ in known}


def _versions(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    for line in lines:
        if found := re.fullmatch(r"([\w.-]+)==(\S+)", line):
            yield canonicalize_name(found[1]), found[2]


if __name__ == "__main__":
    FILE.write_text(f"{_HEAD}\n{hashed(pins())}", encoding="utf-8")
