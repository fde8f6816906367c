"""Create a ledger's tables, or migrate older ones by numbered migrations.

New ledgers get the tables of `memory_store.ledger.database.schema`. Migrations never change once released, and never
import the schema, which describes today's tables only. All missing migrations and the new version number are one
transaction; a test compares their result with new tables. SQLite and PostgreSQL both accept the statements.
"""

import secrets
import uuid
from collections import defaultdict
from collections.abc import Callable

from sqlalchemy import JSON, Connection, bindparam, insert, inspect, select, text, update

from assistant.errors import DamagedLedger, StoreError
from memory_store.ledger.database.schema import counters, meta, metadata

Migration = Callable[[Connection], None]

FIRST = 18  # oldest version that can be migrated; earlier ones were never released


def m019_checksums(connection: Connection) -> None:
    """Drop the checksums of all rows but entries, and rename the gate's decision "leave" to "skip"."""
    connection.execute(text("UPDATE decisions SET action = 'skip' WHERE action = 'leave'"))
    for table in ("turns", "titles", "decisions", "events", "offers"):
        connection.execute(text(f"ALTER TABLE {table} DROP COLUMN checksum"))


def m020_seen(connection: Connection) -> None:
    """Replace the table `past_uses` by decisions that say which entries were in the prompt of a turn."""
    columns = "turn_id, rank, entry_id, owner, key_text, key_origin, scores, action, probability, reason"
    rank = "2000000 + row_number() OVER (ORDER BY entry_id, turn_id)"
    seen = f"turn_id, {rank}, entry_id, owner, '', 'model', '{{}}', 'seen', 0.0, ''"
    past = "past_uses JOIN turns ON turns.id = turn_id"
    connection.execute(text(f"INSERT INTO decisions ({columns}) SELECT {seen} FROM {past}"))  # noqa: S608
    connection.execute(text("DROP TABLE past_uses"))


def m021_triples(connection: Connection) -> None:
    """Store the names of triples in their rows, not in a table of their own."""
    columns = "entry_id TEXT NOT NULL REFERENCES entries (id), position INTEGER NOT NULL, owner TEXT NOT NULL"
    sides = "subject TEXT NOT NULL, relation TEXT NOT NULL, object TEXT NOT NULL"
    connection.execute(text(f"CREATE TABLE named ({columns}, {sides}, PRIMARY KEY (entry_id, position))"))
    forms = "entry_id, position, s.owner, s.form, r.form, o.form"
    joined = "triples JOIN names s ON s.id = subject JOIN names r ON r.id = relation JOIN names o ON o.id = object"
    connection.execute(text(f"INSERT INTO named SELECT {forms} FROM {joined}"))  # noqa: S608
    for statement in (
        "DROP TABLE triples",
        "DROP TABLE names",
        "ALTER TABLE named RENAME TO triples",
        "CREATE INDEX triples_by_subject ON triples (owner, subject, relation)",
        "CREATE INDEX triples_by_object ON triples (owner, object, relation)",
        "DELETE FROM events WHERE kind = 'named'",
    ):
        connection.execute(text(statement))


def m022_keys(connection: Connection) -> None:
    """Store the keys and the search text of an entry in its row, not in tables of their own."""
    connection.execute(text("ALTER TABLE entries ADD COLUMN found_under JSON NOT NULL DEFAULT '[]'"))
    connection.execute(text("ALTER TABLE entries ADD COLUMN search_text TEXT NOT NULL DEFAULT ''"))
    found = defaultdict[str, list[dict[str, str]]](list)
    for entry_id, *key in connection.execute(text("SELECT entry_id, text, origin FROM keys ORDER BY position")):
        found[entry_id].append(dict(zip(("text", "origin"), key, strict=True)))
    change = text("UPDATE entries SET found_under = :keys WHERE id = :id").bindparams(bindparam("keys", type_=JSON))
    if rows := [{"id": entry_id, "keys": keys} for entry_id, keys in found.items()]:
        connection.execute(change, rows)
    of_entry = "SELECT text FROM searchable WHERE entry_id = entries.id"
    connection.execute(text(f"UPDATE entries SET search_text = coalesce(({of_entry}), '')"))  # noqa: S608
    for table in ("keys", "searchable"):
        connection.execute(text(f"DROP TABLE {table}"))


MIGRATIONS: tuple[Migration, ...] = (m019_checksums, m020_seen, m021_triples, m022_keys)
"""Migrations from the first released tables to today's, in order."""


def latest(migrations: tuple[Migration, ...] = MIGRATIONS) -> int:
    """Return the version of the tables after these migrations."""
    return FIRST + len(migrations)


def migrate(connection: Connection, migrations: tuple[Migration, ...] = MIGRATIONS) -> None:
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
    if version < FIRST:
        raise StoreError("This memory or backup is older than the first release of Noted, which cannot read it.")
    for migration in migrations[version - FIRST :]:
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
