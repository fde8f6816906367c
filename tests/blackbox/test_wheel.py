"""The built wheel in a fresh environment: the command works from another folder and remembers."""

import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.blackbox.noted import ROOT, run, serve

SOURCES = (
    "app.py",
    "assistant",
    "memory_store",
    "prompts",
    "seed",
    "ui",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "NOTICE",
)
"""Files that the wheel is built from."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy of the repository, which stays clean."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyi"))
        else:
            shutil.copy(ROOT / name, source)
    build = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", "-w", str(target), ".")
    subprocess.run([sys.executable, *build], cwd=source, check=True, capture_output=True)
    (built,) = target.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def noted(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel into its own environment, with the dependencies of this one."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    install = ("-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index", str(wheel))
    subprocess.run([sys.executable, *install], check=True, capture_output=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"], encoding="utf-8")
    return folder / "bin" / "noted"


def test_wheel_holds_product_only(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    roots = {name.partition("/")[0] for name in names if ".dist-info/" not in name}
    assert roots == {"app.py", "assistant", "memory_store", "prompts", "seed", "ui"}
    assert "prompts/connected/system.txt" in names
    assert "seed/demo.jsonl" in names
    assert [name for name in names if name.endswith("licenses/NOTICE")]


def test_installed_command_remembers(noted: Path, tmp_path: Path) -> None:
    home, elsewhere, command = tmp_path / "home", tmp_path / "elsewhere", (str(noted),)
    elsewhere.mkdir()
    assert run(home, "--version", noted=command, cwd=elsewhere).stdout.startswith("noted ")
    first = run(home, "ask", "What does light mean?", noted=command, cwd=elsewhere)
    assert first.returncode == 0, first.stderr
    corrected = run(home, "clarify", "I want the opposite", noted=command, cwd=elsewhere)
    assert corrected.returncode == 0, corrected.stderr
    assert "heavy" in corrected.stdout.lower()
    with serve(home, noted=command, cwd=elsewhere) as (url, process):
        assert url
        again = run(home, "ask", "What does light mean?", noted=command, cwd=elsewhere)
        assert "heavy" in again.stdout.lower(), again.stderr
        maps = Path(f"/proc/{process.pid}/maps").read_text(encoding="utf-8") if sys.platform == "linux" else ""
        assert str(ROOT) + "/assistant" not in maps
