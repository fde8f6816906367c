"""Commands for a whole memory: forget, take along, bring back, keep safe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated

import typer

from assistant.errors import InputError
from assistant.receipts import Backup
from assistant.settings import Settings
from assistant.types import Scope
from ui.command_parts import LOCAL_PERSON, AsJson, Compose, Home, User, opened, plain_errors, print_json
from ui.receipt import counted, receipt_sentence

Yes = Annotated[bool, typer.Option("--yes", help="Do it without asking.")]

Restore = Callable[[Settings, Path], tuple[Backup, int]]
"""Puts a backup in the place of the memory; returns what it held, and how many erasures were carried out again."""


def add_upkeep_commands(memory: typer.Typer, compose: Compose, restore: Restore) -> None:
    """Add the commands to `memory`.

    Args:
        memory: the group they belong to.
        compose: settings to the parts that answer.
        restore: puts a backup back; without the parts, since the present memory may be damaged.
    """
    _add_forgetting(memory, compose)
    _add_taking_along(memory, compose)
    _add_backup(memory, compose, restore)


def _add_forgetting(memory: typer.Typer, compose: Compose) -> None:
    @memory.command()
    def forget(
        entry: Annotated[str, typer.Argument(help="Id of the entry.")] = "",
        user: User = LOCAL_PERSON,
        home: Home = None,
        *,
        everything: Annotated[bool, typer.Option("--all", help="Everything about this person.")] = False,
        yes: Yes = False,
        as_json: AsJson = False,
    ) -> None:
        """Erase an entry with the turns that gave or used it, or everything about a person, for good."""
        with plain_errors():
            if bool(entry) == everything:
                raise InputError("Please name one entry, or say --all.")
            what = f"everything about {user}" if everything else f"the entry {entry} and the turns that gave or used it"
            _agree(f"Erase {what} for good?", yes=yes)
            with opened(compose, home) as services:
                known = services.assistant.memory
                receipt = known.forget_all(Scope(user)) if everything else known.forget(entry, Scope(user))
            if as_json:
                told = {"receipt": receipt.id, "at": receipt.at.isoformat(), "erased": dict(receipt.erased)}
                print_json(told | {"complete": receipt.is_complete})
            else:
                typer.echo(receipt_sentence(receipt))


def _add_taking_along(memory: typer.Typer, compose: Compose) -> None:
    @memory.command()
    def export(
        file: Annotated[Path, typer.Argument(help="Where to; - prints it.")],
        user: User = LOCAL_PERSON,
        home: Home = None,
    ) -> None:
        """Write everything about a person as lines that other programs can read (docs/export-format.md)."""
        with plain_errors(), opened(compose, home) as services:
            lines = list(services.export(Scope(user)))
            with _written(file) as out:
                out.writelines(line.encode() for line in lines)
            typer.echo(f"Exported: {len(lines) - 1:,} records.", err=True)

    @memory.command("import")
    def take_in(
        file: Annotated[Path, typer.Argument(help="What `memory export` wrote.")],
        user: User = LOCAL_PERSON,
        home: Home = None,
        *,
        as_json: AsJson = False,
    ) -> None:
        """Take in an export, into this person's memory only. The same file twice is the same as once."""
        with plain_errors(), opened(compose, home) as services:
            with _read(file) as lines:
                done = services.upkeep.take_in(lines, Scope(user))
            if as_json:
                numbers = {"outdated": done.outdated, "counting": done.counting}
                print_json({"new": dict(done.new), "known": dict(done.known), **numbers})
                return
            typer.echo(f"Imported: {_all(done.new)}. There already: {_all(done.known)}.")
            if history := done.new.get("entries", 0) - done.counting - done.outdated:
                typer.echo(f"{counted('entries', history)} came in as history only: changed or taken back before.")
            if done.outdated:
                here = "something here is about the same, and stands"
                typer.echo(f"{counted('entries', done.outdated)} came in as history only: {here}.")


def _add_backup(memory: typer.Typer, compose: Compose, restore: Restore) -> None:
    @memory.command()
    def backup(file: Annotated[Path, typer.Argument(help="Where to.")], home: Home = None) -> None:
        """Write a backup of the whole memory, everybody's. The app may go on meanwhile."""
        with plain_errors(), opened(compose, home) as services:
            typer.echo(f"Backed up: {_held(services.upkeep.backup(file.absolute()))}.", err=True)

    @memory.command("restore")
    def put_back(
        file: Annotated[Path, typer.Argument(help="What `memory backup` wrote.")],
        home: Home = None,
        *,
        yes: Yes = False,
    ) -> None:
        """Put a backup in the place of the whole memory, everybody's. What was erased since is erased again."""
        with plain_errors():
            _agree("Put this backup in the place of the whole memory? What is there now is removed for good.", yes=yes)
            settings = Settings.load(home=home)
            settings.make_home()
            held, again = restore(settings, file)
            typer.echo(f"Restored: {_held(held)}. The memory that was there is removed.", err=True)
            if again:
                typer.echo(f"Erased again, because it was erased since: {counted('erasures', again)}.", err=True)
            with opened(compose, home) as services:
                services.upkeep.rebuild_index()
            typer.echo("The index is built again.", err=True)


def _agree(question: str, *, yes: bool) -> None:
    """Ask, unless it was said already. Where nobody can be asked, nothing is done."""
    if yes:
        return
    try:
        agreed = typer.confirm(question, err=True)
    except typer.Abort:
        agreed = False
    if not agreed:
        raise InputError("Nothing was changed. Say --yes to do it.")


def _all(counts: Mapping[str, int]) -> str:
    return ", ".join(counted(name, number) for name, number in counts.items() if number) or "nothing"


def _held(backup: Backup) -> str:
    return f"{_all({'entries': backup.entries, 'turns': backup.turns})}, as of {backup.created:%Y-%m-%d %H:%M} UTC"


@contextmanager
def _written(file: Path) -> Iterator[IO[bytes]]:
    """A file that only its owner may read, or standard output.

    Raises:
        InputError: it cannot be written.
    """
    if str(file) == "-":
        yield sys.stdout.buffer
        return
    try:
        file.touch(mode=0o600)
        with file.open("wb") as out:
            yield out
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}.") from error


@contextmanager
def _read(file: Path) -> Iterator[IO[bytes]]:
    try:
        with file.open("rb") as lines:
            yield lines
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from error
