"""The documents cannot lie: what they name is there."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from pathlib import Path

import pytest

from assistant import settings

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_file_that_a_document_names_is_there() -> None:
    named = re.compile(r"(?<![\w./])((?:assistant|memory_store|ui|prompts|docs|tools|tests)/[\w./-]*\w)")
    documents = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "prompts/README.md", *ROOT.glob("docs/**/*.md")]
    missing = {
        f"{document.name}: {name}"
        for document in documents
        for name in named.findall(document.read_text(encoding="utf-8"))
        if not (ROOT / name).exists()
    }
    assert missing == set()


def test_every_setting_is_described() -> None:
    described = set(re.findall(r"^\| (\w+) \| NOTED_", settings.__doc__ or "", re.MULTILINE))
    fields = {field.name for field in dataclasses.fields(settings.Settings)} - {"sources", "on_spaces"}
    assert described == fields


@pytest.mark.parametrize("command", re.findall(r"^python app\.py ([a-z]+)", README, re.MULTILINE))
def test_every_command_of_the_readme_exists(command: str) -> None:
    result = subprocess.run(
        [sys.executable, "app.py", command, "--help"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


def test_every_make_target_of_the_documents_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"^make ([a-z]+)", README, re.MULTILINE)) | set(re.findall(r"`make ([a-z-]+)`", README))
    assert named
    assert named <= targets
