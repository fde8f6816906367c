"""What the ledger notes of embedders: whose settings named each last, the name of its table, and how far that is.

It stands in the ledger because all that use an index use that, wherever the index lies.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, insert, select

from assistant.errors import StoreError
from assistant.sentences import Sentence
from memory_store.ledger.database.schema import entries, meta
from memory_store.ledger.entries import ACTIVE
from memory_store.ledger.ledger import Ledger

KEPT_FOR = timedelta(days=1)
"""How long a table stays after settings named its embedder for the last time."""
NO_KEY = "none"
"""The key of none, which finds by surface form."""
_NOTE = "embedder "
_SELDOM = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class EmbedderRecord:
    """One embedder."""

    table: str
    named: str  # when settings named it last, in ISO 8601
    read: int = 0  # entries that were read for its table
    of: int = 0  # so many; 0 once it is whole


def records(ledger: Ledger) -> Mapping[str, EmbedderRecord]:
    """Of all that were ever in use here, by key, the last one that settings named first. Raises StoreError."""
    with ledger.read() as connection:
        rows = connection.execute(select(meta).where(meta.c.name.startswith(_NOTE)))
        found = [(row.name.removeprefix(_NOTE), EmbedderRecord(**json.loads(row.value))) for row in rows]
    return dict(sorted(found, key=lambda one: one[1].named, reverse=True))


def how_far(ledger: Ledger, key: str, name: str, why: Sentence) -> Sentence:
    """Why an embedder is in use, and how far its table is, while that is made."""
    try:
        record = records(ledger).get(key)
    except StoreError:
        return why
    if record is None or not record.of:
        return why
    far: dict[str, str | float | Sentence] = {"model": name, "read": record.read, "of": record.of}
    return Sentence("embedder.reading_anew", far | {"used": why})


def wanted_tables(ledger: Ledger) -> set[str]:
    """The tables of embedders that settings named lately. Raises StoreError."""
    oldest = datetime.fromisoformat(ledger.now()) - KEPT_FOR
    found = records(ledger).values()
    return {record.table for record in found if datetime.fromisoformat(record.named) >= oldest}


def note_named(ledger: Ledger, key: str, table: str) -> None:
    """Settings name this embedder, which is written once in a while. Raises StoreError."""
    known, now = records(ledger).get(key), ledger.now()
    if known is not None and known.table == table:
        passed = datetime.fromisoformat(now) - datetime.fromisoformat(known.named)
        if timedelta() <= passed < _SELDOM:
            return
    _write(ledger, key, EmbedderRecord(table, now))


def note_progress(ledger: Ledger, key: str, table: str, read: int | None) -> None:
    """So many entries are in its table; None once it is whole. Raises StoreError."""
    of = 0
    if read is not None:
        with ledger.read() as connection:
            of = connection.execute(select(func.count()).select_from(entries).where(ACTIVE)).scalar_one()
    _write(ledger, key, EmbedderRecord(table, ledger.now(), min(read or 0, of), of))


def _write(ledger: Ledger, key: str, record: EmbedderRecord) -> None:
    with ledger.write() as connection:
        connection.execute(delete(meta).where(meta.c.name == _NOTE + key))
        connection.execute(insert(meta), {"name": _NOTE + key, "value": json.dumps(asdict(record))})
