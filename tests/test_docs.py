"""Documents: named files, settings and commands exist, links resolve, and code blocks run."""

import dataclasses
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant import settings
from evaluation.command_line import command_line as evaluation
from tests.support.commands import Commands

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "prompts/README.md", ROOT / "evaluation/README.md"]
TEXTS = {page: page.read_text(encoding="utf-8") for page in PAGES}
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
EXTRAS = set(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"])

# They need a network, a model, a terminal or a server: their names and options are checked; other tests run them.
PARSED_ONLY = (
    "serve", "mcp", "password", "embedder pull", "models get", "models remove", "questions", "restore",
    "forget-practice",
)  # fmt: skip
OTHER_TOOLS = ("docker", "litestream", "export", "cp", ".venv/bin/")


def blocks(language: str) -> list[tuple[Path, str]]:
    """Return the code blocks of all pages in a language; `tests/ui/actions/test_api_page.py` runs those of api.md."""
    block = re.compile(rf"^```{language}\n(.*?)^```", re.MULTILINE | re.DOTALL)
    return [(page, code) for page, text in TEXTS.items() if page.name != "api.md" for code in block.findall(text)]


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", TEXTS[page], re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working directory, with the files that the commands name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text("Dana works in Pune.\n", encoding="utf-8")
    (tmp_path / "answers.txt").write_text("Pune\n", encoding="utf-8")
    (tmp_path / "facts.csv").write_text("subject,relation,object\nDana,works in,Pune\n", encoding="utf-8")
    (tmp_path / "questions.tsv").write_text("question\tanswer\nWho found the ring?\tDana\n", encoding="utf-8")
    return tmp_path


def test_named_files_exist() -> None:
    named = re.compile(r"(?<![\w./])((?:assistant|memory_store|ui|prompts|docs|tools|tests)/[\w./-]*\w)")
    pages = {page: text for page, text in TEXTS.items() if page.name != "CHANGELOG.md"}
    missing = {f"{page.name}: {name}" for page, text in pages.items() for name in named.findall(text)}
    assert {line for line in missing if not (ROOT / line.partition(": ")[2]).exists()} == set()


def test_links_lead_somewhere() -> None:
    for page, text in TEXTS.items():
        for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([\w-]+))?\)", text):
            file = (page.parent / target).resolve() if target else page
            assert file.exists(), f"{page.name}: {target}"
            assert not anchor or anchor in anchors(file), f"{page.name}: {target}#{anchor}"


def test_variables_are_settings() -> None:
    known = {f"NOTED_{field.name.upper()}" for field in dataclasses.fields(settings.Settings)}
    for document in (ROOT / "README.md", *ROOT.glob("docs/*.md"), ROOT / "compose.yaml"):
        assert set(re.findall(r"NOTED_[A-Z_]+[A-Z]", document.read_text(encoding="utf-8"))) <= known, document.name


def test_every_setting_is_described() -> None:
    source = Path(settings.__file__).read_text(encoding="utf-8")
    described = re.findall(r"^    (?:(\w+): .*  # [\w`]|# .+\n    (\w+): )", source, re.MULTILINE)
    fields = {field.name for field in dataclasses.fields(settings.Settings)} - {"sources", "on_spaces"}
    assert fields <= {name for names in described for name in names}


def test_make_targets_exist() -> None:
    assert {target for text in TEXTS.values() for target in re.findall(r"`make ([a-z-]+)`", text)} <= TARGETS


def check(command: str, app: Commands) -> None:
    """Run a command of a shell block where it can run here; else check its name and options."""
    tool, *words = shlex.split(re.sub(r"^(?:[A-Z_]+=\S+ )+", "", command))
    if tool == "noted" and words:
        ask_for_help = ["--help"] if " ".join(words).startswith(PARSED_ONLY) else []
        app.run(*words, *ask_for_help, text=b"y\n")  # yes to what some ask first
    elif tool == "make":
        assert words[0] in TARGETS, command
    elif tool == "pip":
        assert set(re.findall(r"\w+", "".join(re.findall(r"\[(.*?)\]", command)))) <= EXTRAS, command
    elif words[:2] == ["-m", "evaluation"]:
        assert CliRunner().invoke(evaluation(), [*words[2:], "--help"]).exit_code == 0, command
    else:
        assert tool == "noted" or tool.startswith(OTHER_TOOLS), command


def test_shell_blocks_run(folder: Path) -> None:
    apps = {page: Commands(folder / page.stem) for page, _ in blocks("sh")}
    for page, code in blocks("sh"):
        apps[page].run("ask", "What is akin to quick?")  # most commands want a memory with something in it
        for command in code.splitlines():
            for part in command.split(" && "):
                check(part, apps[page])


def test_console_blocks_print_what_they_show(folder: Path) -> None:
    apps = {page: Commands(folder / page.stem) for page, _ in blocks("console")}
    for page, code in blocks("console"):
        for command, shown in re.findall(r"^\$ noted (.*)\n((?:[^$].*\n)*)", code, re.MULTILINE):
            printed = apps[page].run(*shlex.split(command)).stdout.splitlines()
            assert set(shown.splitlines()) <= set(printed), (command, printed)


def test_python_blocks_run(folder: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NOTED_HOME": str(folder / "home"), "NOTED_EMBEDDER": "none"}
    for _, code in blocks("python"):
        subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, check=True)
