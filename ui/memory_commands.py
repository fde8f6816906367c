"""The commands that look after what is remembered: `python app.py memory …`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from assistant.types import Entry, Scope
from assistant.upkeep import Verification
from ui.command_parts import LOCAL_PERSON, AsJson, Compose, Home, User, now_and_then, opened, plain_errors, print_json

_MOST_SHOWN = 20
_DAMAGED_LEDGER = (
    "What is damaged is not used; the rest is. Restore a backup with `python app.py memory restore`, or erase an entry "
    "that is damaged with `python app.py memory forget ENTRY`."
)
_INDEX_NOT_MENDED = (
    "The index is not right, and could not be built again just now. Nothing is lost: notes are found by their wording. "
    "Please see that the data directory can be written to and that the ledger is whole, and run this again."
)


def add_memory_commands(memory: typer.Typer, compose: Compose) -> None:
    """Add the commands to `memory`.

    Args:
        memory: the group they belong to.
        compose: settings to the parts that answer.
    """
    _add_entries(memory, compose)
    _add_upkeep(memory, compose)


def _add_entries(memory: typer.Typer, compose: Compose) -> None:
    @memory.command("list")
    def list_entries(
        search: Annotated[str, typer.Argument(help="Only entries that contain this.")] = "",
        user: User = LOCAL_PERSON,
        home: Home = None,
        *,
        as_json: AsJson = False,
    ) -> None:
        """List what is remembered."""
        with plain_errors(), opened(compose, home) as services:
            entries = services.assistant.memory.entries(Scope(user), search, limit=1000)
            if as_json:
                print_json([_entry_fields(entry) for entry in entries])
                return
            for entry in entries:
                meant = entry.text or entry.understanding
                typer.echo(f"{entry.id}  {entry.created:%Y-%m-%d}  {entry.question!r} means {meant!r}")
            if not entries:
                typer.echo("Nothing is remembered." if not search else "Nothing remembered contains this.", err=True)


def _add_upkeep(memory: typer.Typer, compose: Compose) -> None:
    @memory.command()
    def rebuild(home: Home = None) -> None:
        """Build the index again from the ledger."""
        with plain_errors(), opened(compose, home) as services:
            typer.echo("Building the index again…", err=True)
            services.upkeep.rebuild_index()
            typer.echo("Done.", err=True)

    @memory.command("verify")
    def verify_all(home: Home = None, *, as_json: AsJson = False) -> None:
        """Check everything that is kept, and build the index again where it is not what the ledger says."""
        with plain_errors(), opened(compose, home) as services:
            found = services.upkeep.verify(now_and_then())
            if as_json:
                print_json(_verification_fields(found))
            else:
                _show_verification(found)
            if not found.is_right:
                raise typer.Exit(1)


def _show_verification(found: Verification) -> None:
    for damage in found.ledger:
        typer.echo(f"Damaged: {damage}.")
    if found.ledger:
        typer.echo(_DAMAGED_LEDGER)
    for damage in found.index[:_MOST_SHOWN]:
        typer.echo(f"Not as in the ledger: {damage}.")
    if len(found.index) > _MOST_SHOWN:
        typer.echo(f"… and {len(found.index) - _MOST_SHOWN:,} more.")
    if not found.index_is_right:
        typer.echo(_INDEX_NOT_MENDED)
    elif found.index:
        typer.echo("The index was built again from the ledger, and is right now. Nothing is lost.")
    if found.is_right:
        typer.echo(f"Everything is right. Entries: {found.entries:,}.")


def _verification_fields(found: Verification) -> dict[str, Any]:
    return {
        "right": found.is_right,
        "entries": found.entries,
        "ledger": [asdict(damage) for damage in found.ledger],
        "index": [asdict(damage) for damage in found.index],
        "index_is_right": found.index_is_right,
    }


def _entry_fields(entry: Entry) -> dict[str, Any]:
    return {
        "entry": entry.id,
        "kind": entry.kind,
        "question": entry.question,
        "text": entry.text,
        "wrong_understanding": entry.wrong_understanding,
        "created": entry.created.isoformat(),
        "shared": entry.shared,
        "keys": [key.text for key in entry.keys],
        "used": entry.used,
        "helped": entry.helped,
        "hurt": entry.hurt,
        "resting": entry.resting,
    }
