"""A full or read-only disk: a refused change returns a sentence and changes nothing.

Reading continues, nothing acknowledged is lost, and writing resumes once there is space.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.promise("full-disk-loses-nothing")

POINTS = 2  # per disk
SENTENCES = {
    "The disk is full. Nothing was changed; free some space and try again.",
    "This memory is read-only. Nothing was changed.",
    "The memory can’t be reached right now. Nothing was changed; try again.",
    "The index isn’t ready. Nothing is lost; searching by wording still works.",
}
_OWN_MOUNTS = ("unshare", "--user", "--map-root-user", "--mount")


def may_mount() -> bool:
    return bool(shutil.which("unshare")) and subprocess.run([*_OWN_MOUNTS, "true"], check=False).returncode == 0


def test_full_disk_loses_nothing(tmp_path: Path, seed: int) -> None:
    mounts = may_mount()
    command = [*(_OWN_MOUNTS if mounts else ()), sys.executable, "-m", "tests.support.damage.full_disk"]
    disks = ["limited", *(["small", "read-only"] if mounts else [])]
    ended = subprocess.run(
        [*command, str(tmp_path), str(POINTS), str(seed), *disks], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    told = {line.split(maxsplit=1)[1] for line in ended.stdout.splitlines()}
    assert told
    assert told <= SENTENCES
    if not mounts:
        pytest.skip("This system does not let the test mount file systems of its own: only one disk was tried.")
