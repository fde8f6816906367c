"""The architecture: imports between packages, light imports, and lengths of files."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEAVY = {
    "gradio", "huggingface_hub", "lancedb", "litellm", "mcp", "numpy", "openai", "pyarrow", "sentence_transformers",
    "sqlalchemy", "torch", "transformers", "xllamacpp",
}  # fmt: skip


def loaded_by(code: str) -> set[str]:
    """Return the heavy modules loaded in a fresh process after running some code."""
    report = f"import sys, json\n{code}\nprint(json.dumps(sorted(set(sys.modules) & {HEAVY!r})))"
    result = subprocess.run([sys.executable, "-c", report], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(json.loads(result.stdout.splitlines()[-1]))


def test_imports_point_inwards() -> None:
    # In its own process: it disables every logger.
    command = [Path(sys.executable).with_name("lint-imports")]
    linted = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert linted.returncode == 0, linted.stdout


def test_the_core_is_light() -> None:
    assert loaded_by("import assistant") == set()


def test_the_parts_are_put_together_without_loading_what_is_heavy(tmp_path: Path) -> None:
    code = (
        f"import app; from assistant import Settings; app.compose(Settings.load({{}}, home={str(tmp_path)!r})).close()"
    )
    assert loaded_by(code) <= {"numpy", "sqlalchemy"}


def test_the_page_waits_neither_for_the_doors_of_programs_nor_for_what_is_heavy() -> None:
    code = (
        "import app\nfrom pathlib import Path\nfrom ui.server.process import import_gradio_lightly\n"
        "given, suffixes = Path.with_suffix, []\n"
        "Path.with_suffix = lambda path, suffix: suffixes.append(suffix) or given(path, suffix)\n"
        "with import_gradio_lightly():\n    import ui.serve\nassert '.pyi' not in suffixes\n"
        "assert 'mcp' not in sys.modules\nimport ui.programs.mcp_api"
    )
    assert loaded_by(code) & {"mcp", "torch", "lancedb", "litellm", "sentence_transformers"} == {"mcp"}


def test_every_reply_passes_the_filter() -> None:
    readers = [
        path.read_text(encoding="utf-8")
        for path in (ROOT / "assistant").rglob("*.py")
        if "models" not in path.relative_to(ROOT).parts and ".stream(" in path.read_text(encoding="utf-8")
    ]
    assert len(readers) > 2
    assert all("from assistant.reply.filter import " in reader for reader in readers)


def test_files_are_short() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for folder in ("assistant", "memory_store", "ui", "tools", "evaluation")
        for path in [ROOT / "app.py", *(ROOT / folder).rglob("*")]
        if path.suffix in {".py", ".js", ".css"}
    }
    assert {name: length for name, length in lengths.items() if length > 450} == {}


def test_rooms_are_no_halls() -> None:
    for package in ("assistant", "memory_store", "ui", "evaluation", "tools", "tests"):
        for folder in {path.parent for path in (ROOT / package).rglob("*.py")}:
            files = [path.name for path in folder.iterdir() if path.is_file() and path.suffix != ".pyc"]
            assert len(files) <= 15, (folder, files)
