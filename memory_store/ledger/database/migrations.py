"""Numbered changes of the ledger's tables, oldest first.

A migration never changes once it is released, and never looks at `memory_store.ledger.database.schema`, which tells of
today only. All that are missing run in one transaction, which also records the new version. The statements are those
that SQLite and PostgreSQL both read.
"""

import secrets
import uuid
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from sqlalchemy import JSON, BindParameter, Connection, bindparam, inspect, text

from assistant.errors import DamagedLedger, StoreError
from memory_store.ledger.rows import batches, checksum

Migration = Callable[[Connection], None]


def _statements(statements: str) -> Migration:
    def migration(connection: Connection) -> None:
        for statement in statements.split(";"):
            connection.execute(text(statement))

    return migration


def m001_first_tables(connection: Connection) -> None:
    """Entries, keys, turns, decisions, events, and who this ledger is.

    Most entries stand in no index that has a condition, so that saving one writes fewer pages.
    """
    _statements(_FIRST_TABLES)(connection)
    identity = {"id": str(uuid.uuid4()), "secret": secrets.token_hex(32), "version": "0"}
    for name, value in identity.items():
        connection.execute(
            text("INSERT INTO meta (name, value) VALUES (:name, :value)"), {"name": name, "value": value}
        )
    connection.execute(text("INSERT INTO counters (sequence, change) VALUES (0, 0)"))


# Entries say whether a model is to write further keys for them. For those saved before, nobody is asked to.
m002_who_writes_keys = _statements("""
ALTER TABLE entries ADD COLUMN key_state TEXT;
CREATE INDEX entries_wanting_keys ON entries (sequence) WHERE key_state = 'wanted'
""")

# Forms, by which entries about the same are found. An entry from before has none until it is edited.
m003_forms = _statements("""
CREATE TABLE forms (
    entry_id TEXT NOT NULL REFERENCES entries (id),
    form TEXT NOT NULL,
    owner TEXT NOT NULL,
    PRIMARY KEY (entry_id, form)
);
CREATE INDEX forms_by_owner ON forms (owner, form)
""")

# Turns, decisions and events get checksums, as entries have. Those from before have none until they change.
m004_checksums = _statements("""
ALTER TABLE turns ADD COLUMN checksum TEXT;
ALTER TABLE decisions ADD COLUMN checksum TEXT;
ALTER TABLE events ADD COLUMN checksum TEXT
""")

# Erasures, and where their bytes may still lie. What was erased before had its owner noted; that goes.
m005_erasures = _statements("""
CREATE TABLE erasures (
    id TEXT NOT NULL PRIMARY KEY,
    created TEXT NOT NULL,
    erased JSON NOT NULL,
    in_ledger BOOLEAN NOT NULL,
    in_index BOOLEAN NOT NULL
);
UPDATE events SET owner = '', checksum = NULL WHERE kind = 'erased'
""")

# What people offered to everyone, and what became of it. Nothing was offered before.
m006_offers = _statements("""
CREATE TABLE offers (
    id TEXT NOT NULL PRIMARY KEY,
    sequence BIGINT NOT NULL,
    entry_id TEXT NOT NULL UNIQUE REFERENCES entries (id),
    owner TEXT NOT NULL,
    state TEXT NOT NULL,
    offered TEXT NOT NULL,
    decided_by TEXT,
    decided TEXT,
    reason TEXT NOT NULL,
    checksum TEXT NOT NULL
);
CREATE INDEX offers_by_state ON offers (state, sequence);
CREATE INDEX offers_by_owner ON offers (owner)
""")

# What the model cost, by day.
m007_spending = _statements("CREATE TABLE spending (day TEXT NOT NULL PRIMARY KEY, dollars FLOAT NOT NULL)")

# Which turns used what is shared no longer. Of what ended before, that is not known.
m008_shared_uses = _statements("""
CREATE TABLE shared_uses (
    entry_id TEXT NOT NULL REFERENCES entries (id),
    turn_id TEXT NOT NULL REFERENCES turns (id),
    PRIMARY KEY (entry_id, turn_id)
);
CREATE INDEX shared_uses_by_turn ON shared_uses (turn_id)
""")

# Tokens, with which programs speak for a person.
m009_tokens = _statements("""
CREATE TABLE tokens (
    id TEXT NOT NULL PRIMARY KEY,
    sequence BIGINT NOT NULL,
    owner TEXT NOT NULL,
    label TEXT NOT NULL,
    created TEXT NOT NULL,
    hash TEXT NOT NULL
);
CREATE INDEX tokens_by_owner ON tokens (owner, sequence)
""")

# The names that people gave to conversations, and the note that a person chose for an answer. None so far.
m010_titles_and_chosen_notes = _statements("""
CREATE TABLE titles (
    conversation TEXT NOT NULL,
    owner TEXT NOT NULL,
    title TEXT NOT NULL,
    checksum TEXT NOT NULL,
    PRIMARY KEY (conversation, owner)
);
ALTER TABLE turns ADD COLUMN chosen TEXT
""")


# What each entry says, as it is searched in any script. How that is made changes, so no migration makes it: `Ledger`
# fills in what is missing (`memory_store.ledger.searchable.fill_searchable`).
m011_searchable = _statements("""
CREATE TABLE searchable (
    entry_id TEXT NOT NULL PRIMARY KEY REFERENCES entries (id),
    owner TEXT NOT NULL,
    text TEXT NOT NULL
)
""")

# An entry may count in one conversation only. Those saved before count in all.
m012_entries_of_one_conversation = _statements("ALTER TABLE entries ADD COLUMN only_in TEXT")

# Turns say what they took of the model. Of those from before, that is not known.
m013_usage = _statements("ALTER TABLE turns ADD COLUMN usage JSON")

# Turns say which earlier ones stood in their prompt. Of those from before, that is not known, so any may have.
# Uses by way of an earlier turn that is no more are noted too.
m014_histories = _statements("""
ALTER TABLE turns ADD COLUMN history JSON;
ALTER TABLE shared_uses RENAME TO past_uses
""")

# What time it is, is noted otherwise; see `memory_store.custody.retention`.
m015_passing_time = _statements("DELETE FROM meta WHERE name = 'retention'")


def m016_bodies(connection: Connection) -> None:
    """What an entry says stands in one column, so that a new kind of entries needs no migration.

    A damaged entry keeps its checksum, which is wrong for what it says now as it was for what it said.
    """
    connection.execute(text("ALTER TABLE entries ADD COLUMN body JSON NOT NULL DEFAULT '{}'"))
    named: BindParameter[list[str]] = bindparam("ids", expanding=True)
    read = text("SELECT * FROM entries WHERE id IN :ids").bindparams(named)
    read_keys = text("SELECT * FROM keys WHERE entry_id IN :ids ORDER BY position").bindparams(named)
    write = text("UPDATE entries SET body = :body, checksum = :checksum WHERE id = :id")
    write = write.bindparams(bindparam("body", type_=JSON))
    for ids in batches(connection.execute(text("SELECT id FROM entries")).scalars().all()):
        keys: defaultdict[str, list[dict[Any, Any]]] = defaultdict(list)
        for key in connection.execute(read_keys, {"ids": ids}).mappings():
            keys[key["entry_id"]].append(dict(key))
        rows = []
        for row in connection.execute(read, {"ids": ids}).mappings():
            kept = {name: value for name, value in row.items() if name != "body"}
            is_whole = row["checksum"] == checksum(kept, keys[row["id"]])
            body = {name: said for name in _BODY if (said := kept.pop(name))}
            seal = checksum({**kept, "body": body}, keys[row["id"]]) if is_whole else row["checksum"]
            rows.append({"id": row["id"], "body": body, "checksum": seal})
        connection.execute(write, rows)
    for name in _BODY:
        connection.execute(text(f"ALTER TABLE entries DROP COLUMN {name}"))


_BODY = ("text", "wrong_understanding", "understanding", "answer", "only_in")

# Turns keep what else a reply says, or what else is left of how it came about.
m017_trace = _statements("ALTER TABLE turns ADD COLUMN trace JSON")

# What facts say of which things. None said so before.
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

MIGRATIONS: tuple[Migration, ...] = (
    *(m001_first_tables, m002_who_writes_keys, m003_forms, m004_checksums, m005_erasures, m006_offers, m007_spending),
    *(m008_shared_uses, m009_tokens, m010_titles_and_chosen_notes, m011_searchable, m012_entries_of_one_conversation),
    *(m013_usage, m014_histories, m015_passing_time, m016_bodies, m017_trace),
    m018_triples,
)


def migrate(connection: Connection, migrations: tuple[Migration, ...] = MIGRATIONS) -> None:
    """Bring the tables up to date, in the transaction of `connection`. Raises StoreError: a newer program made them."""
    version = schema_version(connection)
    if version > len(migrations):
        raise StoreError("store.newer_version")
    if version == len(migrations):
        return
    for migration in migrations[version:]:
        migration(connection)
    connection.execute(text("UPDATE meta SET value = :value WHERE name = 'version'"), {"value": str(len(migrations))})


def schema_version(connection: Connection) -> int:
    """How many migrations have run; 0 for an empty database. Raises DamagedLedger: it is not known."""
    if not inspect(connection).has_table("meta"):
        return 0
    version = connection.execute(text("SELECT value FROM meta WHERE name = 'version'")).scalar_one()
    try:
        return int(version)
    except (ValueError, TypeError) as error:
        raise DamagedLedger from error


_FIRST_TABLES = """
CREATE TABLE meta (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);

CREATE TABLE counters (sequence BIGINT NOT NULL, change BIGINT NOT NULL);

CREATE TABLE entries (
    id TEXT NOT NULL PRIMARY KEY,
    sequence BIGINT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    scope TEXT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    question TEXT NOT NULL,
    text TEXT NOT NULL,
    wrong_understanding TEXT NOT NULL,
    understanding TEXT NOT NULL,
    answer TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    model TEXT NOT NULL,
    supersedes TEXT,
    idempotency_key TEXT NOT NULL,
    created TEXT NOT NULL,
    checksum TEXT NOT NULL,
    UNIQUE (owner, idempotency_key)
);
CREATE INDEX entries_by_owner ON entries (owner, status, sequence);
CREATE INDEX entries_by_turn ON entries (owner, turn_id, status, sequence);
CREATE INDEX entries_shared ON entries (status) WHERE scope = 'everyone';
CREATE INDEX entries_by_supersedes ON entries (supersedes) WHERE supersedes IS NOT NULL;

CREATE TABLE keys (
    entry_id TEXT NOT NULL REFERENCES entries (id),
    position INTEGER NOT NULL,
    owner TEXT NOT NULL,
    text TEXT NOT NULL,
    origin TEXT NOT NULL,
    PRIMARY KEY (entry_id, position)
);

CREATE TABLE turns (
    id TEXT NOT NULL PRIMARY KEY,
    sequence BIGINT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    conversation TEXT NOT NULL,
    question TEXT NOT NULL,
    created TEXT NOT NULL,
    model TEXT NOT NULL,
    state TEXT NOT NULL,
    raw TEXT NOT NULL,
    understanding TEXT NOT NULL,
    answer TEXT NOT NULL,
    reply_status TEXT NOT NULL,
    notes JSON NOT NULL,
    correction TEXT,
    used JSON NOT NULL,
    error TEXT NOT NULL,
    answers_again TEXT,
    clarified_with TEXT,
    left_out JSON NOT NULL,
    corrected_by TEXT,
    confirmed BOOLEAN NOT NULL,
    ms JSON NOT NULL
);
CREATE INDEX turns_by_conversation ON turns (owner, conversation, sequence);

CREATE TABLE decisions (
    turn_id TEXT NOT NULL REFERENCES turns (id),
    rank INTEGER NOT NULL,
    entry_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    key_text TEXT NOT NULL,
    key_origin TEXT NOT NULL,
    scores JSON NOT NULL,
    action TEXT NOT NULL,
    probability FLOAT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (turn_id, rank)
);
CREATE INDEX decisions_by_entry ON decisions (entry_id);

CREATE TABLE events (
    sequence BIGINT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    entry_id TEXT NOT NULL,
    turn_id TEXT,
    owner TEXT NOT NULL,
    created TEXT NOT NULL,
    UNIQUE (entry_id, turn_id, kind)
)
"""
