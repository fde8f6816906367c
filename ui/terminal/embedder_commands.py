"""The commands of embedders: `noted embedder`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from assistant.reports.embedders import EmbedderTools, HubFile, Listed, Offered
from assistant.settings import Settings
from ui.terminal.command_parts import Home, Yes, agree, echo, now_and_then

_LANGUAGES_SHOWN = 8

PullName = Annotated[
    str,
    typer.Argument(help="owner/model on the hub; else the bundled one. HF_ENDPOINT names another hub."),
]


def add_embedder_commands(embedder: typer.Typer, tools: EmbedderTools) -> None:
    """Add the commands to a group."""

    @embedder.command("list")
    def list_embedders(home: Home = None) -> None:
        """List the embedders of this machine: which is in use and why, and how fast each is."""
        for one in tools.list(Settings.load(home=home)):
            echo(_line(one))

    @embedder.command("pull")
    def pull(name: PullName = "", *, yes: Yes = False) -> None:
        """Download a sentence-transformers model from a hub into the local cache, after showing its files and size."""
        offer = tools.offer(name)
        for line in _offer(offer):
            echo(line, err=True)
        agree(f"Fetch {_megabytes(offer.bytes)}?", yes=yes)
        tools.pull(offer, now_and_then())
        echo(f"Downloaded. To use it: NOTED_EMBEDDER={name}" if name else "Downloaded.", err=True)


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
