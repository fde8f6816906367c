"""Facts with triples, and the content of a ledger's tables of triples."""

from sqlalchemy import Connection, select

from assistant.kinds import FACT, Fact, Triple
from assistant.types import NewEntry
from memory_store.language.languages import find_unnamed
from memory_store.ledger.database.schema import entries, names, triples
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.triples import SIDES, insert_triples

Told = list[tuple[str, ...]]


def triple(said: str) -> Triple:
    """Parse "Dana | works in | Pune" as a triple."""
    subject, relation, named = (part.strip() for part in said.split("|"))
    return Triple(subject=subject, relation=relation, object=named)


def fact(text: str, *said: str, denied: bool = False, only_in: str = "", turn: str = "") -> NewEntry:
    """Return a fact told without a question, with triples such as "Dana | works in | Pune" named in its text."""
    body = Fact(text=text, denied=denied, only_in=only_in, triples=tuple(map(triple, said)))
    if find_unnamed(body):
        text = f"{text}: {', '.join(each.replace(' | ', ' ') for each in said)}"
        body = body.changed({"text": text})
    return NewEntry(FACT, text, body, FACT.idempotency_key(turn or f"{text} {said}", body), turn)


def read_told(connection: Connection) -> Told:
    """Return owner and folded names of all triples; assert that each name is stored once, and used."""
    by_side = {side: names.alias() for side in SIDES}
    query = select(by_side["subject"].c.owner, *(name.c.form for name in by_side.values()))
    for side, name in by_side.items():
        query = (
            query.join_from(triples, name, name.c.id == triples.c[side])
            if side == SIDES[0]
            else query.join(name, name.c.id == triples.c[side])
        )
    found = [tuple(row) for row in connection.execute(query)]
    used = {(row[0], "relation" if side == 2 else "entity", row[side]) for row in found for side in (1, 2, 3)}
    there = [tuple(row) for row in connection.execute(select(names.c.owner, names.c.role, names.c.form))]
    assert sorted(there) == sorted(used)
    return sorted(found)


def compute_tables(ledger: Ledger) -> Told:
    """Return the content of the tables if they were rebuilt from the entries; changes nothing."""
    with ledger.write() as connection:
        connection.execute(triples.delete())
        connection.execute(names.delete())
        rows = connection.execute(select(entries)).mappings().all()
        for owner in {row["owner"] for row in rows}:
            own = [row for row in rows if row["owner"] == owner]
            insert_triples(connection, ledger, own, owner)
        made = read_told(connection)
        connection.rollback()
    return made
