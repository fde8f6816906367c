import gzip
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, MetaData, Table, create_engine, inspect, text

from assistant.errors import StoreError
from memory_store.ledger.database.migrations import FIRST, MIGRATIONS, latest, migrate, schema_version
from memory_store.ledger.database.schema import metadata
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.prompt_entries import find_prompted_turns
from memory_store.ledger.rows import compute_checksum
from tests.support.memory.store import ANN, execute, ledger_url

FIRST_VERSION = Path(__file__).parents[2] / "support" / "first_version" / "ledger.db.gz"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = create_engine(ledger_url(tmp_path))
    yield engine
    engine.dispose()


@pytest.fixture
def first_tables(any_ledger_url: str, tmp_path: Path) -> Iterator[Engine]:
    """Yield a ledger with the tables of the first version."""
    (tmp_path / "first.db").write_bytes(gzip.decompress(FIRST_VERSION.read_bytes()))
    written, engine, tables = (
        create_engine(f"sqlite:///{tmp_path / 'first.db'}"),
        create_engine(any_ledger_url),
        MetaData(),
    )
    tables.reflect(written)
    tables.create_all(engine)
    with written.connect() as source, engine.begin() as connection:
        for name in ("meta", "counters"):
            insert_all = tables.tables[name].insert()
            connection.execute(
                insert_all, [dict(row) for row in source.execute(tables.tables[name].select()).mappings()]
            )
    yield engine
    written.dispose()
    engine.dispose()


def shape(engine: Engine) -> dict[str, object]:
    seen = inspect(engine)
    return {
        table: (
            {column["name"]: (str(column["type"]), column["nullable"]) for column in seen.get_columns(table)},
            seen.get_pk_constraint(table)["constrained_columns"],
            sorted(tuple(unique["column_names"]) for unique in seen.get_unique_constraints(table)),
            sorted((index["name"], *index["column_names"]) for index in seen.get_indexes(table) if not index["unique"]),
            sorted(tuple(foreign["constrained_columns"]) for foreign in seen.get_foreign_keys(table)),
        )
        for table in seen.get_table_names()
    }


def test_migrations_lead_to_the_schema(first_tables: Engine) -> None:
    with first_tables.begin() as connection:
        assert schema_version(connection) == FIRST
        migrate(connection)
    migrated = shape(first_tables)
    metadata.drop_all(first_tables)
    metadata.create_all(first_tables)
    assert migrated == shape(first_tables)
    assert migrated.keys() == metadata.tables.keys()


def test_only_missing_migrations_run(engine: Engine) -> None:
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
        assert schema_version(connection) == latest() + 1
    assert ran == [latest()]


def test_failed_migration_changes_nothing(tmp_path: Path) -> None:
    ledger = Ledger(ledger_url(tmp_path))

    def breaks(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE half (id TEXT)"))
        raise RuntimeError

    with pytest.raises(RuntimeError), ledger.write() as connection:
        migrate(connection, (*MIGRATIONS, breaks))
    with ledger.write() as connection:
        assert schema_version(connection) == latest()
        assert not inspect(connection).has_table("half")
    ledger.close()
    for version, sentence in ((999, "newer version"), (FIRST - 1, "before the first version")):
        execute(tmp_path / "ledger.db", "UPDATE meta SET value = ? WHERE name = 'version'", (str(version),))
        with pytest.raises(StoreError, match=sentence):
            Ledger(ledger_url(tmp_path))


def test_copy_is_kept_until_an_erasure(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_bytes(gzip.decompress(FIRST_VERSION.read_bytes()))
    ledger = Ledger(ledger_url(tmp_path))
    (copy,) = tmp_path.glob("ledger.db.before-*")
    with closing(sqlite3.connect(copy)) as copied:
        assert copied.execute("SELECT value FROM meta WHERE name = 'version'").fetchall() == [(str(FIRST),)]
    assert ledger.wipe()
    assert not copy.exists()
    ledger.close()


def insert(connection: Connection, table: str, row: dict[str, object]) -> None:
    """Insert a row as a program of another version would."""
    named = ", ".join(f":{name}" for name in row)
    connection.execute(text(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({named})"), row)  # noqa: S608


@pytest.mark.promise("forgotten-answers-anywhere")
def test_past_uses_become_decisions(first_tables: Engine) -> None:
    entry: dict[str, object] = dict.fromkeys(("text", "wrong_understanding", "understanding", "answer", "turn_id"), "")
    entry |= {"id": "old", "sequence": 1, "owner": ANN.person, "scope": "person", "kind": "clarification", "model": ""}
    entry |= {"status": "active", "question": "asked", "idempotency_key": "k", "created": "2026-01-05T00:00:00+00:00"}
    key = {"entry_id": "old", "position": 0, "owner": ANN.person, "text": "asked", "origin": "question"}
    with first_tables.begin() as connection:
        insert(connection, "entries", {**entry, "checksum": compute_checksum(entry, [key])})
        insert(connection, "keys", key)
        turns = Table("turns", MetaData(), autoload_with=connection)
        for sequence, name in enumerate("tu", start=100):
            types = {column.name: column.type.python_type for column in turns.columns if not column.nullable}
            told = {name: kind() if kind in {str, int, bool} else [] for name, kind in types.items()}
            connection.execute(turns.insert(), {**told, "id": name, "owner": "ann", "sequence": sequence})
            insert(connection, "past_uses", {"entry_id": "old", "turn_id": name})
        migrate(connection)
        assert find_prompted_turns(connection, ["old"]) == {"t": "ann", "u": "ann"}
