"""The commands that look after what is remembered: `noted memory …`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from assistant.errors import InputError
from assistant.kinds import Place, Reach
from assistant.reports.upkeep import Backup, Imported, Verification
from assistant.settings import Settings
from assistant.types import Entry, Scope, day_of
from ui.server.identity import LOCAL_PERSON
from ui.terminal.answer import counts_for
from ui.terminal.command_parts import (
    REACHES,
    SHORT,
    AsJson,
    Compose,
    EntryId,
    Home,
    User,
    Yes,
    agree,
    echo,
    entry_named,
    now_and_then,
    on_interrupt,
    opened,
    opened_there,
    print_json,
)
from ui.terminal.files import read, written
from ui.terminal.sheet_commands import add_learn_command, add_sheet_commands
from ui.words.texts import counted, receipt_sentence

Restore = Callable[[Settings, Path], tuple[Backup, int]]
"""Puts a backup in the place of the memory; returns what it held, and how many erasures were carried out again."""

_PLACES = {Place.INSTEAD: "instead of", Place.BESIDE: "beside", Place.APART: "apart from"}
_DAMAGED_LEDGER = (
    "What is damaged is not used; the rest is. Restore a backup with `noted memory restore`, or erase an entry "
    "that is damaged with `noted memory forget ENTRY`."
)
_INDEX_NOT_MENDED = (
    "The index is not right, and could not be built again just now. Nothing is lost: notes are found by their wording. "
    "Please see that the data directory can be written to and that the ledger is whole, and run this again."
)


def add_memory_commands(memory: typer.Typer, compose: Compose, restore: Restore) -> None:
    """Add the commands to a group. `restore` needs no parts: the present memory may be damaged."""
    _add_entries(memory, compose)
    _add_taking_along(memory, compose)
    _add_upkeep(memory, compose)
    _add_backup(memory, compose, restore)
    add_sheet_commands(memory, compose)
    add_learn_command(memory, compose)


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
        with opened_there(compose, home) as services:
            entries = services.assistant.memory.entries(Scope(user), search, limit=1000)
            if as_json:
                print_json([_entry_fields(entry) for entry in entries])
                return
            for entry in entries:
                said = str(entry.sentence) if entry.kind.says else f"{entry.question!r} means {entry.shown!r}"
                paused = " (paused)" if entry.resting else ""
                echo(f"{entry.id[:SHORT]}  {day_of(entry.created)}  {said}{paused}")
            if not entries:
                echo("Nothing is remembered." if not search else "Nothing remembered contains this.", err=True)

    @memory.command()
    def resume(entry: EntryId, user: User = LOCAL_PERSON, home: Home = None) -> None:
        """Let an entry be used again that was paused, or was not to be used for some questions."""
        with opened_there(compose, home) as services:
            services.assistant.memory.resume(entry_named(services, entry, Scope(user)), Scope(user))
            echo("It is used again.", err=True)

    @memory.command("reach")
    def set_reach(
        entry: EntryId,
        reach: Annotated[Reach, typer.Argument(help=REACHES)],
        user: User = LOCAL_PERSON,
        home: Home = None,
    ) -> None:
        """Let an entry count for other questions."""
        with opened_there(compose, home) as services:
            scope = Scope(user)
            changed = services.assistant.set_reach(entry_named(services, entry, scope), reach, scope)
            echo(f"{changed.id[:SHORT]} counts {counts_for(changed)} now.", err=True)

    @memory.command("put")
    def put_entry(
        entry: EntryId,
        place: Annotated[Place, typer.Argument(help="It counts instead of the other, beside it, or apart from it.")],
        other: Annotated[str, typer.Argument(help="The earlier entry.")],
        why: Annotated[str, typer.Option(help="Why both count, where it counts beside the other.")] = "",
        user: User = LOCAL_PERSON,
        home: Home = None,
    ) -> None:
        """Say what an entry is to an earlier one of the same question."""
        with opened_there(compose, home) as services:
            scope = Scope(user)
            newer = services.assistant.memory.entry(entry_named(services, entry, scope), scope)
            # What it took the place of counts no more, and can be put beside it all the same.
            older = entry_named(services, other, scope, services.assistant.others(newer, scope))
            services.assistant.put(newer.id, place, older, scope, why)
            echo(f"{entry} counts {_PLACES[place]} {other} now.", err=True)

    @memory.command()
    def forget(
        entry: EntryId = "",
        user: User = LOCAL_PERSON,
        home: Home = None,
        *,
        everything: Annotated[bool, typer.Option("--all", help="Everything about this person.")] = False,
        yes: Yes = False,
        as_json: AsJson = False,
    ) -> None:
        """Erase an entry with the text of the turns that gave or used it, or everything about a person, for good."""
        if bool(entry) == everything:
            raise InputError("Please name one entry, or say --all.")
        what = f"everything about {user}" if everything else f"the entry {entry}"
        with opened_there(compose, home) as services:
            known, scope = services.assistant.memory, Scope(user)
            named = "" if everything else known.entry(entry_named(services, entry, scope), scope).id
            takes = _all(known.taken_along(named or None, scope))
            agree(f"Erase {what} for good? With it goes: {takes}.", yes=yes)
            receipt = known.forget_all(scope) if everything else known.forget(named, scope)
        if as_json:
            told = {"receipt": receipt.id, "at": receipt.at.isoformat(), "erased": dict(receipt.erased)}
            print_json(told | {"complete": receipt.is_complete})
        else:
            echo(receipt_sentence(receipt))


def _add_taking_along(memory: typer.Typer, compose: Compose) -> None:
    @memory.command()
    def export(
        file: Annotated[Path, typer.Argument(help="Where to; - prints it.")],
        user: User = LOCAL_PERSON,
        home: Home = None,
    ) -> None:
        """Write everything about a person as lines that other programs can read (docs/export-format.md)."""
        with opened_there(compose, home) as services:
            lines = list(services.export(Scope(user)))
            with written(file) as out:
                out.writelines(line.encode() for line in lines)
            echo(f"Exported: {len(lines) - 1:,} records.", err=True)

    @memory.command("import")
    def take_in(
        file: Annotated[Path, typer.Argument(help="What `memory export` wrote.")],
        user: User = LOCAL_PERSON,
        home: Home = None,
        *,
        as_json: AsJson = False,
    ) -> None:
        """Take in an export, into this person's memory only. The same file twice is the same as once.

        Ctrl-C stops it; the same file again goes on.
        """
        with opened(compose, home) as services:
            tell, done = now_and_then(), Imported({}, {})
            with read(file) as lines, on_interrupt(lambda: None) as interrupts:
                for done in services.upkeep.take_in(lines, Scope(user)):
                    tell(f"Looked at {done.done:,} of {done.of:,} lines…")
                    if interrupts:
                        break
            if as_json:
                numbers = {"outdated": done.outdated, "counting": done.counting, "dropped": done.dropped}
                print_json({"new": dict(done.new), "known": dict(done.known), **numbers})
            else:
                _show_imported(done)
            if done.done < done.of:
                echo("Stopped. What was taken in stays; import the same file again to go on.", err=True)
                raise typer.Exit(130)


def _show_imported(done: Imported) -> None:
    echo(f"Imported: {_all(done.new)}. There already: {_all(done.known)}.")
    if history := done.new.get("entries", 0) - done.counting - done.outdated:
        echo(f"{counted('entries', history)} came in as history only: changed or taken back before.")
    if done.outdated:
        here = "something here is about the same, and stands"
        echo(f"{counted('entries', done.outdated)} came in as history only: {here}.")
    if done.dropped:
        echo(f"Lines of the fact sheet left out: {done.dropped:,}. Their sentences do not name what they are about.")


def _add_upkeep(memory: typer.Typer, compose: Compose) -> None:
    @memory.command()
    def rebuild(home: Home = None) -> None:
        """Build the index again from the ledger."""
        with opened_there(compose, home) as services:
            echo("Building the index again…", err=True)
            services.upkeep.rebuild_index(now_and_then())
            echo("Done.", err=True)

    @memory.command("verify")
    def verify_all(home: Home = None, *, as_json: AsJson = False) -> None:
        """Check everything that is kept, and build the index again where it cannot be read."""
        with opened_there(compose, home) as services:
            found = services.upkeep.verify(now_and_then())
            if as_json:
                print_json(_verification_fields(found))
            else:
                _show_verification(found)
            if not found.is_right:
                raise typer.Exit(1)


def _add_backup(memory: typer.Typer, compose: Compose, restore: Restore) -> None:
    @memory.command()
    def backup(file: Annotated[Path, typer.Argument(help="Where to.")], home: Home = None) -> None:
        """Write a backup of the whole memory, everybody's. The app may go on meanwhile."""
        with opened_there(compose, home) as services:
            echo(f"Backed up: {_held(services.upkeep.backup(file.absolute()))}.", err=True)

    @memory.command("restore")
    def put_back(
        file: Annotated[Path, typer.Argument(help="What `memory backup` wrote.")],
        home: Home = None,
        *,
        yes: Yes = False,
    ) -> None:
        """Put a backup in the place of the whole memory, everybody's. What was erased since is erased again."""
        with read(file):
            pass
        agree("Put this backup in the place of the whole memory? What is there now is removed for good.", yes=yes)
        settings = Settings.load(home=home)
        settings.make_home()
        held, again = restore(settings, file)
        echo(f"Restored: {_held(held)}. The memory that was there is removed.", err=True)
        if again:
            echo(f"Erased again, because it was erased since: {counted('erasures', again)}.", err=True)
        with opened(compose, home) as services:
            services.upkeep.rebuild_index(now_and_then())
        echo("The index is built again.", err=True)


def _all(counts: Mapping[str, int]) -> str:
    return ", ".join(counted(name, number) for name, number in counts.items() if number) or "nothing"


def _held(backup: Backup) -> str:
    return f"{_all({'entries': backup.entries, 'turns': backup.turns})}, as of {backup.created:%Y-%m-%d %H:%M} UTC"


def _show_verification(found: Verification) -> None:
    for damage in found.ledger:
        echo(f"Damaged: {damage}.")
    if found.ledger:
        echo(_DAMAGED_LEDGER)
    for damage in found.index:
        echo(f"Damaged: {damage}.")
    if not found.index_is_right:
        echo(_INDEX_NOT_MENDED)
    elif found.index:
        echo("The index was built again from the ledger, and is right now. Nothing is lost.")
    if found.is_right:
        echo(f"Everything is right. Entries: {found.entries:,}.")


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
        "kind": entry.kind.name,
        "question": entry.question,
        "supersedes": entry.supersedes,
        "text": entry.text,
        "wrong_understanding": entry.wrong_understanding,
        "created": entry.created.isoformat(),
        "shared": entry.shared,
        "keys": [key.text for key in entry.keys],
        "used": entry.used,
        "helped": entry.helped,
        "hurt": entry.hurt,
        "reach": entry.reach.value,
        "resting": entry.resting,
    }
