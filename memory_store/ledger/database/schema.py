"""The tables of the ledger. Every row that belongs to a person names its owner.

`memory_store.ledger.database.migrations` makes them, and says what may be null, what is unique and what has an index;
a test compares the two. Times are ISO 8601 in UTC as text, so that they read the same in every database and under every
checksum. Order never comes from them: it comes from `sequence`.
"""

from __future__ import annotations

from enum import StrEnum

from sqlalchemy import JSON, BigInteger, Boolean, Column, Float, ForeignKey, Integer, MetaData, Table, Text

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
    *(EventKind.SAVED, EventKind.KEYED, EventKind.SUPERSEDED),
    *(EventKind.RETRACTED, EventKind.RESTORED, EventKind.ERASED),
)
"""Events that the index follows."""
COUNTED = (EventKind.USED, EventKind.HELPED, EventKind.HURT)
"""Events that the counters of an entry are sums of; each at most once per entry and turn."""
REACTIONS = (EventKind.HELPED, EventKind.HURT)
"""Those of them that count only since the entry was last used again."""


def _texts(*names: str) -> list[Column[str]]:
    return [Column(name, Text) for name in names]


metadata = MetaData()

meta = Table("meta", metadata, Column("name", Text, primary_key=True), Column("value", Text))

# One row: the last sequence number handed out, and the number of the last event that the index follows.
counters = Table("counters", metadata, Column("sequence", BigInteger), Column("change", BigInteger))

entries = Table(
    "entries",
    metadata,
    Column("id", Text, primary_key=True),
    Column("sequence", BigInteger),
    *_texts("owner", "scope", "kind", "status", "question", "text", "wrong_understanding", "understanding", "answer"),
    *_texts("turn_id", "model", "supersedes", "idempotency_key", "created", "checksum", "key_state", "only_in"),
)

keys = Table(
    "keys",
    metadata,
    Column("entry_id", Text, ForeignKey("entries.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    *_texts("owner", "text", "origin"),
)

# What each entry says, as it is searched; see `memory_store.ledger.searchable`.
searchable = Table(
    "searchable",
    metadata,
    Column("entry_id", Text, ForeignKey("entries.id"), primary_key=True),
    *_texts("owner", "text"),
)

# Digests of texts of which entries share one where they may be about the same; see `memory_store.memory.saving`.
forms = Table(
    "forms",
    metadata,
    Column("entry_id", Text, ForeignKey("entries.id"), primary_key=True),
    Column("form", Text, primary_key=True),
    Column("owner", Text),
)

turns = Table(
    "turns",
    metadata,
    Column("id", Text, primary_key=True),
    Column("sequence", BigInteger),
    *_texts("owner", "conversation", "question", "created", "model", "state"),
    *_texts("raw", "understanding", "answer", "reply_status"),
    Column("notes", JSON),
    Column("correction", Text),
    Column("used", JSON),
    *_texts("error", "answers_again", "clarified_with"),
    Column("left_out", JSON),
    Column("corrected_by", Text),
    Column("confirmed", Boolean),
    Column("ms", JSON),
    *_texts("checksum", "chosen"),
    Column("usage", JSON(none_as_null=True)),
)

# The names that people gave to conversations. One without a name is called by its first question.
titles = Table(
    "titles",
    metadata,
    Column("conversation", Text, primary_key=True),
    Column("owner", Text, primary_key=True),
    *_texts("title", "checksum"),
)

# What the model cost, by day; of nobody in particular.
spending = Table("spending", metadata, Column("day", Text, primary_key=True), Column("dollars", Float))

# One row per candidate of a turn, so that erasing an entry erases what turns say of it.
decisions = Table(
    "decisions",
    metadata,
    Column("turn_id", Text, ForeignKey("turns.id"), primary_key=True),
    Column("rank", Integer, primary_key=True),
    *_texts("entry_id", "owner", "key_text", "key_origin"),
    Column("scores", JSON),
    Column("action", Text),
    Column("probability", Float),
    *_texts("reason", "checksum"),
)

events = Table(
    "events",
    metadata,
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    *_texts("kind", "entry_id", "turn_id", "owner", "created", "checksum"),
)

# One row per erasure: what it erased, and where its bytes may still lie. It names nobody.
erasures = Table(
    "erasures",
    metadata,
    Column("id", Text, primary_key=True),
    Column("created", Text),
    Column("erased", JSON),
    Column("in_ledger", Boolean),
    Column("in_index", Boolean),
)

# Turns that used a copy of an entry that everyone had, and has no more.
shared_uses = Table(
    "shared_uses",
    metadata,
    Column("entry_id", Text, ForeignKey("entries.id"), primary_key=True),
    Column("turn_id", Text, ForeignKey("turns.id"), primary_key=True),
)

# One row per entry that was ever offered to everyone. The copy that counts, while one does, is an entry of `NOBODY`
# with the offer's id as its idempotency key.
offers = Table(
    "offers",
    metadata,
    Column("id", Text, primary_key=True),
    Column("sequence", BigInteger),
    Column("entry_id", Text, ForeignKey("entries.id")),
    *_texts("owner", "state", "offered", "decided_by", "decided", "reason", "checksum"),
)

# Secrets with which programs speak for a person. Of each, only a keyed hash is kept, which covers the row as well.
tokens = Table(
    "tokens",
    metadata,
    Column("id", Text, primary_key=True),
    Column("sequence", BigInteger),
    *_texts("owner", "label", "created", "hash"),
)
