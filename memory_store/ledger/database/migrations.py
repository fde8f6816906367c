"""Create a ledger's tables, or migrate older ones by numbered migrations.

New ledgers get the tables of `memory_store.ledger.database.schema`. Migrations never change once released, and never
import the schema, which describes today's tables only. All missing migrations and the new version number are one
transaction; a test compares their result with new tables. SQLite and PostgreSQL both accept the statements.
"""

import secrets
import uuid
from collections import defaultdict
from collections.abc import Callable, Mapping
from types import MappingProxyType

from sqlalchemy import JSON, Connection, bindparam, insert, inspect, select, text, update

from assistant.errors import DamagedLedger, StoreError
from memory_store.ledger.database.schema import counters, meta, metadata

Migration = Callable[[Connection], None]
Migrations = Mapping[int, Migration]

FIRST = 18  # oldest version that can be migrated; earlier ones were never released

_SEALED = ("turns", "titles", "decisions", "events", "offers")
# Prompts without a decision of their own, as decisions; and triples with their names in place of ids.
_SEEN = """
INSERT INTO decisions (turn_id, rank, entry_id, owner, key_text, key_origin, scores, action, probability, reason)
SELECT turn_id, 2000000 + row_number() OVER (ORDER BY entry_id, turn_id), entry_id, owner, '', 'model', '{}', 'seen',
0.0, '' FROM past_uses JOIN turns ON turns.id = turn_id
"""
_NAMED = """
CREATE TABLE named (entry_id TEXT NOT NULL REFERENCES entries (id), position INTEGER NOT NULL, owner TEXT NOT NULL,
subject TEXT NOT NULL, relation TEXT NOT NULL, object TEXT NOT NULL, PRIMARY KEY (entry_id, position))
"""
_WITH_NAMES = """
INSERT INTO named SELECT entry_id, position, s.owner, s.form, r.form, o.form
FROM triples JOIN names s ON s.id = subject JOIN names r ON r.id = relation JOIN names o ON o.id = object
"""


def m022_fewer_tables(connection: Connection) -> None:
    """Store keys, search texts, names and past uses in the rows they belong to; keep checksums of entries only."""
    keys = defaultdict[str, list[dict[str, str]]](list)
    for entry_id, *key in connection.execute(text("SELECT entry_id, text, origin FROM keys ORDER BY position")):
        keys[entry_id].append(dict(zip(("text", "origin"), key, strict=True)))
    for statement in (
        *(f"ALTER TABLE {table} DROP COLUMN checksum" for table in _SEALED),
        "UPDATE decisions SET action = 'skip' WHERE action = 'leave'",
        _SEEN,
        "DELETE FROM events WHERE kind = 'named'",
        _NAMED,
        _WITH_NAMES,
        "ALTER TABLE entries ADD COLUMN found_under JSON NOT NULL DEFAULT '[]'",
        "ALTER TABLE entries ADD COLUMN search_text TEXT NOT NULL DEFAULT ''",
        "UPDATE entries SET search_text = coalesce((SELECT text FROM searchable WHERE entry_id = entries.id), '')",
        *(f"DROP TABLE {table}" for table in ("past_uses", "triples", "names", "keys", "searchable")),
        "ALTER TABLE named RENAME TO triples",
        "CREATE INDEX triples_by_subject ON triples (owner, subject, relation)",
        "CREATE INDEX triples_by_object ON triples (owner, object, relation)",
    ):
        connection.execute(text(statement))
    change = text("UPDATE entries SET found_under = :keys WHERE id = :id").bindparams(bindparam("keys", type_=JSON))
    if rows := [{"id": entry_id, "keys": found} for entry_id, found in keys.items()]:
        connection.execute(change, rows)


MIGRATIONS: Migrations = MappingProxyType({22: m022_fewer_tables})
"""Migrations by the version that they lead to, in order; the first one starts from `FIRST`."""


def latest(migrations: Migrations = MIGRATIONS) -> int:
    """Return the version of the tables after these migrations."""
    return max(migrations)


def migrate(connection: Connection, migrations: Migrations = MIGRATIONS) -> None:
    """Create or migrate the tables in the transaction of `connection`.

    Raises StoreError if the tables are newer than this program, or older than the first release.
    """
    version = schema_version(connection)
    if version > latest(migrations):
        raise StoreError("store.newer_version")
    if version == 0:
        metadata.create_all(connection)
        identity = {"id": str(uuid.uuid4()), "secret": secrets.token_hex(32), "version": str(latest(migrations))}
        connection.execute(insert(meta), [{"name": name, "value": value} for name, value in identity.items()])
        connection.execute(insert(counters), {"sequence": 0, "change": 0})
        return
    if version not in {FIRST, *migrations}:
        raise StoreError("This memory or backup is older than the first release of Noted, which cannot read it.")
    for number, migration in migrations.items():
        if number > version:
            migration(connection)
    connection.execute(update(meta).where(meta.c.name == "version").values(value=str(latest(migrations))))


def schema_version(connection: Connection) -> int:
    """Return the version of the tables; 0 for an empty database. Raises DamagedLedger if it cannot be read."""
    if not inspect(connection).has_table(meta.name):
        return 0
    version = connection.execute(select(meta.c.value).where(meta.c.name == "version")).scalar_one()
    try:
        return int(version)
    except (ValueError, TypeError) as error:
        raise DamagedLedger from error
