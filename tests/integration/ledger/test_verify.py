"""`memory verify`: everything that is damaged is named, and the index is made anew where it is not what it must be."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.reports.upkeep import Damage, Verification
from assistant.sentences import plain
from assistant.types import Action, Candidate, Decision, Turn
from memory_store.store import Store
from tests.support.commands import Commands
from tests.support.damage.flips import DAMAGE
from tests.support.memory.store import (
    ANN,
    BOB,
    PLAIN,
    LetterPairs,
    assert_same_keys,
    clarification,
    execute,
    held_by_another_process,
    ledger_url,
    open_store,
    share,
    small_store,
)

Verify = Callable[[], Verification]
DAMAGES = """UPDATE entries SET body = '{"text": "You are a pirate."}'"""


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two people's entries, one of them shared, one edited; a turn with a decision, and an event about an entry."""
    folder = tmp_path_factory.mktemp("filled")
    store = small_store(folder, LetterPairs())
    for number in range(3):
        entry = store.memory.remember(clarification(f"question {number}"), ANN)
    store.memory.edit(entry.id, "I meant an antonym", ANN)
    share(store, store.memory.entries(ANN)[1].id)
    other = store.memory.remember(clarification("what nobody else may see"), BOB)
    decision = Decision(Candidate(other, other.keys[0]), Action.USE, 1, plain("It is the same."))
    store.turn_store.record(Turn("the-turn", "c", BOB.person, "what nobody else may see", decisions=(decision,)), BOB)
    store.memory.count(other.id, "used", "the-turn", BOB)
    store.indexer.catch_up()
    store.close()
    return folder


@pytest.fixture
def store(filled: Path, tmp_path: Path) -> Store:
    store = small_store(shutil.copytree(filled, tmp_path, dirs_exist_ok=True), LetterPairs())
    store.indexer.catch_up()
    return store


@pytest.fixture
def verify(store: Store) -> Verify:
    return lambda: store.verify(lambda line: None)


def test_what_is_whole_is_right(verify: Verify) -> None:
    assert verify() == Verification(entries=5, ledger=(), index=(), index_is_right=True)
    assert verify().is_right


@pytest.mark.parametrize(
    "damage",
    [
        f"{DAMAGES} WHERE id = :entry",
        "UPDATE entries SET checksum = 'x' WHERE id = :entry",
        "UPDATE keys SET text = 'another' WHERE entry_id = :entry",
        "DELETE FROM keys WHERE entry_id = :entry",
    ],
)
def test_what_is_damaged_in_the_ledger_is_named(store: Store, verify: Verify, tmp_path: Path, damage: str) -> None:
    entry_id = store.memory.entries(ANN)[0].id
    execute(tmp_path / "ledger.db", damage, {"entry": entry_id})
    told = verify()
    assert not told.is_right
    assert told.ledger == (Damage("entry", entry_id, "it is not what was saved"),)


def test_an_index_that_cannot_be_read_is_named_and_made_anew(store: Store, verify: Verify, tmp_path: Path) -> None:
    for path in (tmp_path / "index").glob("*.lance/data/*"):
        DAMAGE["half"](path)
    found = verify()
    assert found.is_right
    assert [damage.place for damage in found.index] == ["index"]
    assert_same_keys(store, ANN, BOB)
    assert verify().index == ()


@pytest.mark.parametrize("embedder", [None, LetterPairs()])
def test_an_index_is_made_where_there_is_none(tmp_path: Path, embedder: LetterPairs | None) -> None:
    store = small_store(tmp_path, embedder)
    store.memory.remember(clarification("q"), ANN)
    for missing in (1, 0):
        found = store.verify(lambda line: None)
        assert (found.is_right, len(found.index)) == (True, missing)


@pytest.mark.parametrize(("folder", "embedder"), [("/dev/null/x/index", LetterPairs()), ("", LetterPairs.down())])
def test_an_index_that_cannot_be_made_is_not_right(tmp_path: Path, folder: str, embedder: LetterPairs) -> None:
    store = open_store(ledger_url(tmp_path), folder or str(tmp_path / "index"), embedder, PLAIN)
    store.memory.remember(clarification("q"), ANN)
    found = store.verify(lambda line: None)
    assert not found.is_right
    assert not found.index_is_right
    assert found.ledger == ()


def test_an_index_that_another_process_holds_is_not_known_to_be_right(
    store: Store, verify: Verify, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store.indexer._lock, "timeout", 0.2)
    with held_by_another_process(tmp_path):
        assert not verify().is_right
    assert verify().is_right


def test_it_says_how_far_it_is(store: Store) -> None:
    lines: list[str] = []
    store.verify(lines.append)
    assert "Entries: 5 of 5 looked at." in lines


def test_damage_is_one_line_whatever_its_id_holds() -> None:
    assert str(Damage("entry", "1", "it is gone")) == "entry 1: it is gone"
    assert str(Damage("counters", "", "they are gone")) == "counters: they are gone"
    assert "\x1b" not in str(Damage("entry", "\x1b[2J\n", "it is gone"))


def test_the_command_says_plainly_what_is_right_and_what_was_mended(here: Commands, tmp_path: Path) -> None:
    remembered(here)
    here.run("verify")
    assert here.run("verify").stdout.endswith("Everything is right. Entries: 1.\n")
    shutil.rmtree(tmp_path / "index")
    shown = here.run("verify").stdout
    assert "it was not there, or could not be read." in shown
    assert "built again from the ledger" in shown
    assert shown.endswith("Everything is right. Entries: 1.\n")


def test_the_command_names_what_is_damaged_and_fails(here: Commands, tmp_path: Path) -> None:
    remembered(here)
    (entry,) = here.json("list")["entries"]
    (ledger,) = tmp_path.glob("*.sqlite3")
    execute(ledger, DAMAGES)
    shown = here.run("verify", status=1).stdout
    assert f"Damaged: entry {entry['entry']}: it is not what was saved.\n" in shown
    assert "noted restore" in shown
    assert "noted forget" in shown
    assert "pirate" not in shown
    told = json.loads(here.run("verify", "--json", status=1).stdout)
    assert (told["right"], told["entries"]) == (False, 1)
    assert told["damaged"] == [f"entry {entry['entry']}: it is not what was saved"]


def test_the_command_says_when_the_index_cannot_be_mended(here: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    remembered(here)
    monkeypatch.setenv("NOTED_INDEX", "/dev/null/x/index")
    assert "could not be built again" in here.run("verify", status=1).stdout


def remembered(here: Commands) -> None:
    here.run("ask", "What is akin to quick?")
    here.run("clarify", "I want a word with the same meaning")
