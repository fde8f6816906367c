"""A new experiment is a folder of its own: it is found, runs and is reported, and no other file names it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import evaluation
from evaluation.command_line import command_line

ROOT = Path(__file__).parents[3]


def test_a_folder_with_a_task_and_a_teacher_is_found_and_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTED_EMBEDDER", "none")
    monkeypatch.setattr(evaluation, "__path__", [*evaluation.__path__, str(ROOT / "tests" / "support" / "experiments")])
    page = tmp_path / "shares.json"
    ran = CliRunner().invoke(command_line(), ["run", "akin", "--out", str(tmp_path)])
    assert (ran.exit_code, ran.stdout) == (0, f"{page}\n"), ran.output
    assert json.loads(page.read_text(encoding="utf-8")) == {"synonym": 2 / 3, "practice": 0, "test": 1, "all": 2 / 3}
    page.unlink()
    assert CliRunner().invoke(command_line(), ["report", str(tmp_path)]).stdout == f"{page}\n"


def test_the_commands_are_found_without_loading_what_is_heavy() -> None:
    code = "import sys\nfrom evaluation.command_line import command_line\ncommand_line()\nprint(*sys.modules)"
    listed = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(listed.stdout.split())
    assert "evaluation.memprompt.commands" in loaded
    assert loaded & {"gradio", "lancedb", "litellm", "matplotlib", "numpy", "openai", "torch"} == set()
