"""A data directory, an export, passwords and tokens written by release 460cd72d: they open and lose nothing.

That code wrote `home_460cd72d/` once; it never changes. Ann corrected, confirmed, told facts and filled the fact sheet;
Bob's note was accepted for everyone.
"""

import json
import shutil
import sqlite3
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.blackbox.noted import Program, parse_lines, reply, reply_in_background, run, serve
from tests.support.servers.chat_server import ChatServer

WRITTEN = Path(__file__).with_name("home_460cd72d")
SETTINGS: dict[str, Any] = json.loads((WRITTEN / "settings.json").read_text(encoding="utf-8"))
TOKENS: dict[str, str] = SETTINGS.pop("tokens")
SETTINGS["NOTED_KEEP_TURNS_DAYS"] = "36500"  # its conversations become older than 90 days
ANN = {
    "a place that keeps money", "the side of a river", "the opposite, in Punjabi", "see you tomorrow, in English",
    "Dana works in Pune.", "You want to know the capital of France.", "You want the opposite of light.",
    "I want the opposite word", "Delhi is the capital of India",
}  # fmt: skip
BOB = {"ten to four on weekdays", "in cricket"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with tarfile.open(WRITTEN / "home.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    (tmp_path / "home").chmod(0o700)
    return tmp_path / "home"


@pytest.fixture
def model() -> Iterator[ChatServer]:
    with ChatServer(lambda _body: reply("You want the opposite.", "Heavy."), aside=reply_in_background) as server:
        yield server


def settings(model: ChatServer) -> dict[str, str]:
    own = {"NOTED_MODEL": "openai/test", "NOTED_API_BASE": model.url, "NOTED_API_KEY": "none"}
    return {**SETTINGS, **own, "NOTED_EMBEDDER": "", "NOTED_DRAFT_LESSONS": "off"}


def test_opens_old_home_with_everything_in_it(home: Path, model: ChatServer) -> None:
    before = home.parent / "before"
    shutil.copytree(home, before)
    with serve(home, settings(model)) as (url, _):
        with Program(url, TOKENS["ann"]) as ann, Program(url, TOKENS["bob"]) as bob:
            assert set(ann.notes()) >= ANN
            assert set(bob.notes()) >= BOB
            assert not set(ann.notes()) & BOB
            found = ann.call("preview", question="What is our office hour?")["found"]
            assert [each["entry"]["text"] for each in found if each["entry"]["shared"]] == ["ten to four on weekdays"]
            answer = ann.call("ask", question="What does light mean?")
            assert [used["entry"]["text"] for used in answer["used"]] == ["You want the opposite of light."]
            assert "I want the opposite word" in model.requests[-1].question
            assert "secretwordzebra" not in json.dumps(ann.notes())
        with Program(url, "noted_" + "0" * 40) as stranger:
            assert stranger.post("list").status_code == 401
    assert migrated(before, home) == bool(backups(home))


def migrated(before: Path, after: Path) -> bool:
    """Return True if the tables have changed."""
    old, new = (sqlite3.connect(folder / "ledger.sqlite3") for folder in (before, after))
    tables = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY sql"
    return [*old.execute(tables)] != [*new.execute(tables)]


def backups(home: Path) -> list[Path]:
    """Return the copies of the ledger made before migrations."""
    return [path for path in home.rglob("*") if "before" in path.name]


def test_refuses_home_of_newer_release(home: Path) -> None:
    ledger = sqlite3.connect(home / "ledger.sqlite3")
    with ledger:
        ledger.execute("UPDATE meta SET value = '999' WHERE name = 'version'")
    ledger.close()
    refused = run(home, "list", "--user", "ann")
    assert refused.returncode == 1
    assert "newer" in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1


def test_rebuilds_index_that_is_gone(home: Path, model: ChatServer) -> None:
    shutil.rmtree(home / "index")
    with serve(home, settings(model) | {"NOTED_EMBEDDER": "none"}) as (url, _), Program(url, TOKENS["ann"]) as ann:
        answer = ann.call("ask", question="What does light mean?")
        assert [used["entry"]["text"] for used in answer["used"]] == ["You want the opposite of light."]


def test_old_export_comes_back_whole(tmp_path: Path) -> None:
    taken = run(tmp_path / "new", "import", str(WRITTEN / "export.jsonl"))
    assert taken.returncode == 0, taken.stderr
    again = run(tmp_path / "new", "export", str(tmp_path / "again.jsonl"))
    assert again.returncode == 0, again.stderr
    old, new = (parse_lines(path.read_text("utf-8")) for path in (WRITTEN / "export.jsonl", tmp_path / "again.jsonl"))
    said = ("kind", "question", "text", "understanding", "answer", "created")
    kept = [[[one.get(name) for name in said] for one in lines[1:] if one["type"] == "entry"] for lines in (old, new)]
    assert len(kept[0]) == 9
    assert sorted(map(json.dumps, kept[0])) == sorted(map(json.dumps, kept[1]))


def test_backup_of_old_home_is_restored(home: Path, tmp_path: Path) -> None:
    backup = tmp_path / "backup.zip"
    assert run(home, "backup", str(backup)).returncode == 0
    restored = run(tmp_path / "other", "restore", str(backup), "--yes")
    assert restored.returncode == 0, restored.stderr
    listed = json.loads(run(tmp_path / "other", "list", "--user", "bob", "--json").stdout)
    assert {entry["text"] for entry in listed["entries"]} == BOB
