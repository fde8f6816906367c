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
from memory_store.ledger.rows import IDS, Row, read_rows_with, split_into_batches

SIDES = ("subject", "relation", "object")
_INSERT_NAMES, _INSERT_TRIPLES = sa.insert(names), sa.insert(triples)
_TOLD = sa.select(*(triples.c[side] for side in SIDES)).where(triples.c.entry_id.in_(IDS))
_DELETE_TRIPLES = sa.delete(triples).where(triples.c.entry_id.in_(IDS))
_DELETE_NAMES = sa.delete(names).where(names.c.id.in_(IDS))
_DELETE_EVENTS = sa.delete(events).where(events.c.entry_id.in_(IDS))
_KNOWN = sa.select(names.c.id, names.c.role, names.c.form).where(
    names.c.owner == sa.bindparam("owner"), names.c.form.in_(IDS)
)
_IS_USED = sa.exists().where(sa.or_(*(triples.c[side] == names.c.id for side in SIDES)))
_USED = sa.select(names.c.id, names.c.text).where(names.c.id.in_(IDS), _IS_USED)
_WITH_NAME = sa.or_(*(triples.c[side] == sa.bindparam("name") for side in SIDES))
_A_TRIPLE_WITH = sa.select(triples, entries.c.body).join(entries).where(_WITH_NAME).limit(1)


def read_row_triples(row: Row) -> Sequence[Mapping[str, str]]:
    """Return the triples in the row of an entry; none if it is inactive or denies them."""
    body = row["body"] or {}  # None if damaged
    counts = row["status"] == Status.ACTIVE and not body.get("denied")
    return body.get("triples", ()) if counts else ()


def insert_names(connection: sa.Connection, ledger: Ledger, rows: Iterable[Row], owner: str) -> list[Row]:
    """Insert the names in an owner's entries, and return their triples as rows for `insert_triples`."""
    placed_triples = [(row["id"], place, triple) for row in rows for place, triple in enumerate(read_row_triples(row))]
    if not placed_triples:
        return []
    texts: dict[tuple[str, str], str] = {}  # role and form of each name
    for _, _, triple in placed_triples:
        for side in SIDES:
            texts.setdefault(_name_key(side, triple), triple[side])
    ids: dict[tuple[str, str], int] = {}
    for forms in split_into_batches({form for _, form in texts}):
        known = connection.execute(_KNOWN, {"owner": owner, "ids": forms})
        ids |= {name: row.id for row in known if (name := (row.role, row.form)) in texts}
    new = [name for name in texts if name not in ids]
    if new:
        numbers = ledger.append_all(connection, EventKind.NAMED, [{"turn_id": None}] * len(new), owner)
        ids |= dict(zip(new, numbers, strict=True))
        columns = [{"id": ids[name], "role": name[0], "form": name[1], "text": texts[name]} for name in new]
        connection.execute(_INSERT_NAMES, [{"owner": owner, **row} for row in columns])
    return [
        {"entry_id": entry_id, "position": place, **{side: ids[_name_key(side, triple)] for side in SIDES}}
        for entry_id, place, triple in placed_triples
    ]


def insert_triples(connection: sa.Connection, rows: Sequence[Row]) -> None:
    if rows:
        connection.execute(_INSERT_TRIPLES, rows)


def remove_triples(connection: sa.Connection, ledger: Ledger, entry_ids: Collection[str], owner: str = NOBODY) -> None:
    """Delete the triples of entries, and the names that no other entry has; their events name the `owner`.

    Names that stay take the spelling of a remaining entry, so that no erased spelling is kept.
    """
    touched: set[int] = set()
    for some in split_into_batches(entry_ids):
        touched.update(*connection.execute(_TOLD, {"ids": some}).all())
        connection.execute(_DELETE_TRIPLES, {"ids": some})
    for ids in split_into_batches(sorted(touched)):
        used = {row.id: row.text for row in connection.execute(_USED, {"ids": ids})}
        changed = [name for name in ids if name not in used]
        connection.execute(_DELETE_NAMES, {"ids": changed})
        connection.execute(_DELETE_EVENTS, {"ids": list(map(str, changed))})
        for name, text in used.items():
            spelled = _find_spelling(connection, name)
            if spelled not in {None, text}:
                connection.execute(sa.update(names).where(names.c.id == name).values(text=spelled))
                changed.append(name)
        rows = [{"entry_id": str(name), "turn_id": None} for name in changed]
        ledger.append_all(connection, EventKind.NAMED, rows, owner)


def read_names(connection: sa.Connection, ids: Iterable[int]) -> list[Row]:
    """Return the existing names with these ids, in no order."""
    return [row._asdict() for row in read_rows_with(connection, sa.select(names), names.c.id, ids)]


def _name_key(side: str, triple: Mapping[str, str]) -> tuple[str, str]:
    role = NameRole.RELATION if side == "relation" else NameRole.ENTITY
    return role.value, fold_name(triple[side])


def _find_spelling(connection: sa.Connection, name: int) -> str | None:
    """Return the spelling of a name in one of the entries; None if that entry is damaged."""
    row = connection.execute(_A_TRIPLE_WITH, {"name": name}).one()
    side = next(side for side in SIDES if getattr(row, side) == name)
    try:
        return str(row.body["triples"][row.position][side])
    except (TypeError, LookupError):
        return None
