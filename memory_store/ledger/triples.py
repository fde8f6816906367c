"""Triples of facts as rows for lookups, derived from the bodies of active entries.

Each owner has one row per name of a thing or relation, compared in folded form and spelled as in one of the facts. The
first fact with a name inserts it and the last one removes it; the index follows.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

import sqlalchemy as sa

from assistant.types import Status
from memory_store.language.normalize import fold_name
from memory_store.ledger.database.schema import NOBODY, EventKind, NameRole, entries, events, names, triples
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import Row, read_rows_with, split_into_batches

SIDES = ("subject", "relation", "object")


def insert_triples(connection: sa.Connection, ledger: Ledger, rows: Iterable[Row], owner: str) -> None:
    """Insert the triples of an owner's entries, and their names."""
    told = [(row["id"], place, triple) for row in rows for place, triple in enumerate(_read_triples(row))]
    if not told:
        return
    texts: dict[tuple[str, str], str] = {}  # role and form of each name
    for _, _, triple in told:
        for side in SIDES:
            texts.setdefault(_name_key(side, triple), triple[side])
    own = sa.select(names.c.id, names.c.role, names.c.form).where(names.c.owner == owner)
    known = read_rows_with(connection, own, names.c.form, {form for _, form in texts})
    ids = {(row.role, row.form): row.id for row in known}
    new = [name for name in texts if name not in ids]
    if new:
        numbers = ledger.append_all(connection, EventKind.NAMED, [(None, None)] * len(new), owner)
        ids |= dict(zip(new, numbers, strict=True))
        columns = [{"id": ids[name], "role": name[0], "form": name[1], "text": texts[name]} for name in new]
        connection.execute(sa.insert(names), [{"owner": owner, **row} for row in columns])
    placed = (({"entry_id": entry_id, "position": place}, triple) for entry_id, place, triple in told)
    columns = [row | {side: ids[_name_key(side, triple)] for side in SIDES} for row, triple in placed]
    connection.execute(sa.insert(triples), columns)


def remove_triples(connection: sa.Connection, ledger: Ledger, entry_ids: Collection[str], owner: str = NOBODY) -> None:
    """Delete the triples of entries, and the names that no other entry has; their events name the `owner`.

    Names that stay take the spelling of a remaining entry, so that no erased spelling is kept.
    """
    touched: set[int] = set()
    for some in split_into_batches(entry_ids):
        of_these = triples.c.entry_id.in_(some)
        touched.update(*connection.execute(sa.select(*(triples.c[side] for side in SIDES)).where(of_these)).all())
        connection.execute(sa.delete(triples).where(of_these))
    is_used = sa.exists().where(sa.or_(*(triples.c[side] == names.c.id for side in SIDES)))
    still = read_rows_with(connection, sa.select(names.c.id, names.c.text).where(is_used), names.c.id, touched)
    used = {row.id: row.text for row in still}
    changed = sorted(touched - used.keys())
    for names_gone in split_into_batches(changed):
        connection.execute(sa.delete(names).where(names.c.id.in_(names_gone)))
        connection.execute(sa.delete(events).where(events.c.entry_id.in_(map(str, names_gone))))
    for name, text in used.items():
        spelled = _find_spelling(connection, name)
        if spelled not in {None, text}:
            connection.execute(sa.update(names).where(names.c.id == name).values(text=spelled))
            changed.append(name)
    ledger.append_all(connection, EventKind.NAMED, [(str(name), None) for name in changed], owner)


def read_names(connection: sa.Connection, ids: Iterable[int]) -> list[Row]:
    """Return the existing names with these ids, in no order."""
    return [row._asdict() for row in read_rows_with(connection, sa.select(names), names.c.id, ids)]


def _read_triples(row: Row) -> Sequence[Mapping[str, str]]:
    """Return the triples in the row of an entry; none if it is inactive or denies them."""
    body = row["body"] or {}  # None if damaged
    counts = row["status"] == Status.ACTIVE and not body.get("denied")
    return body.get("triples", ()) if counts else ()


def _name_key(side: str, triple: Mapping[str, str]) -> tuple[str, str]:
    role = NameRole.RELATION if side == "relation" else NameRole.ENTITY
    return role.value, fold_name(triple[side])


def _find_spelling(connection: sa.Connection, name: int) -> str | None:
    """Return the spelling of a name in one of the entries; None if that entry is damaged."""
    with_name = sa.or_(*(triples.c[side] == name for side in SIDES))
    row = connection.execute(sa.select(triples, entries.c.body).join(entries).where(with_name).limit(1)).one()
    side = next(side for side in SIDES if getattr(row, side) == name)
    try:
        return str(row.body["triples"][row.position][side])
    except (TypeError, LookupError):
        return None
