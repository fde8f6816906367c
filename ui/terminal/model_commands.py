"""The commands of models: `noted models`."""

from __future__ import annotations

from collections.abc import Iterator

import typer

from assistant.models.remote.found import USUAL_MODELS, keys_set
from assistant.settings import EMBEDDED
from ui.server.identity import LOCAL_PERSON
from ui.server.services import Services
from ui.terminal.command_parts import Compose, Home, echo, opened


def models_commands(compose: Compose) -> typer.Typer:
    """Return the group of commands; without one of them it shows what is in use, and what else could be."""
    models = typer.Typer(help="Show which models are in use, why, and which are on this machine.")

    @models.callback(invoke_without_command=True)
    def show(context: typer.Context, home: Home = None) -> None:
        if context.invoked_subcommand:
            return
        with opened(compose, home) as services:
            echo(f"Answers:    {services.model_note(LOCAL_PERSON)} NOTED_MODEL names another.")
            echo(f"Similarity: {services.embedder_note()}")
            echo(f"Memory:     {services.memory_note(LOCAL_PERSON)}")
            for line in _others(services):
                echo(line)

    return models


def _others(services: Services) -> Iterator[str]:
    """Where the small model answers: what else is on this machine, with the line that uses it."""
    if services.find_servers is None or services.assistant.runner.model.name != EMBEDDED:
        return
    for server in services.find_servers():
        yield f"Found:      {server.name} on this machine. To use it:"
        yield from (f"  NOTED_MODEL={model} NOTED_API_BASE={server.address} noted" for model in server.models)
    for provider, variable in keys_set().items():
        yield f"Key:        {variable} is set. To use it:"
        yield f"  NOTED_MODEL={provider}/{USUAL_MODELS.get(provider, 'MODEL')} noted"
