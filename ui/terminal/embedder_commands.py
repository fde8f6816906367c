"""The commands of embedders: `python app.py embedder`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from assistant.reports.embedders import USUAL_EVERY, EmbedderTools, Fitting, HubFile, Listed, Offered, SetRow
from assistant.settings import Settings
from ui.terminal.command_parts import Home, Yes, agree, agreed, echo, now_and_then

Name = Annotated[str, typer.Argument(help="Its name, as `embedder list` shows it, a folder, or its LiteLLM name.")]
_LANGUAGES_SHOWN = 8

PullName = Annotated[str, typer.Argument(help="Its name on the hub: owner/model. HF_ENDPOINT names another hub.")]


def add_embedder_commands(embedder: typer.Typer, tools: EmbedderTools) -> None:
    """Add the commands to a group."""

    @embedder.command("list")
    def list_embedders(home: Home = None) -> None:
        """Show the embedders that are there, which is in use and why, and how quick each is here."""
        for one in tools.listed(Settings.load(home=home)):
            echo(_line(one))

    @embedder.command("fit")
    def fit(
        name: Name,
        home: Home = None,
        *,
        every: Annotated[int, typer.Option(min=1, help="Fit on one of so many questions.")] = USUAL_EVERY,
        undo: Annotated[bool, typer.Option("--undo", help="Take back what was fitted for it.")] = False,
    ) -> None:
        """Fit, for an embedder, what decides when something remembered counts: minutes. Ctrl-C leaves all as it was."""
        settings = Settings.load(home=home)
        if undo:
            was_there = tools.undo(settings, name)
            echo("Taken back." if was_there else "Nothing was fitted for it.", err=True)
            return
        _fit(tools, settings, name, every)

    @embedder.command("pull")
    def pull(name: PullName, home: Home = None, *, yes: Yes = False) -> None:
        """Fetch a sentence-transformers model from a hub into the local cache, after saying what that would be."""
        offer = tools.offered(name)
        for line in _offer(offer):
            echo(line, err=True)
        agree(f"Fetch {_megabytes(offer.bytes)}?", yes=yes)
        tools.pull(offer, now_and_then())
        echo(f"It is here. To use it: NOTED_EMBEDDER={name}", err=True)
        if not yes and agreed("Fit it now, which takes minutes?"):
            _fit(tools, Settings.load(home=home), name, USUAL_EVERY)
        else:
            echo(f"To fit what decides when something counts: python app.py embedder fit {name}", err=True)


def _fit(tools: EmbedderTools, settings: Settings, name: str, every: int) -> None:
    for line in _table(tools.fit(settings, name, every, lambda line: echo(line, err=True))):
        echo(line)
    echo(f"Kept. To take it back: python app.py embedder fit {name} --undo", err=True)


def _offer(offer: Offered) -> list[str]:
    head = (
        f"{offer.name} of {offer.hub}, revision {offer.revision}: {len(offer.files)} files, {_megabytes(offer.bytes)}"
    )
    return [head, *(f"  {_file(file)}" for file in offer.files if file.algorithm == "sha256")]


def _file(file: HubFile) -> str:
    return f"{file.name}  {_megabytes(file.bytes)}  {file.algorithm} {file.digest}"


def _megabytes(number: int) -> str:
    return f"{number / 1e6:,.1f} MB"


def _line(one: Listed) -> str:
    facts = [
        "in use" if one.in_use else "",
        f"{one.megabytes:,.0f} MB" if one.megabytes else "",
        f"{one.dimension} numbers" if one.dimension else "",
        f"{one.milliseconds:.1f} ms for a question" if one.milliseconds else "",
        "fitted here" if one.fitted else "",
        f"languages: {_some(one.languages)}" if one.dimension else "",
    ]
    return f"{one.name}  ({', '.join(filter(None, facts))})\n  {one.why}"


def _some(languages: Sequence[str]) -> str:
    more = len(languages) - _LANGUAGES_SHOWN
    return (" ".join(languages[:_LANGUAGES_SHOWN]) + (f" and {more} more" if more > 0 else "")) or "unknown"


def _table(found: Fitting) -> list[str]:
    """Shares in percent, each beside that of the bundled embedder."""
    wide = max(len(one.name) for one in found.sets)
    head = f"{'set':<{wide}}  right first       best F1           everyday spliced  look-alikes spliced"
    rows = [f"{one.name:<{wide}}  {_cells(one.fitted, one.bundled)}" for one in found.sets]
    return [head, *rows, _LEGEND, _read(found)]


_LEGEND = "Each number is that of this embedder, then that of the bundled one."


def _read(found: Fitting) -> str:
    plain, english = (f"{100 * share:.1f} %" for share in (found.as_they_are, found.in_english))
    way = "word by word in English" if found.english else "as they are"
    return f"Mean best F1 before: texts as they are {plain}, word by word in English {english}. They are read {way}."


def _cells(fitted: SetRow, bundled: SetRow) -> str:
    pairs = (
        (fitted.first, bundled.first),
        (fitted.f1, bundled.f1),
        (fitted.everyday, bundled.everyday),
        (fitted.look_alikes, bundled.look_alikes),
    )
    return "  ".join(f"{100 * mine:5.1f} % / {100 * other:5.1f} %" for mine, other in pairs)
