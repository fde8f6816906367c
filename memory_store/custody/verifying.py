"""Looks through the whole ledger: whether every row is what was written, and belongs to what it must belong to."""

from collections.abc import Iterator

from sqlalchemy import Column, Connection, func, select

from assistant.errors import StoreError
from assistant.reports.upkeep import Damage, Progress
from memory_store.ledger.database.schema import (
    CHANGES,
    PRIVATE,
    EventKind,
    counters,
    decisions,
    entries,
    events,
    forms,
    keys,
    names,
    searchable,
    triples,
    turns,
)
from memory_store.ledger.entries import read_entries_by_id
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import batches
from memory_store.ledger.triples import IS_USED, differing

_NOT_SAVED = "it is not what was saved"


def count_entries(ledger: Ledger) -> int:
    """How many entries there are, of whatever status; 0 where they cannot be counted."""
    try:
        with ledger.read() as connection:
            return int(connection.execute(select(func.count()).select_from(entries)).scalar_one())
    except StoreError:
        return 0


def damage_in(ledger: Ledger, progress: Progress) -> Iterator[Damage]:
    """Everything in the ledger that is not as it must be. Where one check cannot go on, the others still do."""
    for check in (_faults, _entries, _strays, _counters, _forms, _triples):
        try:
            yield from check(ledger, progress)
        except StoreError as error:
            yield Damage("file", "", str(error))


def _faults(ledger: Ledger, progress: Progress) -> Iterator[Damage]:
    progress("The ledger's file…")
    for fault in ledger.faults():
        yield Damage("file", "", fault)


def _entries(ledger: Ledger, progress: Progress) -> Iterator[Damage]:
    """Entries with their keys, by their checksums."""
    with ledger.read() as connection:
        for some in _pages(connection, entries.c.id, progress):
            whole = {entry.id for entry in read_entries_by_id(connection, some)}
            yield from (Damage("entry", entry_id, _NOT_SAVED) for entry_id in some if entry_id not in whole)


def _strays(ledger: Ledger, _progress: Progress) -> Iterator[Damage]:
    """Rows that belong to nothing."""
    kept = select(events.c.entry_id.label("id")).where(events.c.kind == EventKind.SAVED.value).subquery()
    for child, parent, word, trouble in (
        (keys.c.entry_id, entries, "keys of entry", "there is no such entry"),
        (searchable.c.entry_id, entries, "searchable texts of entry", "there is no such entry"),
        (forms.c.entry_id, entries, "forms of entry", "there is no such entry"),
        (triples.c.entry_id, entries, "triples of entry", "there is no such entry"),
        (decisions.c.turn_id, turns, "decisions of turn", "there is no such turn"),
        (kept.c.id, entries, "entry", "it was saved, and is gone"),
    ):
        query = select(child).distinct().outerjoin(parent, parent.c.id == child).where(parent.c.id.is_(None))
        with ledger.read() as connection:
            for stray in connection.execute(query.order_by(child)).scalars():
                yield Damage(word, str(stray), trouble)


def _counters(ledger: Ledger, _progress: Progress) -> Iterator[Damage]:
    """The numbers handed out so far: a number must not be given twice."""
    changes = select(func.max(events.c.sequence)).where(events.c.kind.in_([kind.value for kind in CHANGES]))
    with ledger.read() as connection:
        rows = connection.execute(select(counters)).all()
        used = [
            connection.execute(select(func.max(table.c.sequence))).scalar() or 0 for table in (entries, events, turns)
        ]
        changed = connection.execute(changes).scalar() or 0
    if len(rows) != 1:
        yield Damage("counters", "", "they are gone, or there twice")
    elif not (_reaches(rows[0].sequence, *used) and _reaches(rows[0].change, changed)):
        yield Damage("counters", "", "they are behind what was written")


def _forms(ledger: Ledger, _progress: Progress) -> Iterator[Damage]:
    """By its forms an entry is compared with new ones. Those saved before there were any have none."""
    formed = select(forms.c.entry_id)
    first = select(func.min(entries.c.sequence)).where(entries.c.id.in_(formed)).scalar_subquery()
    lost = select(entries.c.id).where(
        entries.c.scope == PRIVATE, entries.c.sequence > first, entries.c.id.not_in(formed)
    )
    with ledger.read() as connection:
        for entry_id in connection.execute(lost.order_by(entries.c.id)).scalars():
            yield Damage("entry", str(entry_id), "its forms are gone, so that it is not compared with new ones")


def _triples(ledger: Ledger, progress: Progress) -> Iterator[Damage]:
    """What can be asked of facts is made of what they say; names that none has are gone with the last one."""
    with ledger.read() as connection:
        for some in _pages(connection, entries.c.id, progress):
            for entry_id in differing(connection, some):
                yield Damage("triples of entry", entry_id, "they are not what it says")
        for name in connection.execute(select(names.c.id).where(~IS_USED).order_by(names.c.id)).scalars():
            yield Damage("name", str(name), "no fact has it")


def _pages(connection: Connection, column: Column[str], progress: Progress) -> Iterator[list[str]]:
    """The different values of a table's first column, some at a time."""
    values = connection.execute(select(column).distinct().order_by(column)).scalars().all()
    done = 0
    for some in batches(values):
        yield list(some)
        done += len(some)
        progress(f"{column.table.name.capitalize()}: {done:,} of {len(values):,} looked at.")


def _reaches(counter: object, *used: object) -> bool:
    return isinstance(counter, int) and all(isinstance(number, int) and number <= counter for number in used)
