"""Tables of the ledger. Every row of a user names its owner.

`memory_store.ledger.database.migrations` creates and migrates them. Times are ISO 8601 text in UTC, so that every
database and checksum has the same value. Rows are ordered by `sequence`, never by time.
"""

import json
from collections.abc import Collection
from enum import StrEnum
from functools import partial
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.schema import SchemaItem

PRIVATE = "person"  # scope of an entry that only its owner can read
SHARED = "everyone"  # scope of an entry that everyone can read
SEEN = "seen"  # action of a decision that only records that the entry was in the prompt
NOBODY = ""  # owner of shared copies; never the id of a user


class NameRole(StrEnum):
    """Role of a name; also its scope in the index, distinct from the scopes of entries."""

    ENTITY = "entity"
    RELATION = "relation"


class EventKind(StrEnum):
    """Kind of an event. The index is updated for the first six."""

    SAVED = "saved"
    KEYED = "keyed"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    RESTORED = "restored"
    ERASED = "erased"
    TURN_ERASED = "turn erased"  # the turn was erased, so it must not be written, even if its answer is not finished
    USED = "used"
    HELPED = "helped"
    HURT = "hurt"
    DECLINED = "declined"  # the entry was in the prompt, but the answer does not use it
    REACHED = "reached"  # the reach or another detail of the entry's body changed
    PAUSED = "paused"  # the entry is not used for the user of the event until they resume it
    EXCEPTED = "excepted"  # the entry is not used for questions similar to that of the turn
    USED_AGAIN = "used again"  # removes the exception of the turn; without a turn, the pause and all exceptions


class KeyState(StrEnum):
    """State of the further keys of an entry. NULL if no further keys are wanted."""

    WANTED = "wanted"
    WRITTEN = "written"
    BY_PERSON = "by person"  # the user changed them, so no model writes them


CHANGES = tuple(EventKind)[:6]  # the index is updated for these
COUNTED = (EventKind.USED, EventKind.HELPED, EventKind.HURT)  # each at most once per entry and turn
EVIDENCE = (*COUNTED, EventKind.DECLINED)  # the counters of an entry
LIMITING = (EventKind.PAUSED, EventKind.EXCEPTED, EventKind.USED_AGAIN)  # whether a user allows the use of an entry

Condition = ColumnElement[bool]
write_json = partial(json.dumps, ensure_ascii=False)  # as UTF-8, without escapes, every script takes less space
metadata = MetaData()


def _table(name: str, *parts: str | SchemaItem, may_be_null: Collection[str] = ()) -> Table:
    """Create a table; parts given as strings become text columns."""
    table = Table(name, metadata, *(Column(part, Text) if isinstance(part, str) else part for part in parts))
    for column in table.columns:
        column.nullable = column.name in may_be_null
    return table


def _key(name: str, refers_to: str | None = None) -> Column[str]:
    """Return a text column of the primary key."""
    return Column(name, Text, *([ForeignKey(refers_to)] if refers_to else []), primary_key=True)


def _number(name: str, **more: Any) -> Column[int]:
    return Column(name, BigInteger, **more)


def _index_of_few(name: str, column: str, condition: str) -> Index:
    """Return a partial index of the few rows that meet a condition; other rows cost no index writes."""
    return Index(name, column, sqlite_where=text(condition), postgresql_where=text(condition))


meta = _table("meta", _key("name"), "value")

# One row: the last sequence number, and the sequence number of the last event of `CHANGES`.
counters = _table("counters", _number("sequence"), _number("change"))

entries = _table(
    "entries",
    *(_key("id"), _number("sequence", unique=True), "owner", "scope", "kind", "status", "question"),
    *(Column("body", JSON), "turn_id", "model", "supersedes", "idempotency_key", "created", "checksum", "key_state"),
    # `found_under`: key texts with origins; `search_text`: see `memory_store.ledger.entries`.
    *(Column("found_under", JSON), "search_text"),
    UniqueConstraint("owner", "idempotency_key"),
    Index("entries_by_owner", "owner", "status", "sequence"),
    Index("entries_by_turn", "owner", "turn_id", "status", "sequence"),
    _index_of_few("entries_shared", "status", f"scope = '{SHARED}'"),
    _index_of_few("entries_by_supersedes", "supersedes", "supersedes IS NOT NULL"),
    _index_of_few("entries_wanting_keys", "sequence", f"key_state = '{KeyState.WANTED}'"),
    may_be_null=("supersedes", "key_state"),
)

# Digests that related entries share; see `memory_store.memory.entry_writer`.
forms = _table("forms", _key("entry_id", "entries.id"), _key("form"), "owner", Index("forms_by_owner", "owner", "form"))

# Triples of active facts with folded names, for lookups.
triples = _table(
    "triples",
    *(_key("entry_id", "entries.id"), Column("position", Integer, primary_key=True)),
    *("owner", "subject", "relation", "object"),
    Index("triples_by_subject", "owner", "subject", "relation"),
    Index("triples_by_object", "owner", "object", "relation"),
)

turns = _table(
    "turns",
    *(_key("id"), _number("sequence", unique=True), "owner", "conversation", "question", "created", "model", "state"),
    *("raw", "understanding", "answer", "reply_status", Column("notes", JSON), "correction", Column("used", JSON)),
    *("error", "answers_again", "clarified_with", Column("left_out", JSON), "corrected_by"),
    *(Column("confirmed", Boolean), Column("ms", JSON), "chosen", Column("usage", JSON(none_as_null=True))),
    *(Column("history", JSON(none_as_null=True)), Column("trace", JSON(none_as_null=True))),
    Index("turns_by_conversation", "owner", "conversation", "sequence"),
    may_be_null=(
        *("correction", "answers_again", "clarified_with", "corrected_by"),
        *("chosen", "usage", "history", "trace"),
    ),
)

# Titles that users gave to conversations; without one, the first question is shown.
titles = _table("titles", _key("conversation"), _key("owner"), "title")

# Model costs per day, of all users together.
spending = _table("spending", _key("day"), Column("dollars", Float))

# One row per candidate of a turn, so that erasing an entry also erases the decisions about it. A row with the action
# `SEEN` is not a candidate: the entry was in the prompt through a lookup, or as a copy that is no longer shared.
decisions = _table(
    "decisions",
    *(_key("turn_id", "turns.id"), Column("rank", Integer, primary_key=True), "entry_id", "owner", "key_text"),
    *("key_origin", Column("scores", JSON), "action", Column("probability", Float), "reason"),
    Index("decisions_by_entry", "entry_id"),
)

events = _table(
    "events",
    *(_number("sequence", primary_key=True, autoincrement=False), "kind", "entry_id", "turn_id"),
    *("owner", "created"),
    UniqueConstraint("entry_id", "turn_id", "kind"),
    may_be_null=("turn_id",),
)

# One row per erasure: the deleted counts, and the files that may still have deleted bytes. Names no user.
erasures = _table(
    "erasures",
    *(_key("id"), "created", Column("erased", JSON), Column("in_ledger", Boolean), Column("in_index", Boolean)),
)

# One row per entry ever offered to everyone. Its shared copy is an entry of `NOBODY` with the offer's id as idempotency
# key.
offers = _table(
    "offers",
    *(_key("id"), _number("sequence"), Column("entry_id", Text, ForeignKey("entries.id"), unique=True), "owner"),
    *("state", "offered", "decided_by", "decided", "reason"),
    Index("offers_by_state", "state", "sequence"),
    Index("offers_by_owner", "owner"),
    may_be_null=("decided_by", "decided"),
)

# API tokens. Instead of the secret, a row has a keyed hash of its secret and other columns.
tokens = _table(
    "tokens",
    *(_key("id"), _number("sequence"), "owner", "label", "created", "hash"),
    Index("tokens_by_owner", "owner", "sequence"),
)
