"""Operations on the user's API tokens, and maintenance for the host."""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field

from assistant.errors import NotAllowed
from assistant.reports.upkeep import Backup
from assistant.text.cleaning import check_text
from memory_store.ledger.tokens import LONGEST_LABEL, Token
from ui.actions.arguments import Id
from ui.actions.call import Call
from ui.actions.operation import Effect, Who, operation
from ui.actions.results import View, read
from ui.words.texts import count_all

MOST_TOKENS = 20
"""Maximum number of tokens of a user."""
_making_token = threading.Lock()  # so that concurrent calls keep to the maximum
_DAMAGED = (
    "Damaged entries are not used. Restore a backup with `noted restore`, or erase an entry with `noted forget ENTRY`."
)
_INDEX_NOT_MENDED = (
    "The index could not be rebuilt, so entries are found by words only. Is the data directory writable?"
)


class NewToken(View):
    """A new token, with its secret."""

    id: str
    label: str
    secret: str = Field(description="The token itself; it is shown only once.")


class Verified(View):
    """Result of an integrity check."""

    right: bool = read("is_right")
    entries: int
    damaged: list[str] = Field(default=[], description="What is damaged, in words.")
    sentence: str = ""


@operation(who=Who.IN_PERSON)
def token(call: Call, label: Annotated[str, Field(description="What the token is for.")] = "") -> NewToken:
    """Make an API token for the user's programs; its secret is shown once."""
    tokens = call.services.tokens
    label = check_text(label, LONGEST_LABEL) if label else ""
    with _making_token:
        if len(tokens.tokens(call.scope)) >= MOST_TOKENS:
            raise NotAllowed("token.too_many", count=MOST_TOKENS)
        call.save()
        made, secret = tokens.make(call.scope, label)
    return NewToken(id=made.id, label=made.label, secret=secret)


@operation(who=Who.IN_PERSON, effect=Effect.READS)
def tokens(call: Call) -> Sequence[Token]:
    """List the user's tokens, newest first."""
    return call.services.tokens.tokens(call.scope)[::-1]


@operation(who=Who.IN_PERSON, name_of_result="sentence")
def revoke(call: Call, token: Annotated[Id, Field(description="The token's id, from `tokens`.")]) -> str:
    """Revoke a token."""
    call.services.tokens.revoke(token, call.scope)
    return "Revoked."


@operation(who=Who.HOST)
def verify(call: Call) -> Verified:
    """Check everything that is stored, and rebuild the index if it is damaged."""
    found = call.services.store.verify(call.progress)
    damaged = [str(damage) for damage in (*found.ledger, *found.index)]
    lines = [f"Damaged: {damage}." for damage in damaged] + ([_DAMAGED] if found.ledger else [])
    if not found.index_is_right:
        lines.append(_INDEX_NOT_MENDED)
    elif found.index:
        lines.append("The index was rebuilt from the ledger. Nothing is lost.")
    if found.is_right:
        lines.append(f"Everything is intact. Entries: {found.entries:,}.")
    return Verified.model_validate(found).but(damaged=damaged, sentence="\n".join(lines))


@operation(who=Who.HOST, name_of_result="sentence")
def rebuild(call: Call) -> str:
    """Rebuild the index from the ledger."""
    call.services.store.indexer.rebuild(call.progress)
    return "The index was rebuilt."


@operation(who=Who.HOST, effect=Effect.READS, name_of_result="sentence")
def backup(call: Call, file: Annotated[Path, Field(description="Path of the backup file.")]) -> str:
    """Back up the memory of all users; the app may keep running."""
    return f"Backed up: {describe_backup(call.services.store.backup(file.absolute()))}."


def describe_backup(backup: Backup) -> str:
    """Return the contents of a backup, in words."""
    counts = count_all({"entries": backup.entries, "turns": backup.turns}) or "nothing"
    return f"{counts}, as of {backup.created:%Y-%m-%d %H:%M} UTC"
