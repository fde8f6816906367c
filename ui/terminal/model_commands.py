"""The commands of models, `noted models`, and of embedders, `noted embedder`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from assistant.errors import ModelError
from assistant.models.local import hub
from assistant.models.local.errors import gigabytes
from assistant.models.local.gguf_header import read_header
from assistant.models.remote.found import USUAL_MODELS, keys_set
from assistant.settings import EMBEDDED, LOCAL, Settings
from ui.server.identity import LOCAL_PERSON
from ui.server.services import Services
from ui.terminal.command_parts import Compose, Home, echo, now_and_then, opened

Pull = Callable[[str], None]
"""Download a model into the local cache, by its name on the hub."""
PullName = Annotated[
    str,
    typer.Argument(help="owner/model on the hub; else the bundled one. HF_ENDPOINT names another hub."),
]
GetName = Annotated[str, typer.Argument(metavar="NAME", help="A name of `noted models`, or OWNER/REPO/FILE.gguf.")]
RemoveName = Annotated[str, typer.Argument(metavar="NAME", help="A model on this machine.")]


def models_commands(compose: Compose) -> typer.Typer:
    """Return the group of commands; without one of them it shows what is in use, what is here, and what to get."""
    models = typer.Typer(help="Show which models are in use, why, and which are on this machine.")

    @models.callback(invoke_without_command=True)
    def show(context: typer.Context, home: Home = None) -> None:
        if context.invoked_subcommand:
            return
        with opened(compose, home) as services:
            echo(f"Answers:    {services.models.note(LOCAL_PERSON)} NOTED_MODEL names another.")
            echo(f"Similarity: {services.embedder_note()}")
            echo(f"Memory:     {services.memory_note(LOCAL_PERSON)}")
            for line in (*_found(services), *_local_models(Settings.load(home=home))):
                echo(line)

    @models.command("get")
    def get(name: GetName, home: Home = None) -> None:
        """Download a language model that runs on this machine. The same command goes on after a break."""
        settings = Settings.load(home=home)
        settings.make_home()
        wanted, told = hub.find(name), now_and_then()
        echo(f"Getting {wanted.file} of {wanted.repo}. Its terms: {_licence(wanted.name)}.", err=True)
        for here, whole in hub.download(wanted, settings.models):
            told(f"{_megabytes(here)} of {_megabytes(whole)}…")
        echo(f"Downloaded. To use it: NOTED_MODEL={LOCAL}{wanted.name}", err=True)

    @models.command("remove")
    def remove(name: RemoveName, home: Home = None) -> None:
        """Delete a model from this machine."""
        hub.delete(name.removeprefix(LOCAL), Settings.load(home=home).models)
        echo("Removed.", err=True)

    return models


def _licence(name: str) -> str:
    return str(hub.catalogue()[name]["licence"]) if name in hub.catalogue() else "see its page on the hub"


def _found(services: Services) -> Iterator[str]:
    """Yield what else is on this machine where the small model answers, with the line that uses it."""
    if services.models.find_servers is None or services.assistant.runner.model.name != EMBEDDED:
        return
    for server in services.models.find_servers():
        yield f"Found:      {server.name} on this machine. To use it:"
        for model in server.models:
            yield f"  NOTED_PROMPT=measured NOTED_MODEL={model} NOTED_API_BASE={server.address} noted"
    for provider, variable in keys_set().items():
        yield f"Key:        {variable} is set. To use it:"
        yield f"  NOTED_MODEL={provider}/{USUAL_MODELS.get(provider, 'MODEL')} noted"


def _local_models(settings: Settings) -> Iterator[str]:
    used, files = settings.model_file, hub.installed(settings.models)
    files += [used] if used is not None and used not in files else []
    if files:
        yield "\nOn this machine:"
    for file in files:
        name = f"{LOCAL}{file.stem}" if file.parent == settings.models else str(file)
        yield f"  {name}  {_size(file, settings)}{', in use' if file == used else ''}"
    yield "\nTo get (noted models get NAME), or any OWNER/REPO/FILE.gguf of the hub:"
    for name, model in hub.catalogue().items():
        size = f"{model['size_gb']} GB, {model['memory_gb']} GB of memory"
        is_tried = "tried" if model["tried"] else "not tried"
        yield f"  {name}  {size}, {model['licence']}, {is_tried}\n    languages: {model['languages']}"


def _size(file: Path, settings: Settings) -> str:
    try:
        header = read_header(file)
    except ModelError as error:
        return str(error)
    return f"{gigabytes(header.file_bytes)}, up to {gigabytes(header.memory(settings.window))} of memory"


def add_embedder_commands(embedder: typer.Typer, download: Pull) -> None:
    """Add the commands to a group."""

    @embedder.callback()
    def group() -> None:
        """Get what compares meanings."""

    @embedder.command("pull")
    def pull(name: PullName = "") -> None:
        """Download a sentence-transformers model from a hub into the local cache; again, after a break, it goes on."""
        download(name)
        echo(f"Downloaded. To use it: NOTED_EMBEDDER={name}" if name else "Downloaded.", err=True)


def _megabytes(number: int) -> str:
    return f"{number / 1e6:,.1f} MB"
