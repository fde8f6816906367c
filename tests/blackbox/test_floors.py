"""The decision sets with their results at 460cd72d as floors, each a question lower: which note is found and used.

`python -m evaluation run decisions` measures; nothing is fitted on these sets. Floors are rounded down to two digits,
ceilings up.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.blackbox.noted import ROOT, build_environment

FLOORS = {
    "scripts": {"recall_at.1": 0.75, "recall_at.5": 0.95, "best_f1": 0.76},
    "third": {"recall_at.1": 0.97, "recall_at.5": 0.99, "best_f1": 0.75, "precision": 0.86, "recall": 0.47},
}
CEILINGS = {"scripts": {}, "third": {"look_alikes": 0.08, "unrelated": 0.01}}


NAMES = {
    "recall_at.1": "R@1", "recall_at.5": "R@5", "best_f1": "best F1", "look_alikes": "look-alikes",
    "unrelated": "everyday", "precision": "precision", "recall": "recall",
}  # fmt: skip


@pytest.mark.parametrize("name", ["scripts", pytest.param("third", marks=pytest.mark.quality)])
def test_decisions_keep_their_floors(name: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "evaluation", "run", "decisions", name, "--out", str(out)]
    # One thread: tests run in parallel, and more threads would wait for each other's cores.
    environment = build_environment(tmp_path / "home", {"NOTED_EMBEDDER": "", "OPENBLAS_NUM_THREADS": "1"})
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    methods = json.loads((out / "report.json").read_text(encoding="utf-8"))["tables"][0]
    found = dict(zip(methods["columns"], methods["rows"]["Noted"], strict=True))
    measured = {each: found[column] for each, column in NAMES.items()}
    assert {each: measured[each] for each, floor in FLOORS[name].items() if measured[each] < floor} == {}
    assert {each: measured[each] for each, ceiling in CEILINGS[name].items() if measured[each] > ceiling} == {}
