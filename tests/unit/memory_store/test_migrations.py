import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, MetaData, create_engine, inspect, select, text

from assistant.errors import StoreError
from memory_store.ledger.database.migrations import FIRST, MIGRATIONS, latest, migrate, schema_version
from memory_store.ledger.database.schema import entries, metadata
from memory_store.ledger.entries import read_entries
from memory_store.ledger.erased_rows import find_prompted_turns
from memory_store.ledger.ledger import Ledger
from tests.support.memory.store import execute, ledger_url

FIRST_HOME = Path(__file__).parents[2] / "blackbox" / "home_460cd72d" / "home.tar.gz"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = create_engine(ledger_url(tmp_path))
    yield engine
    engine.dispose()


@pytest.fixture
def first_file(tmp_path: Path) -> Path:
    """Return a ledger's file that release 460cd72d wrote."""
    with tarfile.open(FIRST_HOME) as archive:
        archive.extract("home/ledger.sqlite3", tmp_path, filter="data")
    return tmp_path / "home" / "ledger.sqlite3"


@pytest.fixture
def first_tables(any_ledger_url: str, first_file: Path) -> Iterator[Engine]:
    """Yield a ledger with the tables of the first version."""
    written, engine, tables = create_engine(f"sqlite:///{first_file}"), create_engine(any_ledger_url), MetaData()
    tables.reflect(written)
    tables.create_all(engine)
    with written.connect() as source, engine.begin() as connection:
        for table in (tables.tables["meta"], tables.tables["counters"]):
            rows = source.execute(table.select()).mappings()
            connection.execute(table.insert(), [dict(row) for row in rows])
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


def test_failed_migration_and_unknown_versions_change_nothing(tmp_path: Path) -> None:
    ledger = Ledger(ledger_url(tmp_path))

    def breaks(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE half (id TEXT)"))
        raise RuntimeError

    with pytest.raises(RuntimeError), ledger.write() as connection:
        migrate(connection, {**MIGRATIONS, latest() + 1: breaks})
    with ledger.write() as connection:
        assert schema_version(connection) == latest()
        assert not inspect(connection).has_table("half")
    ledger.close()
    between = [number for number in range(FIRST + 1, latest()) if number not in MIGRATIONS]  # of no release
    refused = {999: "newer version", **dict.fromkeys([FIRST - 1, *between], "older than the first release")}
    assert between == [19, 20, 21]
    for version, sentence in refused.items():
        execute(tmp_path / "ledger.db", "UPDATE meta SET value = ? WHERE name = 'version'", (str(version),))
        with pytest.raises(StoreError, match=sentence):
            Ledger(ledger_url(tmp_path))


def test_copy_is_kept_until_an_erasure(first_file: Path) -> None:
    ledger = Ledger(f"sqlite:///{first_file}")
    (copy,) = first_file.parent.glob("ledger.sqlite3.before-*")
    with closing(sqlite3.connect(copy)) as copied:
        assert copied.execute("SELECT value FROM meta WHERE name = 'version'").fetchall() == [(str(FIRST),)]
    assert ledger.wipe()
    assert not copy.exists()
    ledger.close()


def test_entries_of_the_first_release_are_whole(first_file: Path) -> None:
    ledger = Ledger(f"sqlite:///{first_file}")
    with ledger.read() as connection:
        found = read_entries(connection)
        searched = connection.execute(select(entries.c.question, entries.c.search_text)).all()
    assert len(found) == len(searched) == 12
    assert all(entry.keys[0].text == entry.question for entry in found)
    assert all(row.question.casefold() in row.search_text.split("\n") for row in searched)
    ledger.close()


@pytest.mark.promise("forgotten-answers-anywhere")
def test_past_uses_become_decisions(first_tables: Engine) -> None:
    tables = MetaData()
    tables.reflect(first_tables)
    with first_tables.begin() as connection:
        for name, few in {"entries": {"id": ["old"]}, "turns": {"id": ["t", "u"], "owner": ["ann"] * 2}}.items():
            types = {column.name: column.type.python_type for column in tables.tables[name].columns}
            blank = {column: kind() if kind in {str, int, bool} else [] for column, kind in types.items()}
            for number, values in enumerate(zip(*few.values(), strict=True)):
                row = {**blank, "sequence": number, **dict(zip(few, values, strict=True))}
                connection.execute(tables.tables[name].insert(), row)
        connection.execute(tables.tables["past_uses"].insert(), [{"entry_id": "old", "turn_id": name} for name in "tu"])
        migrate(connection)
        assert find_prompted_turns(connection, ["old"]) == {"t": "ann", "u": "ann"}
