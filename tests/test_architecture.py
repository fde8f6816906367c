"""The shape of the code: who imports whom, what is light, and how long files are."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).parents[1]
HEAVY = [
    "gradio",
    "torch",
    "lancedb",
    "litellm",
    "openai",
    "sqlalchemy",
    "sentence_transformers",
    "transformers",
    "numpy",
    "pyarrow",
    "mcp",
]


def loaded_by(code: str) -> set[str]:
    """The heavy modules that a fresh process has loaded after running some code."""
    report = f"import sys, json\n{code}\nprint(json.dumps(sorted(set(sys.modules) & set({HEAVY!r}))))"
    result = subprocess.run([sys.executable, "-c", report], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(json.loads(result.stdout.splitlines()[-1]))


def test_imports_point_inwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert lint_imports(config_filename=str(ROOT / "pyproject.toml")) == 0


def test_the_core_is_light() -> None:
    assert loaded_by("import assistant") == set()


def test_the_parts_are_put_together_without_loading_what_is_heavy(tmp_path: Path) -> None:
    code = (
        f"import app; from assistant import Settings; app.compose(Settings.load({{}}, home={str(tmp_path)!r})).close()"
    )
    assert loaded_by(code) & {"torch", "lancedb", "litellm", "openai", "sentence_transformers", "gradio"} == set()


def test_the_page_does_not_wait_for_the_doors_of_programs() -> None:
    code = "import app\nfrom ui.imports import without\nwith without('mcp'):\n    import ui.serve"
    assert "mcp" not in loaded_by(code)
    assert "mcp" in loaded_by(f"{code}\nimport ui.mcp_door")


def test_files_are_short() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for folder in ("assistant", "memory_store", "ui", "tools", "evaluation")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".js", ".css"}
    }
    assert {name: length for name, length in lengths.items() if length > 380} == {}
    assert len((ROOT / "app.py").read_text(encoding="utf-8").splitlines()) <= 120
