"""The page on embedders cannot lie: its commands work, and what it says of names is so."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_store.embedding.embedder import choose_embedder
from tests.integration.embedder.test_pulling import FILES
from tests.support.commands import Commands
from tests.support.servers.hub import Hub, use

PAGE = (Path(__file__).parents[3] / "docs" / "embedders.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    (\S.*)$", PAGE, re.MULTILINE)
NAME = "intfloat/multilingual-e5-small"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub that has a small model, by the name on the page."""
    with Hub(FILES, NAME) as hub:
        use(hub, tmp_path / "cache", monkeypatch)
        yield hub


@pytest.mark.usefixtures("hub")
def test_every_command_of_the_page_works(tmp_path: Path) -> None:
    assert COMMANDS
    for command in COMMANDS:
        words = shlex.split(command)
        set_to = dict(word.split("=") for word in words if word.startswith("NOTED_"))
        commands = Commands(tmp_path / "home", NOTED_EMBEDDER=set_to.get("NOTED_EMBEDDER", ""))
        shown = commands.run(*words[words.index("noted") + 1 :], text=b"y\n")
        if "pull" in words:
            assert choose_embedder(NAME).name == NAME
        if set_to and "models" in words:
            assert "whose server gets the texts" in shown.stdout
