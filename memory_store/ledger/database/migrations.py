"""How a ledger's tables are made, and numbered changes of those that an older program made, oldest first.

A new ledger has the tables of `memory_store.ledger.database.schema`. A migration never changes once it is released, and
never looks there, which tells of today only. All that are missing run in one transaction, which also records the new
version; a test compares what comes of them with new tables.
"""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable, Sequence

from sqlalchemy import Connection, insert, inspect, select, update

from assistant.errors import DamagedLedger, StoreError
from memory_store.ledger.database.schema import counters, meta, metadata

Migration = Callable[[Connection], None]

FIRST = 17
"""The version of the tables of the first release: they changed so often while it was written."""
MIGRATIONS: Sequence[Migration] = ()
"""What leads from the tables of the first release to those of today."""


def latest(migrations: Sequence[Migration] = MIGRATIONS) -> int:
    """The version of the tables once these have run."""
    return FIRST + len(migrations)


def migrate(connection: Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Make the tables, or bring them up to date, in the transaction of `connection`.

    Raises StoreError: a newer program made them, or one from before the first release.
    """
    version = schema_version(connection)
    if version > latest(migrations):
        raise StoreError("store.newer_version")
    if 0 < version < FIRST:
        raise StoreError("This memory was written before the first release of Noted, which cannot read it.")
    if not version:
        metadata.create_all(connection)
        facts = {"id": str(uuid.uuid4()), "secret": secrets.token_hex(32), "version": str(latest(migrations))}
        connection.execute(insert(meta), [{"name": name, "value": value} for name, value in facts.items()])
        connection.execute(insert(counters), {"sequence": 0, "change": 0})
    elif missing := migrations[version - FIRST :]:
        for migration in missing:
            migration(connection)
        connection.execute(update(meta).where(meta.c.name == "version").values(value=str(latest(migrations))))


def schema_version(connection: Connection) -> int:
    """The version of the tables; 0 for an empty database. Raises DamagedLedger: it is not known."""
    if not inspect(connection).has_table(meta.name):
        return 0
    version = connection.execute(select(meta.c.value).where(meta.c.name == "version")).scalar_one()
    try:
        return int(version)
    except (ValueError, TypeError) as error:
        raise DamagedLedger from error
