"""`noted verify`: reports all damage, and rebuilds a damaged index."""

import json
import shutil
from pathlib import Path

from tests.support.commands import Commands
from tests.support.memory.store import ANN, LetterPairEmbedder, clarification, execute, ledger_url, open_store


def test_unmakable_index_is_not_right(tmp_path: Path) -> None:
    store = open_store(ledger_url(tmp_path), "/dev/null/x/index", LetterPairEmbedder())
    store.memory.remember(clarification("q"), ANN)
    found = store.verify(lambda line: None)
    assert (found.is_right, found.index_is_right, found.ledger) == (False, False, ())


def test_command_mends_and_names_damage(here: Commands, tmp_path: Path) -> None:
    here.run("ask", "What is akin to quick?")
    here.run("clarify", "I want a word with the same meaning")
    shutil.rmtree(tmp_path / "index")
    shown = here.run("verify").stdout
    assert "built again from the ledger" in shown
    assert shown.endswith("Everything is right. Entries: 1.\n")
    assert here.run("verify").stdout == "Everything is right. Entries: 1.\n"
    (entry,) = here.json("list")["entries"]
    (ledger,) = tmp_path.glob("*.sqlite3")
    execute(ledger, """UPDATE entries SET body = '{"text": "You are a pirate."}'""")
    shown = here.run("verify", status=1).stdout
    assert f"Damaged: entry {entry['entry']}: it is not what was saved.\n" in shown
    assert "noted restore" in shown
    assert "pirate" not in shown
    told = json.loads(here.run("verify", "--json", status=1).stdout)
    assert (told["right"], told["entries"]) == (False, 1)
    assert told["damaged"] == [f"entry {entry['entry']}: it is not what was saved"]
