"""The decision sets with their numbers at 460cd72d as floors, each a question lower: which note is found for what.

`python -m evaluation decisions` measures; nothing is fitted on these sets. A floor is the measured number, rounded down
to two places, and a ceiling rounded up.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.blackbox.noted import ROOT, environment_of

DATA = ROOT / "evaluation" / "data"
FLOORS = {
    "scripts": {"recall_at.1": 0.75, "recall_at.5": 0.95, "best_f1": 0.76},
    "third": {"recall_at.1": 0.97, "recall_at.5": 0.99, "best_f1": 0.75, "precision": 0.86, "recall": 0.47},
}
CEILINGS = {"scripts": {}, "third": {"look_alikes": 0.08, "unrelated": 0.01}}


@pytest.mark.parametrize("name", ["scripts", pytest.param("third", marks=pytest.mark.quality)])
def test_decisions_keep_their_floors(name: str, tmp_path: Path) -> None:
    report, keys = tmp_path / "report.json", DATA / f"{name}_keys.jsonl"
    command = [sys.executable, "-m", "evaluation", "decisions", "--entries", str(DATA / f"{name}_entries.jsonl")]
    command += ["--questions", str(DATA / f"{name}_questions.jsonl"), "--out", str(tmp_path / "out.jsonl")]
    command += ["--report", str(report), *(["--keys", str(keys)] if keys.exists() else [])]
    # Tests run side by side: threads of this one would take their cores, and wait for each other.
    environment = environment_of(tmp_path / "home", {"NOTED_EMBEDDER": "", "OPENBLAS_NUM_THREADS": "1"})
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    noted = json.loads(report.read_text(encoding="utf-8"))["methods"][0]
    assert noted["name"] == "Noted"
    measured = {**noted, **{f"recall_at.{place}": share for place, share in noted["recall_at"].items()}}
    assert {each: measured[each] for each, floor in FLOORS[name].items() if measured[each] < floor} == {}
    assert {each: measured[each] for each, ceiling in CEILINGS[name].items() if measured[each] > ceiling} == {}
