"""The tables of the ledger. Every row that belongs to a person names its owner.

`memory_store.ledger.database.migrations` makes them, also of those of older programs. Times are ISO 8601 in UTC as
text, so that they read the same in every database and under the checksum of an entry. Order never comes from them: it
comes from `sequence`.
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

PRIVATE = "person"  # scope of an entry that counts for its owner only
SHARED = "everyone"  # scope of an entry that counts for everyone
SEEN = "seen"  # action of a decision that says only that the entry was in view
NOBODY = ""  # owner of what is shared with everyone: no scope has it, as it cannot be the id of a user


class NameRole(StrEnum):
    """What a name is of; also its scope in the index, where no scope of entries is one of these."""

    ENTITY = "entity"
    RELATION = "relation"


class EventKind(StrEnum):
    """What happened. The first seven change what can be found, so the index follows them."""

    SAVED = "saved"
    KEYED = "keyed"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    RESTORED = "restored"
    ERASED = "erased"
    NAMED = "named"  # of a thing or a relation: it has a name from now on, or another, or none any more
    TURN_ERASED = "turn erased"  # about a turn. A turn that is still being answered must not be written back
    USED = "used"
    HELPED = "helped"
    HURT = "hurt"
    DECLINED = "declined"  # it stood among the notes of an answer, which does not rest on it
    REACHED = "reached"  # for which questions it counts was changed
    PAUSED = "paused"  # for the person whose event it is, until they use it again
    EXCEPTED = "excepted"  # so for questions that are asked like that of the turn
    USED_AGAIN = "used again"  # with a turn, an exception for it is taken back; without one, all that keeps it from use


class KeyState(StrEnum):
    """Who is to write the further keys of an entry. Without a word, nobody is."""

    WANTED = "wanted"
    WRITTEN = "written"
    BY_PERSON = "by person"  # a person changed them, so no model does


CHANGES = (
    *(EventKind.SAVED, EventKind.KEYED, EventKind.SUPERSEDED),
    *(EventKind.RETRACTED, EventKind.RESTORED, EventKind.ERASED, EventKind.NAMED),
)  # the index follows these
COUNTED = (EventKind.USED, EventKind.HELPED, EventKind.HURT)  # each at most once per entry and turn
EVIDENCE = (*COUNTED, EventKind.DECLINED)  # the counters of an entry
REACTIONS = (EventKind.HELPED, EventKind.HURT)
LIMITING = (EventKind.PAUSED, EventKind.EXCEPTED, EventKind.USED_AGAIN)  # a user keeps an entry from use, or no more

written_json = partial(json.dumps, ensure_ascii=False)  # every script takes the bytes that it takes as text
metadata = MetaData()


def _table(name: str, *parts: str | SchemaItem, may_be_null: Collection[str] = ()) -> Table:
    """Return a table with its columns, of which those given by name hold text, and its indexes."""
    table = Table(name, metadata, *(Column(part, Text) if isinstance(part, str) else part for part in parts))
    for column in table.columns:
        column.nullable = column.name in may_be_null
    return table


def _key(name: str, refers_to: str | None = None) -> Column[str]:
    """Return a column of text that belongs to the primary key."""
    return Column(name, Text, *([ForeignKey(refers_to)] if refers_to else []), primary_key=True)


def _number(name: str, **more: Any) -> Column[int]:
    return Column(name, BigInteger, **more)


def _index_of_few(name: str, column: str, condition: str) -> Index:
    """Return an index of the few rows that meet a condition: saving others writes fewer pages."""
    return Index(name, column, sqlite_where=text(condition), postgresql_where=text(condition))


meta = _table("meta", _key("name"), "value")

# One row: the last sequence number handed out, and the number of the last event that the index follows.
counters = _table("counters", _number("sequence"), _number("change"))

entries = _table(
    "entries",
    *(_key("id"), _number("sequence", unique=True), "owner", "scope", "kind", "status", "question"),
    *(Column("body", JSON), "turn_id", "model", "supersedes", "idempotency_key", "created", "checksum", "key_state"),
    UniqueConstraint("owner", "idempotency_key"),
    Index("entries_by_owner", "owner", "status", "sequence"),
    Index("entries_by_turn", "owner", "turn_id", "status", "sequence"),
    _index_of_few("entries_shared", "status", f"scope = '{SHARED}'"),
    _index_of_few("entries_by_supersedes", "supersedes", "supersedes IS NOT NULL"),
    _index_of_few("entries_wanting_keys", "sequence", f"key_state = '{KeyState.WANTED}'"),
    may_be_null=("supersedes", "key_state"),
)

keys = _table(
    "keys",
    *(_key("entry_id", "entries.id"), Column("position", Integer, primary_key=True), "owner", "text", "origin"),
)

# What each entry says, as it is searched; see `memory_store.ledger.searchable`.
searchable = _table("searchable", _key("entry_id", "entries.id"), "owner", "text")

# Digests of texts of which entries share one where they may be about the same; see `memory_store.memory.saving`.
forms = _table("forms", _key("entry_id", "entries.id"), _key("form"), "owner", Index("forms_by_owner", "owner", "form"))

# What the facts that count say of which things, and what these and the relations between them are called; see
# `memory_store.ledger.triples`.
names = _table(
    "names",
    *(_number("id", primary_key=True, autoincrement=False), "owner", "role", "form", "text"),
    UniqueConstraint("owner", "form", "role"),
)
triples = _table(
    "triples",
    *(_key("entry_id", "entries.id"), Column("position", Integer, primary_key=True)),
    *(Column(side, BigInteger, ForeignKey("names.id")) for side in ("subject", "relation", "object")),
    Index("triples_by_subject", "subject", "relation"),
    Index("triples_by_object", "object", "relation"),
    Index("triples_by_relation", "relation"),
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

# The names that people gave to conversations. One without a name is called by its first question.
titles = _table("titles", _key("conversation"), _key("owner"), "title")

# What the model cost, by day; of nobody in particular.
spending = _table("spending", _key("day"), Column("dollars", Float))

# One row per candidate of a turn, so that erasing an entry erases what turns say of it. A row of the action `SEEN` is
# no candidate: what was written for the turn had the entry in view, by a lookup or as a copy that is no longer shared.
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

# One row per erasure: what it erased, and where its bytes may still lie. It names nobody.
erasures = _table(
    "erasures",
    *(_key("id"), "created", Column("erased", JSON), Column("in_ledger", Boolean), Column("in_index", Boolean)),
)

# One row per entry that was ever offered to everyone. The copy that counts, while one does, is an entry of `NOBODY`
# with the offer's id as its idempotency key.
offers = _table(
    "offers",
    *(_key("id"), _number("sequence"), Column("entry_id", Text, ForeignKey("entries.id"), unique=True), "owner"),
    *("state", "offered", "decided_by", "decided", "reason"),
    Index("offers_by_state", "state", "sequence"),
    Index("offers_by_owner", "owner"),
    may_be_null=("decided_by", "decided"),
)

# Secrets with which programs speak for a person. Of each, only a keyed hash is kept, which covers the row as well.
tokens = _table(
    "tokens",
    *(_key("id"), _number("sequence"), "owner", "label", "created", "hash"),
    Index("tokens_by_owner", "owner", "sequence"),
)
