"""The store as the settings want it: where it comes back from, what it begins with, and who leaves nothing in it."""

from __future__ import annotations

from pathlib import Path

from assistant.errors import SettingsError
from assistant.limits import Limits
from assistant.ports import Embedder
from assistant.reports.upkeep import Backup
from assistant.settings import Settings
from memory_store.custody.backup import restore_backup
from memory_store.custody.snapshots import Snapshots
from memory_store.language.readings import Readings
from memory_store.store import Keeping, Store, open_store
from memory_store.transfer.load_seed import load_seed


def open_home(
    settings: Settings, embedder: Embedder | None, readings: Readings, visitors: str, limits: Limits
) -> Store:
    """Open the store of a home, which begins with a copy from the mount where it is empty and there is one.

    The ids of all who do not sign in begin with `visitors`; `limits` are those of a seed. Raises SettingsError where a
    folder or file of the settings cannot be used, and StoreError as `open_store`.
    """
    settings.make_home()
    snapshots = _snapshots(settings)
    if snapshots:
        snapshots.bring_back(settings)
    keeping = Keeping(settings.keep_turns_days, visitors, settings.visitor_hours, snapshots, settings.snapshot_minutes)
    store = open_store(settings.ledger, settings.index, embedder, readings, settings.erasures, keeping)
    try:
        load_seed(store.ledger, settings.seed, limits)
    except BaseException:
        store.ledger.close()
        raise
    return store


def restore_home(settings: Settings, file: Path) -> tuple[Backup, int]:
    """Put a backup in the place of what a home holds, and remove the copies of that; see `restore_backup`."""
    done = restore_backup(settings, file)
    if snapshots := _snapshots(settings):
        snapshots.clear()
    return done


def _snapshots(settings: Settings) -> Snapshots | None:
    if settings.snapshots is None:
        return None
    if not settings.ledger.startswith("sqlite:"):
        raise SettingsError("NOTED_SNAPSHOTS is for a ledger in a file; PostgreSQL is backed up with its own tools.")
    return Snapshots(settings.snapshots, settings.home)
