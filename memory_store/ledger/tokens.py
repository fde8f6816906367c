"""API tokens in the ledger.

Only a keyed hash of the secret is stored. A fast hash is enough, since the secret is long and random, and a copy of the
table is useless without the key. The hash covers the whole row, so a changed or damaged row is rejected.
"""

import hmac
import re
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, insert, select

from assistant.errors import NotFound, TooLong
from assistant.text.cleaning import clean_text
from assistant.types import Scope
from memory_store.ledger.access import belongs_to, require_user
from memory_store.ledger.database.schema import tokens
from memory_store.ledger.erased_rows import record_erasure
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import row_exists

LONGEST_LABEL = 80  # characters
# The prefix lets scanners for published secrets recognise tokens.
_SECRET = re.compile(r"noted_([0-9a-f]{16})_([0-9A-Za-z_-]{43})")


@dataclass(frozen=True, slots=True)
class Token:
    """An API token of a user, without its secret."""

    id: str
    person: str
    label: str
    created: datetime  # UTC


class LedgerTokens:
    """Store of API tokens. Every method raises StoreError."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._key = ledger.secret_for("tokens")

    def make(self, scope: Scope, label: str = "") -> tuple[Token, str]:
        """Create a token, and return it with its secret. Raises TooLong for the label."""
        label = " ".join(clean_text(label).split())
        if len(label) > LONGEST_LABEL:
            raise TooLong(len(label), LONGEST_LABEL)
        token_id, random, person = secrets.token_hex(8), secrets.token_urlsafe(32), require_user(scope)
        row = {"id": token_id, "owner": person, "label": label, "created": self._ledger.now()}
        row["hash"] = self._hash(token_id, person, random)
        with self._ledger.write() as connection:
            sequence = self._ledger.next_sequences(connection, 1)[0]
            connection.execute(insert(tokens).values(**row, sequence=sequence))
        return Token(token_id, person, label, datetime.fromisoformat(row["created"])), f"noted_{token_id}_{random}"

    def person(self, secret: str) -> str | None:
        """Return the user of a secret; None if the secret is unknown or revoked."""
        found = _SECRET.fullmatch(secret)
        if found is None:
            return None
        token_id, random = found.groups()
        with self._ledger.read() as connection:
            row = connection.execute(select(tokens.c.owner, tokens.c.hash).where(tokens.c.id == token_id)).first()
        if row is None or not hmac.compare_digest(self._hash(token_id, row.owner, random), row.hash):
            return None
        return str(row.owner)

    def tokens(self, scope: Scope) -> Sequence[Token]:
        """Return the tokens of a user, oldest first."""
        with self._ledger.read() as connection:
            rows = connection.execute(select(tokens).where(belongs_to(tokens, scope)).order_by(tokens.c.sequence)).all()
        return [Token(row.id, row.owner, row.label, datetime.fromisoformat(row.created)) for row in rows]

    def revoke(self, token_id: str, scope: Scope) -> None:
        """Delete a token. Raises NotFound."""
        # Recorded as an erasure, so that restoring an older ledger does not restore the token.
        with self._ledger.write() as connection:
            if not row_exists(connection, tokens.c.id, belongs_to(tokens, scope), tokens.c.id == token_id):
                raise NotFound
            line = self._ledger.note_erasure(connection, {"tokens": [token_id]})
            connection.execute(delete(tokens).where(tokens.c.id == token_id))
            record_erasure(connection, line, Counter(tokens=1))

    def _hash(self, token_id: str, owner: str, random: str) -> str:
        return hmac.digest(self._key, f"{token_id}\0{owner}\0{random}".encode(), "sha256").hex()
