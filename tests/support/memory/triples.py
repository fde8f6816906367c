"""Facts with triples, and the content of a ledger's table of triples."""

from sqlalchemy import Connection, select

from assistant.kinds import FACT, Fact, Triple
from assistant.types import NewEntry
from memory_store.ledger.database.schema import entries, triples
from memory_store.ledger.entries import find_unnamed, insert_triples
from memory_store.ledger.ledger import Ledger

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
    """Return owner and folded names of all triples."""
    columns = (triples.c.owner, triples.c.subject, triples.c.relation, triples.c.object)
    return sorted(tuple(row) for row in connection.execute(select(*columns)))


def compute_tables(ledger: Ledger) -> Told:
    """Return the content of the table if it was rebuilt from the entries; changes nothing."""
    with ledger.write() as connection:
        connection.execute(triples.delete())
        insert_triples(connection, connection.execute(select(entries)).mappings().all())
        made = read_told(connection)
        connection.rollback()
    return made
