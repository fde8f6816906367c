"""The ledger is synced to disk before "Saved" is reported: observed in the system calls of a process."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.promise("saved-is-on-disk")

SAVES = 8
CALL = re.compile(r'(?P<call>\w+)\(\d+<(?P<path>[^>]*)>(?:, "(?P<data>[^"]*))?.*\) = (?P<result>-?\d+)')


def traced(folder: Path) -> list[str]:
    """Return the writes and syncs of the thread that reports "saved", call by call."""
    strace = shutil.which("strace")
    if strace is None:
        say = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        say("It was not tested that what is saved is on the disk: there is no strace.")
    # A file per thread, and no stops at other calls, most of which are imports.
    command = [strace, "-ff", "--seccomp-bpf", "-y", "-s", "64", "-e", "trace=write,pwrite64,fsync,fdatasync"]
    command += ["-o", str(folder / "trace")]
    program = [sys.executable, "-m", "tests.support.damage.report_saves", str(folder), str(folder / "said"), str(SAVES)]
    ended = subprocess.run([*command, *program], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, f"strace could not trace the process: {ended.stderr}"
    traces = [path.read_text(encoding="utf-8", errors="replace") for path in folder.glob("trace.*")]
    return next(trace for trace in traces if "/said>" in trace).splitlines()


def test_saved_is_said_after_the_sync(tmp_path: Path) -> None:
    on_disk, wrote, acknowledged, unsynced = False, False, 0, []
    for line in traced(tmp_path):
        call = CALL.match(line)
        if call is None:
            continue
        path, data = call["path"], call["data"] or ""
        if path.endswith("/said") and data.startswith("begins"):
            on_disk, wrote = False, False
        elif path.endswith("/said"):
            acknowledged += 1
            if not (wrote and on_disk):
                unsynced.append(data)
        elif path.endswith("/ledger.db-wal"):  # commits go here first, and later to the ledger itself
            is_sync = call["call"] in {"fsync", "fdatasync"}
            wrote, on_disk = wrote or not is_sync, is_sync and call["result"] == "0"
    assert unsynced == []
    assert acknowledged == SAVES
