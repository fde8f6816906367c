"""Create a ledger's tables, or migrate older ones by numbered migrations.

New ledgers get the tables of `memory_store.ledger.database.schema`. Migrations never change once released, and never
import the schema, which describes today's tables only. All missing migrations and the new version number are one
transaction; a test compares their result with new tables. SQLite and PostgreSQL both accept the statements.
"""

import secrets
import uuid
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from sqlalchemy import JSON, BindParameter, Connection, bindparam, insert, inspect, select, text, update

from assistant.errors import DamagedLedger, StoreError
from memory_store.ledger.database.schema import counters, meta, metadata
from memory_store.ledger.rows import compute_checksum, split_into_batches

Migration = Callable[[Connection], None]

FIRST = 15  # oldest version that can be migrated; earlier ones were never released


def _statements(statements: str) -> Migration:
    def migration(connection: Connection) -> None:
        for statement in statements.split(";"):
            connection.execute(text(statement))

    return migration


def m016_bodies(connection: Connection) -> None:
    """Move the content of entries into one JSON column, so that new entry types need no migration.

    A damaged entry keeps its checksum, which stays wrong.
    """
    connection.execute(text("ALTER TABLE entries ADD COLUMN body JSON NOT NULL DEFAULT '{}'"))
    named: BindParameter[list[str]] = bindparam("ids", expanding=True)
    read = text("SELECT * FROM entries WHERE id IN :ids").bindparams(named)
    read_keys = text("SELECT * FROM keys WHERE entry_id IN :ids ORDER BY position").bindparams(named)
    write = text("UPDATE entries SET body = :body, checksum = :checksum WHERE id = :id")
    write = write.bindparams(bindparam("body", type_=JSON))
    for ids in split_into_batches(connection.execute(text("SELECT id FROM entries")).scalars().all()):
        keys: defaultdict[str, list[dict[Any, Any]]] = defaultdict(list)
        for key in connection.execute(read_keys, {"ids": ids}).mappings():
            keys[key["entry_id"]].append(dict(key))
        rows = []
        for row in connection.execute(read, {"ids": ids}).mappings():
            columns = {name: value for name, value in row.items() if name != "body"}
            is_whole = row["checksum"] == compute_checksum(columns, keys[row["id"]])
            body = {name: said for name in _BODY if (said := columns.pop(name))}
            seal = compute_checksum({**columns, "body": body}, keys[row["id"]]) if is_whole else row["checksum"]
            rows.append({"id": row["id"], "body": body, "checksum": seal})
        connection.execute(write, rows)
    for name in _BODY:
        connection.execute(text(f"ALTER TABLE entries DROP COLUMN {name}"))


_BODY = ("text", "wrong_understanding", "understanding", "answer", "only_in")

# The remaining parts of a reply: reasons, drafts and lookups.
m017_trace = _statements("ALTER TABLE turns ADD COLUMN trace JSON")

# Triples of facts.
m018_triples = _statements("""
CREATE TABLE names (
    id BIGINT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    role TEXT NOT NULL,
    form TEXT NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (owner, form, role)
);
CREATE TABLE triples (
    entry_id TEXT NOT NULL REFERENCES entries (id),
    position INTEGER NOT NULL,
    subject BIGINT NOT NULL REFERENCES names (id),
    relation BIGINT NOT NULL REFERENCES names (id),
    object BIGINT NOT NULL REFERENCES names (id),
    PRIMARY KEY (entry_id, position)
);
CREATE INDEX triples_by_subject ON triples (subject, relation);
CREATE INDEX triples_by_object ON triples (object, relation);
CREATE INDEX triples_by_relation ON triples (relation)
""")

# Only entries keep checksums. Rename the gate's decision "leave" to "skip".
m019_checksums = _statements("""
UPDATE decisions SET action = 'skip' WHERE action = 'leave';
ALTER TABLE turns DROP COLUMN checksum;
ALTER TABLE titles DROP COLUMN checksum;
ALTER TABLE decisions DROP COLUMN checksum;
ALTER TABLE events DROP COLUMN checksum;
ALTER TABLE offers DROP COLUMN checksum
""")


def m020_seen(connection: Connection) -> None:
    """Replace the table `past_uses` by decisions that say which entries were in the prompt of a turn."""
    past = text("SELECT entry_id, turn_id, owner FROM past_uses JOIN turns ON turns.id = turn_id ORDER BY 1, 2")
    same = {"key_text": "", "key_origin": "model", "scores": {}, "action": "seen", "probability": 0.0, "reason": ""}
    rows = [{**row, **same, "rank": 2_000_000 + n} for n, row in enumerate(connection.execute(past).mappings())]
    if rows:
        columns = ", ".join(rows[0])
        write = text(f"INSERT INTO decisions ({columns}) VALUES ({', '.join(f':{name}' for name in rows[0])})")  # noqa: S608
        connection.execute(write.bindparams(bindparam("scores", type_=JSON)), rows)
    connection.execute(text("DROP TABLE past_uses"))


MIGRATIONS: tuple[Migration, ...] = (m016_bodies, m017_trace, m018_triples, m019_checksums, m020_seen)
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
        raise StoreError("This memory, or backup, is from before the first version of Noted, which cannot read it.")
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
