"""The tables of the ledger. Every row that belongs to a person names its owner.

`memory_store.migrations` makes them; a test compares the two. Times are ISO 8601 in UTC as text, so that they read the
same in every database and under every checksum. Order never comes from them: it comes from `sequence`.
"""

from __future__ import annotations

from enum import StrEnum

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

PRIVATE = "person"
"""Scope of an entry that counts for its owner only."""
SHARED = "everyone"
"""Scope of an entry that counts for everyone."""


NOBODY = ""
"""Owner of what is shared with everyone. It cannot be the id of a person, so no scope owns it, and it names no one."""


class EventKind(StrEnum):
    """What the log tells of. The first six change what can be found, so the index follows them."""

    SAVED = "saved"
    KEYED = "keyed"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    RESTORED = "restored"
    ERASED = "erased"
    TURN_ERASED = "turn erased"
    """About a turn. A turn that is still being answered must not be written back."""
    USED = "used"
    HELPED = "helped"
    HURT = "hurt"
    USED_AGAIN = "used again"


class KeyState(StrEnum):
    """Who is to write the further keys of an entry. Without a word, nobody is."""

    WANTED = "wanted"
    WRITTEN = "written"
    BY_PERSON = "by person"
    """A person changed them, so no model does."""


CHANGES = (
    EventKind.SAVED,
    EventKind.KEYED,
    EventKind.SUPERSEDED,
    EventKind.RETRACTED,
    EventKind.RESTORED,
    EventKind.ERASED,
)
"""Events that the index follows."""
COUNTED = (EventKind.USED, EventKind.HELPED, EventKind.HURT)
"""Events that the counters of an entry are sums of; each at most once per entry and turn."""
REACTIONS = (EventKind.HELPED, EventKind.HURT)
"""Those of them that count only since the entry was last used again."""

_SHARED_ONLY = text(f"scope = '{SHARED}'")
_SUCCESSORS = text("supersedes IS NOT NULL")
_WANTING_KEYS = text(f"key_state = '{KeyState.WANTED}'")

metadata = MetaData()

meta = Table(
    "meta",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

# One row: the last sequence number handed out, and the number of the last event that the index follows.
counters = Table(
    "counters",
    metadata,
    Column("sequence", BigInteger, nullable=False),
    Column("change", BigInteger, nullable=False),
)

entries = Table(
    "entries",
    metadata,
    Column("id", Text, primary_key=True),
    Column("sequence", BigInteger, nullable=False, unique=True),
    Column("owner", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("wrong_understanding", Text, nullable=False),
    Column("understanding", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("turn_id", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("supersedes", Text),
    Column("idempotency_key", Text, nullable=False),
    Column("created", Text, nullable=False),
    Column("checksum", Text, nullable=False),
    Column("key_state", Text),
    Column("only_in", Text),
    UniqueConstraint("owner", "idempotency_key"),
    Index("entries_by_owner", "owner", "status", "sequence"),
    Index("entries_by_turn", "owner", "turn_id", "status", "sequence"),
    # Most entries stand in none of these, so that saving one writes fewer pages.
    Index("entries_shared", "status", sqlite_where=_SHARED_ONLY, postgresql_where=_SHARED_ONLY),
    Index("entries_by_supersedes", "supersedes", sqlite_where=_SUCCESSORS, postgresql_where=_SUCCESSORS),
    Index("entries_wanting_keys", "sequence", sqlite_where=_WANTING_KEYS, postgresql_where=_WANTING_KEYS),
)

keys = Table(
    "keys",
    metadata,
    Column("entry_id", Text, ForeignKey("entries.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("origin", Text, nullable=False),
)

# What each entry says, as it is searched; see `memory_store.searchable`.
searchable = Table(
    "searchable",
    metadata,
    Column("entry_id", Text, ForeignKey("entries.id"), primary_key=True),
    Column("owner", Text, nullable=False),
    Column("text", Text, nullable=False),
)

# Digests of texts of which entries share one where they may be about the same; see `memory_store.conflicts`.
forms = Table(
    "forms",
    metadata,
    Column("entry_id", Text, ForeignKey("entries.id"), primary_key=True),
    Column("form", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Index("forms_by_owner", "owner", "form"),
)

turns = Table(
    "turns",
    metadata,
    Column("id", Text, primary_key=True),
    Column("sequence", BigInteger, nullable=False, unique=True),
    Column("owner", Text, nullable=False),
    Column("conversation", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("created", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("raw", Text, nullable=False),
    Column("understanding", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("reply_status", Text, nullable=False),
    Column("notes", JSON, nullable=False),
    Column("correction", Text),
    Column("used", JSON, nullable=False),
    Column("error", Text, nullable=False),
    Column("answers_again", Text),
    Column("clarified_with", Text),
    Column("left_out", JSON, nullable=False),
    Column("corrected_by", Text),
    Column("confirmed", Boolean, nullable=False),
    Column("ms", JSON, nullable=False),
    Column("checksum", Text),
    Column("chosen", Text),
    Column("usage", JSON(none_as_null=True)),
    Index("turns_by_conversation", "owner", "conversation", "sequence"),
)

# The names that people gave to conversations. One without a name is called by its first question.
titles = Table(
    "titles",
    metadata,
    Column("conversation", Text, primary_key=True),
    Column("owner", Text, primary_key=True),
    Column("title", Text, nullable=False),
    Column("checksum", Text, nullable=False),
)

# What the model cost, by day; of nobody in particular.
spending = Table(
    "spending",
    metadata,
    Column("day", Text, primary_key=True),
    Column("dollars", Float, nullable=False),
)

# One row per candidate of a turn, so that erasing an entry erases what turns say of it.
decisions = Table(
    "decisions",
    metadata,
    Column("turn_id", Text, ForeignKey("turns.id"), primary_key=True),
    Column("rank", Integer, primary_key=True),
    Column("entry_id", Text, nullable=False),
    Column("owner", Text, nullable=False),
    Column("key_text", Text, nullable=False),
    Column("key_origin", Text, nullable=False),
    Column("scores", JSON, nullable=False),
    Column("action", Text, nullable=False),
    Column("probability", Float, nullable=False),
    Column("reason", Text, nullable=False),
    Column("checksum", Text),
    Index("decisions_by_entry", "entry_id"),
)

events = Table(
    "events",
    metadata,
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("entry_id", Text, nullable=False),
    Column("turn_id", Text),
    Column("owner", Text, nullable=False),
    Column("created", Text, nullable=False),
    Column("checksum", Text),
    UniqueConstraint("entry_id", "turn_id", "kind"),
)

# One row per erasure: what it erased, and where its bytes may still lie. It names nobody.
erasures = Table(
    "erasures",
    metadata,
    Column("id", Text, primary_key=True),
    Column("created", Text, nullable=False),
    Column("erased", JSON, nullable=False),
    Column("in_ledger", Boolean, nullable=False),
    Column("in_index", Boolean, nullable=False),
)

# Turns that used a copy of an entry that everyone had, and has no more.
shared_uses = Table(
    "shared_uses",
    metadata,
    Column("entry_id", Text, ForeignKey("entries.id"), primary_key=True),
    Column("turn_id", Text, ForeignKey("turns.id"), primary_key=True),
    Index("shared_uses_by_turn", "turn_id"),
)

# One row per entry that was ever offered to everyone. The copy that counts, while one does, is an entry of `NOBODY`
# with the offer's id as its idempotency key.
offers = Table(
    "offers",
    metadata,
    Column("id", Text, primary_key=True),
    Column("sequence", BigInteger, nullable=False),
    Column("entry_id", Text, ForeignKey("entries.id"), nullable=False, unique=True),
    Column("owner", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("offered", Text, nullable=False),
    Column("decided_by", Text),
    Column("decided", Text),
    Column("reason", Text, nullable=False),
    Column("checksum", Text, nullable=False),
    Index("offers_by_state", "state", "sequence"),
    Index("offers_by_owner", "owner"),
)

# Secrets with which programs speak for a person. Of each, only a keyed hash is kept, which covers the row as well.
tokens = Table(
    "tokens",
    metadata,
    Column("id", Text, primary_key=True),
    Column("sequence", BigInteger, nullable=False),
    Column("owner", Text, nullable=False),
    Column("label", Text, nullable=False),
    Column("created", Text, nullable=False),
    Column("hash", Text, nullable=False),
    Index("tokens_by_owner", "owner", "sequence"),
)
