"""Load a host's seed: clarifications for everyone, from an export. They belong to nobody and are read-only.

They are stored like accepted shared copies, without an offer, so that no user can change them. Each start adds new ones
and erases those no longer in the file.
"""

import hashlib
import json
import uuid
from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import Connection, select

from assistant.errors import InputError, SettingsError
from assistant.kinds import CLARIFICATION, Clarification, Kinds
from assistant.types import SEED, Key, KeyOrigin, NewEntry, Status
from memory_store.ledger.database.schema import NOBODY, SHARED, entries
from memory_store.ledger.entries import save_entry
from memory_store.ledger.erased_rows import erase_entries, record_erasure
from memory_store.ledger.ledger import Ledger
from memory_store.transfer.export_format import read_records
from memory_store.transfer.import_checks import check_lines

_NAMED = "seed:"


def load_seed(ledger: Ledger, file: Path | None) -> None:
    """Update the seed in a ledger to match a file, or to nothing without one.

    Raises SettingsError if the file cannot be read or is not a seed, and StoreError.
    """
    wanted = _read_seed(file, ledger.kinds) if file else {}
    with ledger.read() as connection:
        if _read_ids(connection).keys() == wanted.keys():
            return
    with ledger.write() as connection:
        present = _read_ids(connection)
        if gone := [present[name] for name in present.keys() - wanted.keys()]:
            line = {"id": str(uuid.uuid4()), "at": ledger.now()}
            record_erasure(connection, line, erase_entries(connection, ledger, gone))
        for name, draft in wanted.items():
            if name not in present:
                save_entry(connection, ledger, draft, NOBODY, draft.further_keys, scope=SHARED, key_state=None)


def _read_ids(connection: Connection) -> Mapping[str, str]:
    """Return the ids of the seed's entries by their names."""
    seeds = (entries.c.owner == NOBODY, entries.c.idempotency_key.startswith(_NAMED))
    return {row.idempotency_key: row.id for row in connection.execute(select(entries).where(*seeds))}


def _read_seed(file: Path, kinds: Kinds) -> Mapping[str, NewEntry]:
    """Return the active clarifications of a file, with all keys, by a name derived from their contents."""
    try:
        with file.open("rb") as lines:
            checked = list(check_lines(read_records(lines), kinds))
    except OSError as error:
        raise SettingsError(f"NOTED_SEED cannot be read: there is no file {file}, or it is not yours.") from error
    except InputError as error:
        raise SettingsError(f"NOTED_SEED cannot be used. {error}") from error
    if any(kind != "entry" for kind, _ in checked):
        raise SettingsError("NOTED_SEED cannot be used. A seed holds entries only; please leave out conversations.")
    wanted = {}
    for _, record in checked:
        if record["kind"] == CLARIFICATION.name and record["status"] == Status.ACTIVE:
            body = Clarification.model_validate(record["body"])
            parts = [record["question"], body.text, body.wrong_understanding, record["keys"]]
            name = _NAMED + hashlib.sha256(json.dumps(parts).encode()).hexdigest()
            keys = tuple(Key(key["text"], KeyOrigin(key["origin"])) for key in record["keys"])
            wanted[name] = NewEntry(CLARIFICATION, record["question"], body, name, model=SEED, further_keys=keys)
    return wanted
