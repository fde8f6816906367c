from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, create_engine, inspect, text

from assistant.errors import StoreError
from memory_store.ledger.database.migrations import FIRST, MIGRATIONS, latest, migrate, schema_version
from memory_store.ledger.database.schema import metadata
from memory_store.ledger.ledger import Ledger
from tests.support.memory.store import execute, ledger_url

FIRST_VERSION = Path(__file__).parents[2] / "support" / "first_version"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = create_engine(ledger_url(tmp_path))
    yield engine
    engine.dispose()


def shape(engine: Engine) -> dict[str, object]:
    seen = inspect(engine)
    return {
        table: (
            {column["name"]: (str(column["type"]), column["nullable"]) for column in seen.get_columns(table)},
            seen.get_pk_constraint(table)["constrained_columns"],
            sorted(tuple(unique["column_names"]) for unique in seen.get_unique_constraints(table)),
            sorted(tuple(index["column_names"]) for index in seen.get_indexes(table)),
            sorted(tuple(foreign["constrained_columns"]) for foreign in seen.get_foreign_keys(table)),
        )
        for table in seen.get_table_names()
    }


def test_the_migrations_make_of_the_first_tables_those_of_the_schema(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "first.db").write_bytes(gzip.decompress((FIRST_VERSION / "ledger.db.gz").read_bytes()))
    first = create_engine(f"sqlite:///{tmp_path / 'first.db'}")
    for tables in (first, engine):
        with tables.begin() as connection:
            migrate(connection)
    assert shape(first) == shape(engine)
    assert shape(engine).keys() == metadata.tables.keys()
    first.dispose()


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
        assert schema_version(connection) == latest() + 1
    assert ran == [latest()]


def test_a_failing_one_leaves_the_tables_as_they_were_and_those_of_other_programs_are_refused(tmp_path: Path) -> None:
    ledger = Ledger(ledger_url(tmp_path))

    def breaks(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE half (id TEXT)"))
        raise RuntimeError

    with pytest.raises(RuntimeError), ledger.write() as connection:
        migrate(connection, (*MIGRATIONS, breaks))
    with ledger.write() as connection:
        assert schema_version(connection) == latest()
        assert not inspect(connection).has_table("half")
    for version, sentence in ((999, "newer version"), (FIRST - 1, "before the first release")):
        execute(tmp_path / "ledger.db", "UPDATE meta SET value = ? WHERE name = 'version'", (str(version),))
        with pytest.raises(StoreError, match=sentence):
            Ledger(ledger_url(tmp_path))
    ledger.close()


def test_the_secret_is_made_once(tmp_path: Path) -> None:
    first, again = Ledger(ledger_url(tmp_path)), Ledger(ledger_url(tmp_path))
    assert len(first.secret()) == 32
    assert first.secret() == again.secret()
    first.close()
    again.close()
