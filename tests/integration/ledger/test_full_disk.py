"""A disk that is full or can only be read: what is refused is said in a sentence, and has changed nothing.

Reading goes on, nothing acknowledged is lost, and once there is space again all goes on by itself.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.sizes import size

POINTS = size(3, 50)  # on each of the three disks
SENTENCES = {
    "The disk is full. Nothing was changed; please free some space and try again.",
    "The memory can only be read here. Nothing was changed.",
    "The memory cannot be reached right now. Nothing was changed; please try again.",
    "The index is not ready. Nothing is lost; searching by wording still works.",
}
_OWN_MOUNTS = ("unshare", "--user", "--map-root-user", "--mount")


def may_mount() -> bool:
    return bool(shutil.which("unshare")) and subprocess.run([*_OWN_MOUNTS, "true"], check=False).returncode == 0


@pytest.mark.parametrize("disk", ["limited", "small", "read-only"])
def test_what_does_not_fit_is_refused_in_a_sentence_and_the_rest_goes_on(tmp_path: Path, seed: int, disk: str) -> None:
    prefix = () if disk == "limited" else _OWN_MOUNTS
    if prefix and not may_mount():
        pytest.skip("This system does not let the test mount a file system of its own.")
    program = [sys.executable, "-m", "tests.support.full_disk", disk, str(tmp_path / "home"), str(POINTS), str(seed)]
    ended = subprocess.run([*prefix, *program], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    told = {line.split(maxsplit=1)[1] for line in ended.stdout.splitlines()}
    assert told
    assert told <= SENTENCES
    print(f"{POINTS} points, and what was said there:\n{ended.stdout}")
