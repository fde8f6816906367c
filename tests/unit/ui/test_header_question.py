"""Commands that read a table ask in a terminal whether its first line is the header."""

from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from tests.support.commands import Commands

pytestmark = pytest.mark.promise("editors-files-are-read")


@pytest.mark.parametrize(("typed", "saved"), [(True, 1), (False, 2)])
def test_terminal_is_asked_for_the_header(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: bool, saved: int
) -> None:
    file = tmp_path / "family.csv"
    file.write_text("Who,what,whom\nDana,works in,Pune\n", encoding="utf-8")
    commands = Commands(tmp_path)
    without = commands.run("import-sheet", str(file))
    assert "It was taken as one and left out; say --no-header if it is none." in without.stderr
    confirm = Mock(return_value=typed)
    terminal = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr("ui.terminal.commands.confirm", confirm)
    monkeypatch.setattr("ui.terminal.commands.sys", SimpleNamespace(stdin=terminal, stderr=terminal))
    assert commands.json("import-sheet", str(file), "--user", "somebody")["saved"] == saved
    assert "Is it a header?" in confirm.call_args.args[0]
