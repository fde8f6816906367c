import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, create_engine, inspect, text

from assistant.errors import StoreError
from assistant.types import Key, KeyOrigin
from memory_store.ledger.database.migrations import MIGRATIONS, migrate, schema_version
from memory_store.ledger.database.schema import metadata
from memory_store.ledger.entries import read_entries
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import checksum
from memory_store.memory.key_queue import LedgerKeyWork
from memory_store.turns.turns import LedgerTurns
from tests.support.memory.store import ANN, ledger_memory, ledger_url
from tests.support.sizes import size


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = create_engine(ledger_url(tmp_path))
    yield engine
    engine.dispose()


def shape(engine: Engine) -> dict[str, object]:
    seen = inspect(engine)
    return {
        table: (
            {column["name"]: str(column["type"]) for column in seen.get_columns(table)},
            seen.get_pk_constraint(table)["constrained_columns"],
            sorted(tuple(foreign["constrained_columns"]) for foreign in seen.get_foreign_keys(table)),
        )
        for table in seen.get_table_names()
    }


def test_the_migrations_make_the_tables_of_the_schema(engine: Engine, tmp_path: Path) -> None:
    with engine.begin() as connection:
        migrate(connection)
    other = create_engine(f"sqlite:///{tmp_path / 'other.db'}")
    metadata.create_all(other)
    assert shape(engine) == shape(other)
    other.dispose()


def test_only_missing_ones_run_and_the_version_is_recorded(engine: Engine) -> None:
    ran = []

    def one_more(connection: Connection) -> None:
        ran.append(schema_version(connection))

    with engine.begin() as connection:
        migrate(connection)
        before = connection.execute(text("SELECT name, value FROM meta")).all()
        migrate(connection)
        assert connection.execute(text("SELECT name, value FROM meta")).all() == before
        for _ in range(2):
            migrate(connection, (*MIGRATIONS, one_more))
        assert schema_version(connection) == len(MIGRATIONS) + 1
    assert ran == [len(MIGRATIONS)]


def test_a_failing_one_leaves_the_tables_as_they_were_and_those_of_a_newer_program_are_refused(tmp_path: Path) -> None:
    ledger = Ledger(ledger_url(tmp_path))

    def breaks(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE half (id TEXT)"))
        raise RuntimeError

    with pytest.raises(RuntimeError), ledger.write() as connection:
        migrate(connection, (*MIGRATIONS, breaks))
    with ledger.write() as connection:
        assert schema_version(connection) == len(MIGRATIONS)
        assert not inspect(connection).has_table("half")
        connection.execute(text("UPDATE meta SET value = '999' WHERE name = 'version'"))
    ledger.close()
    with pytest.raises(StoreError, match="newer version"):
        Ledger(ledger_url(tmp_path))


def insert(connection: Connection, table: str, row: dict[str, object]) -> None:
    """Insert a row as a program of another version would."""
    named = ", ".join(f":{name}" for name in row)
    connection.execute(text(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({named})"), row)  # noqa: S608


def insert_entry(connection: Connection, *found_under: str, **said: object) -> None:
    """Insert an entry as a program would for which what it says stood in columns of their own."""
    row = dict.fromkeys(("text", "wrong_understanding", "understanding", "answer", "turn_id", "model"), "") | {
        "id": "old", "sequence": 1, "owner": ANN.person, "scope": "person", "kind": "clarification",
        "status": "active", "supersedes": None, "idempotency_key": "k", "created": "2026-01-05T00:00:00+00:00",
    } | said  # fmt: skip
    keys = [
        {"entry_id": row["id"], "position": place, "owner": row["owner"], "text": text, "origin": "question"}
        for place, text in enumerate((row["question"], *found_under))
    ]
    row.setdefault("checksum", checksum(row, keys))
    insert(connection, "entries", row)
    for key in keys:
        insert(connection, "keys", key)


def test_what_was_saved_before_there_was_a_column_for_keys_is_read_and_changed(engine: Engine, tmp_path: Path) -> None:
    with engine.begin() as connection:
        migrate(connection, MIGRATIONS[:1])
        insert_entry(connection, question="q", text="I meant it")
    ledger = Ledger(ledger_url(tmp_path))
    memory, work = ledger_memory(ledger), LedgerKeyWork(ledger, lambda: None)
    assert memory.entry("old", ANN).text == "I meant it"
    assert work.wanting() == []
    memory.replace_keys("old", [], [Key("another", KeyOrigin.PERSON)], ANN)
    assert memory.edit("old", "other words", ANN).keys == (Key("q"), Key("another", KeyOrigin.PERSON))
    ledger.close()


def test_what_was_saved_before_it_could_be_searched_in_any_script_is_found(engine: Engine, tmp_path: Path) -> None:
    with engine.begin() as connection:
        migrate(connection, MIGRATIONS[:10])
        insert_entry(connection, "thanda", question="ਗਰਮ ਦਾ ਉਲਟਾ", text="the opposite")
    ledger = Ledger(ledger_url(tmp_path))
    assert [len(ledger_memory(ledger).entries(ANN, search)) for search in ("garam", "गरम", "thanda")] == [1, 1, 1]
    ledger.close()


def test_a_turn_from_before_it_was_known_what_it_took_of_the_model_is_read(engine: Engine, tmp_path: Path) -> None:
    row = dict.fromkeys(("raw", "understanding", "answer", "error", "model"), "") | {
        "id": "old", "sequence": 1, "owner": ANN.person, "conversation": "c", "question": "q",
        "created": "2026-01-05T00:00:00+00:00", "state": "answered", "reply_status": "ok", "confirmed": False,
    }  # fmt: skip
    lists = {"notes": [], "used": [], "left_out": [], "ms": {"total": 5.0}}
    row["checksum"] = checksum({**row, **lists})
    row |= {name: json.dumps(value) for name, value in lists.items()}
    with engine.begin() as connection:
        migrate(connection, MIGRATIONS[:12])
        insert(connection, "turns", row)
    ledger = Ledger(ledger_url(tmp_path))
    (turn,) = LedgerTurns(ledger).turns("c", ANN)
    assert (turn.question, turn.ms, turn.usage, turn.history) == ("q", {"total": 5.0}, None, ())
    ledger.close()


def test_the_secret_is_made_once(tmp_path: Path) -> None:
    first, again = Ledger(ledger_url(tmp_path)), Ledger(ledger_url(tmp_path))
    assert len(first.secret()) == 32
    assert first.secret() == again.secret()
    first.close()
    again.close()


def entries_of_the_version_before(number: int) -> Iterator[dict[str, object]]:
    """Entries as they stood in columns of their own: of every status, in many scripts, and one that is damaged."""
    for place in range(number):
        name = f"{place}"
        said = {"text": f"मतलब {name}", "wrong_understanding": "" if place % 3 else f"not {name}"}
        if place % 4 == 0:
            said = {"kind": "example", "understanding": f"ਮਤਲਬ {name}", "answer": f"answer\n{name}"}
        yield said | {
            "id": f"e{name}", "sequence": place + 1, "owner": f"person {place % 7}", "idempotency_key": name,
            "question": f"question {name}?", "turn_id": f"t{name}", "model": "m",
            "status": ("active", "active", "superseded", "retracted")[place % 5 % 4],
            "supersedes": f"e{place - 7}" if place % 11 == 0 and place > 7 else None,
            "only_in": f"c{name}" if place % 6 == 1 else None, "key_state": "wanted" if place % 9 == 0 else None,
        }  # fmt: skip


@pytest.mark.postgres
def test_all_entries_say_the_same_when_what_they_say_stands_in_one_column(any_ledger_url: str) -> None:
    before = list(entries_of_the_version_before(size(1_500, 10_000)))
    damaged = before[5]["id"]
    engine = create_engine(any_ledger_url)
    with engine.begin() as connection:
        migrate(connection, MIGRATIONS[:15])
        for row in before:
            wrong = {"checksum": "0" * 64} if row["id"] == damaged else {}
            insert_entry(connection, f"also {row['id']}", **row, **wrong)
    engine.dispose()
    began = time.perf_counter()
    ledger = Ledger(any_ledger_url)
    took = time.perf_counter() - began
    with ledger.read() as connection:
        after = {entry.id: entry for entry in read_entries(connection)}
    assert after.keys() == {row["id"] for row in before} - {damaged}
    for row in before:
        if row["id"] == damaged:
            continue
        entry = after[str(row["id"])]
        columns = ("question", "owner", "status", "sequence", "supersedes", "model")
        assert {name: getattr(entry, name) for name in columns} == {name: row[name] for name in columns}
        assert (entry.kind.name, entry.turn) == (row.get("kind", "clarification"), row["turn_id"])
        body = {name: row.get(name) for name in ("text", "wrong_understanding", "understanding", "answer", "only_in")}
        assert entry.body.stored() == {name: said for name, said in body.items() if said}
        assert [key.text for key in entry.keys] == [row["question"], f"also {row['id']}"]
    print(f"{len(before):,} entries were migrated in {took:.1f} s ({any_ledger_url.split(':', maxsplit=1)[0]}).")
    ledger.close()
