"""The commands of the fact sheet: `noted memory sheet`, and its way out and in as a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from assistant.errors import InputError
from assistant.kinds import Triple
from assistant.papers.memllm.editing import SheetEditing, as_csv, as_json, from_csv
from assistant.papers.memllm.sheet import Line, Lines, Order
from assistant.papers.memllm.writing import read_sentence
from assistant.sentences import Sentence
from assistant.text.sentences import sentences_of
from assistant.types import Scope, day_of
from ui.server.identity import LOCAL_PERSON
from ui.server.services import Services
from ui.terminal.command_parts import (
    LONGEST_NUMBER,
    AsJson,
    Compose,
    Home,
    User,
    echo,
    now_and_then,
    on_interrupt,
    opened,
    opened_there,
    print_json,
)
from ui.terminal.files import Header, read_table_in, text_in, written
from ui.words.answers import triple_line

_JSON = ".json"
_MOST_SENTENCES = 2_000  # of a text


def add_sheet_commands(memory: typer.Typer, compose: Compose) -> None:
    """Add the commands to a group."""

    @memory.command("sheet")
    def sheet(
        search: Annotated[str, typer.Argument(help="Only lines that contain this.")] = "",
        of: Annotated[str, typer.Option(help="Only what is known of this thing, with where it is from.")] = "",
        order: Annotated[Order, typer.Option("--sort", help="By what the lines are sorted.")] = Order.SINCE,
        user: User = LOCAL_PERSON,
        home: Home = None,
        *,
        as_json_too: AsJson = False,
    ) -> None:
        """List what was kept of which things."""
        with opened_there(compose, home) as services:
            lines = services.sheet.lines(Scope(user), Lines(search, of, order)).lines
            if as_json_too:
                print_json([_fields(line) for line in lines])
                return
            for line in lines:
                echo(f"{line.name}  {day_of(line.entry.created)}  {triple_line(line.triple)}")
                if of:
                    echo(f"    from: {line.entry.sentence}")
            if not lines:
                echo("Nothing is on the sheet." if not search + of else "Nothing on the sheet is like this.", err=True)

    @memory.command("sheet-change")
    def change(
        name: Annotated[str, typer.Argument(help="Of the line, as `memory sheet` shows it.", metavar="LINE")],
        says: Annotated[str, typer.Argument(help="What it is to say: thing | what of it | other thing.")] = "",
        user: User = LOCAL_PERSON,
        home: Home = None,
        *,
        take_off: Annotated[bool, typer.Option("--off", help="Take it off the sheet; what was said stays.")] = False,
    ) -> None:
        """Change a line of the sheet, or take it off; `memory forget` erases the fact that it is from."""
        if take_off == bool(says):
            raise InputError("Please say what the line is to say, or --off.")
        with opened_there(compose, home) as services:
            editing, scope = services.sheet_editing, Scope(user)
            entry = editing.take_off(name, scope) if take_off else editing.change(name, says, scope)
            echo(f"Changed: {entry.sentence}", err=True)

    @memory.command("sheet-export")
    def export(
        file: Annotated[Path, typer.Argument(help="Where to: JSON where the name ends so, else CSV; - prints CSV.")],
        user: User = LOCAL_PERSON,
        home: Home = None,
    ) -> None:
        """Write the fact sheet as a table that other programs can read."""
        with opened_there(compose, home) as services, written(file) as out:
            lines = services.sheet.lines(Scope(user), Lines(order=Order.SUBJECT)).lines
            pieces = [as_json(lines)] if file.suffix == _JSON else as_csv(lines)
            out.writelines(piece.encode() for piece in pieces)

    @memory.command("sheet-import")
    def take_in(
        file: Annotated[Path, typer.Argument(help="A table: a thing, what is said of it, the other thing.")],
        user: User = LOCAL_PERSON,
        home: Home = None,
        *,
        header: Header = None,
    ) -> None:
        """Remember each line of a table as a fact. The same file twice is the same as once."""
        triples = read_table_in(file, header, from_csv)
        with opened(compose, home) as services:
            kept, why = _taken_in([("", [triple]) for triple in triples], services.sheet_editing, Scope(user))
        echo(f"Lines taken in: {kept:,}.")
        if why:
            raise typer.Exit(1)


def add_learn_command(memory: typer.Typer, compose: Compose) -> None:
    """Add the command to a group."""

    @memory.command()
    def learn(
        file: Annotated[Path, typer.Argument(help="A text.")],
        keep: Annotated[str, typer.Option(help="`all`, or numbers with commas; else it asks.")] = "",
        user: User = LOCAL_PERSON,
        home: Home = None,
    ) -> None:
        """Read a text sentence by sentence, show what would be kept of it, and keep what you say.

        Ctrl-C ends the reading; what was read until then can still be kept.
        """
        text = text_in(file)
        with opened(compose, home) as services:
            told = _read(text, services, Scope(user))
            chosen = _chosen(keep, len(told)) if told else set()
            kept: dict[str, list[Triple]] = {}
            for number, (sentence, triple) in enumerate(told, 1):
                if number in chosen:
                    kept.setdefault(sentence, []).append(triple)
            number, _ = _taken_in(kept.items(), services.sheet_editing, Scope(user))
            echo(f"Kept: {number:,}." if number else "Nothing was kept.", err=True)


def _taken_in(
    told: Iterable[tuple[str, Sequence[Triple]]], editing: SheetEditing, scope: Scope
) -> tuple[int, Sequence[Sentence]]:
    """Keep many facts, and say how far that is, and what prevented any."""
    tell = now_and_then()
    kept, why = editing.take_in(told, scope, lambda count: tell(f"{count:,} kept…"))
    for each in why:
        echo(str(each), err=True)
    return kept, why


def _read(text: str, services: Services, scope: Scope) -> list[tuple[str, Triple]]:
    """What would be kept of a text: shown as it is read, numbered."""
    told: list[tuple[str, Triple]] = []
    sentences = sentences_of(text)[:_MOST_SENTENCES]
    tell = now_and_then()
    with on_interrupt(lambda: None) as interrupts:
        for at, sentence in enumerate(sentences, 1):
            triples = read_sentence(sentence, services.reads, scope)
            if triples:
                echo(sentence)
            for triple in triples:
                told.append((sentence, triple))
                echo(f"  {len(told)}. {triple_line(triple)}")
            tell(f"Read {at:,} of {len(sentences):,} sentences…")
            if interrupts:
                echo("Stopped.", err=True)
                break
    if not told:
        echo("I found nothing in it that I could keep.", err=True)
    return told


def _chosen(said: str, most: int) -> set[int]:
    """Numbers of what is to be kept; nobody who could be asked keeps nothing."""
    if not said:
        try:
            said = typer.prompt(f"Keep which? all, numbers from 1 to {most} with commas, or none", "none", err=True)
        except typer.Abort:
            said = "none"
    if said.strip() in {"all", "none"}:
        return set(range(1, most + 1)) if said.strip() == "all" else set()
    numbers = [part.strip() for part in said.split(",")]
    if not all(part.isdecimal() and len(part) <= LONGEST_NUMBER and 1 <= int(part) <= most for part in numbers):
        raise InputError(f"Nothing was kept. Please say --keep all, or numbers from 1 to {most} with commas.")
    return set(map(int, numbers))


def _fields(line: Line) -> dict[str, str]:
    return {
        "line": line.name,
        **line.triple.model_dump(),
        "since": line.entry.created.isoformat(),
        "from": line.entry.shown,
        "entry": line.entry.id,
    }
