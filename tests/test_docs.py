"""The documents cannot lie: what they name is there."""

import dataclasses
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant import settings
from evaluation.command_line import command_line as evaluation
from tests.support.commands import Commands

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


def test_every_picture_that_a_document_shows_is_there() -> None:
    shown = re.compile(r"!\[[^\]]*\]\(([^)]+)\)")
    for document in ROOT.glob("docs/*.md"):
        for picture in shown.findall(document.read_text(encoding="utf-8")):
            assert (document.parent / picture).exists(), f"{document.name}: {picture}"


def test_every_variable_that_a_document_names_is_a_setting() -> None:
    known = {f"NOTED_{field.name.upper()}" for field in dataclasses.fields(settings.Settings)}
    known |= {"NOTED_SOAK"}  # of measurements that were made at 460cd72d
    known |= {"NOTED_SNAPSHOTS"}  # of earlier versions
    for document in (ROOT / "README.md", *ROOT.glob("docs/*.md"), ROOT / "compose.yaml"):
        assert set(re.findall(r"NOTED_[A-Z_]+[A-Z]", document.read_text(encoding="utf-8"))) <= known, document.name


def test_every_setting_is_described() -> None:
    source = Path(settings.__file__).read_text(encoding="utf-8")
    described = re.findall(r"^    (?:(\w+): .*  # [\w`]|# .+\n    (\w+): )", source, re.MULTILINE)
    fields = {field.name for field in dataclasses.fields(settings.Settings)} - {"sources", "on_spaces"}
    assert fields <= {name for names in described for name in names}


# By other tests: a server and a container (test_container), downloads, a measurement of minutes, what asks for a
# password or before it replaces a memory, and what needs a language model or Litestream.
ELSEWHERE = (
    "docker ", "cp ", "make ", "pip ", "noted serve", "noted password", "noted embedder pull",
    "noted models get", "noted questions", "noted models remove", "python -m evaluation perf page",
    "noted restore", "noted forget-practice", "litestream ",
)  # fmt: skip
BOTH = "\n".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("hosting.md", "using.md"))
COMMANDS = re.findall(r"^    (\S.*)$", BOTH, re.MULTILINE)


def test_the_commands_of_the_documents_for_hosts_and_people_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = Commands(tmp_path / "home")
    here = [command for command in COMMANDS if not command.startswith(ELSEWHERE)]
    assert len(here) >= 6
    (tmp_path / "questions.tsv").write_text("question\tanswer\nWho found the ring?\tDana\n", encoding="utf-8")
    app.run("ask", "What is akin to quick?")  # most of them want a memory that is there
    for command in here:
        first, *words = shlex.split(command)
        if first == "noted":
            app.run(*words, text=b"y\n")  # to what some ask first
        else:
            environment = {**os.environ, "PYTHONPATH": str(ROOT)}
            subprocess.run([sys.executable, *words], cwd=tmp_path, env=environment, capture_output=True, check=True)
    targets = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in set(COMMANDS) - set(here):
        if command.startswith("make "):
            assert f"\n{command.split()[1]}:" in targets
        elif command.startswith("noted "):
            app.run(*shlex.split(command)[1:], "--help")
        elif command.startswith("python -m evaluation"):
            assert CliRunner().invoke(evaluation(), [*shlex.split(command)[3:], "--help"]).exit_code == 0


def test_every_command_of_the_readme_exists(tmp_path: Path) -> None:
    commands = re.findall(r"^noted ([a-z]+)", README, re.MULTILINE)
    assert commands
    for command in commands:
        Commands(tmp_path).run(command, "--help")


def test_every_make_target_of_the_documents_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"^make ([a-z]+)", README, re.MULTILINE)) | set(re.findall(r"`make ([a-z-]+)`", README))
    assert named
    assert named <= targets
