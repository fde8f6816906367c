"""The page on embedders cannot lie: its commands work, and what it says of names and folders is so."""

import re
import shlex
from pathlib import Path

import pytest

from evaluation.embedders.trial import trial_embedders
from tests.support.commands import Commands

PAGE = (Path(__file__).parents[3] / "docs" / "embedders.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    (\S.*)$", PAGE, re.MULTILINE)
NAME = "intfloat/multilingual-e5-small"
WHOLE_FIT = f"python app.py embedder fit {NAME}"


def test_every_command_of_the_page_works(tmp_path: Path) -> None:
    folder = str(trial_embedders(tmp_path / "trial", ["layers-2"])["layers-2"])
    assert WHOLE_FIT in COMMANDS
    for command in COMMANDS:
        words = shlex.split(command.replace(NAME, folder))
        set_to = dict(word.split("=") for word in words if word.startswith("NOTED_"))
        arguments = words[words.index("app.py") + 1 :]
        if command == WHOLE_FIT:  # minutes; the quick look does the same with fewer questions
            arguments.append("--help")
        shown = Commands(tmp_path / "home", NOTED_EMBEDDER=set_to.get("NOTED_EMBEDDER", "")).run(*arguments)
        if "models" in arguments:
            assert "whose server gets the texts" in shown.stdout
        if "60" in arguments:
            assert [line.split()[0] for line in shown.stdout.splitlines()[1:5]] == [
                "third", "fourth", "fifth", "scripts",
            ]  # fmt: skip
            assert "--undo" in shown.stderr


@pytest.mark.parametrize("provider", ["openai", "ollama"])
def test_a_name_of_a_provider_is_behind_an_api(tmp_path: Path, provider: str) -> None:
    (name,) = re.findall(rf"`({provider}/[\w-]*embed[\w-]*)`", PAGE)[:1]
    shown = Commands(tmp_path, NOTED_EMBEDDER=name).run("models").stdout
    assert name in shown
    assert "whose server gets the texts" in shown
