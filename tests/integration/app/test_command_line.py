"""The command line with the embedded model; see also `tests/ui/actions`."""

from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from tests.support.commands import Commands
from ui.actions.table import OPERATIONS

MEANT = "I want a word with the same meaning"


def test_everything_is_exported_forgotten_and_restored(here: Commands, tmp_path: Path) -> None:
    here.run("remember", "What is akin to quick?", MEANT)
    export, backup = str(tmp_path / "export.jsonl"), str(tmp_path / "backup.zip")
    assert "Exported 1 records." in here.run("export", export).stderr
    assert Path(export).stat().st_mode & 0o777 == 0o600
    here.run("backup", backup)
    assert "Nothing was changed" in here.run("forget-everything", status=1).stderr
    assert here.json("forget-everything", "--yes")["complete"]
    assert "can’t be read as text" in here.run("import", backup, status=1).stderr
    assert "not a backup of Noted" in here.run("restore", export, "--yes", status=1).stderr
    restored = here.run("restore", backup, "--yes").stderr
    assert "Erased again, because it was erased since: 1 deletion." in restored
    assert here.json("list")["entries"] == []


@pytest.mark.parametrize(
    "command", ["list", "export", "verify", "forget-everything", "resume e", "offers", "clarify x", "tokens"]
)
def test_without_a_memory_a_command_says_so_and_makes_none(command: str, here: Commands, tmp_path: Path) -> None:
    said = here.run(*command.split(), "--home", str(tmp_path / "nowhere"), status=1)
    assert (said.stdout, said.stderr.count("\n")) == ("", 1)
    assert "There is no memory in" in said.stderr
    assert not (tmp_path / "nowhere").exists()


def test_unknown_things_are_one_sentence(here: Commands) -> None:
    here.run("ask", "my manager is Dana")
    assert "isn’t yours" in here.run("clarify", "x", "--turn", "no-such-turn", status=1).stderr
    assert "Sign in" in here.run("ask", "x", "--user", "", status=1).stderr
    assert "There is no answer yet" in here.run("clarify", "x", "--user", "somebody", status=1).stderr
    for command in (["why", "--turn"], ["undo"]):
        assert here.run(*command, "ab\udcff", status=1).stderr.count("\n") == 1
    for name in ("a name", ""):
        assert "This name cannot be used" in here.run("password", name, status=1).stderr
    here.run("no-such-command", status=2)


def test_help_names_every_command(here: Commands) -> None:
    shown = here.run("--help").stdout
    assert [name for name in OPERATIONS if name.replace("_", "-") not in shown] == []
    assert shown.count("\n") < 40


def test_without_a_command_the_page_is_served(here: Commands, tmp_path: Path) -> None:
    here.run("serve", "--port", "7999", "--home", str(tmp_path))
    here.run()
    assert [settings.port for settings in here.served] == [7999, 7860]


@pytest.mark.promise("sharing-asks-first", "curator-sees-every-field")
def test_sharing_asks_first_and_shows_everything(here: Commands) -> None:
    entry = here.json("remember", "What is akin to quick?", MEANT, "--user", "ann")["entry"]
    assert "Nothing was changed" in here.run("offer", entry, "--user", "ann", status=1).output
    assert here.json("offers")["offers"] == []
    here.run("offer", entry, "--user", "ann", text=b"y\n")
    (waiting,) = here.json("offers")["offers"]
    shown = here.run("offers").stdout
    assert waiting["further"]
    assert [text for text in (MEANT, *waiting["further"]) if text not in shown] == []
    offer, seal = waiting["offer"]["id"], waiting["seal"]
    for command in (["accept", offer, seal], ["decline", offer]):
        assert "Nothing was changed" in here.run(*command, status=1).output
    assert here.json("accept", offer, seal, "--yes")["state"] == "accepted"
    assert "shared with everyone" in here.run("ask", "What is akin to tall?", "--user", "bob").stderr


@pytest.mark.promise("editors-files-are-read")
@pytest.mark.parametrize(("typed", "saved"), [(True, 1), (False, 2)])
def test_terminal_is_asked_for_the_header(
    here: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: bool, saved: int
) -> None:
    file = tmp_path / "family.csv"
    file.write_text("Who,what,whom\nDana,works in,Pune\n", encoding="utf-8")
    without = here.run("import-sheet", str(file))
    assert "It was taken as one and left out; say --no-header if it is none." in without.stderr
    confirm = Mock(return_value=typed)
    terminal = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr("ui.terminal.commands.confirm", confirm)
    monkeypatch.setattr("ui.terminal.commands.sys", SimpleNamespace(stdin=terminal, stderr=terminal))
    assert here.json("import-sheet", str(file), "--user", "somebody")["saved"] == saved
    assert "Is it a header?" in confirm.call_args.args[0]
