"""The command line: operations as commands, and commands of the host: serve, chat, password, restore, models.

Answers go to standard output, everything else to standard error. Exit codes: 0 done, 1 failed (with a message), 2 bad
usage.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, redirect_stderr
from pathlib import Path
from typing import Annotated, Any

import typer

from assistant import __version__
from assistant.errors import ModelError
from assistant.models.local import models as hub
from assistant.models.local.local import gigabytes, read_header
from assistant.models.remote.connecting import USUAL_MODELS, keys_set
from assistant.reports.upkeep import Backup
from assistant.settings import EMBEDDED, LOCAL, Settings
from assistant.types import Scope
from ui.actions.table import OPERATIONS
from ui.actions.upkeep import describe_backup
from ui.server.identity import LOCAL_PERSON
from ui.server.services import Services
from ui.terminal.commands import Client, Compose, Home, User, Yes, add_command, lines_of_a_user, talk, topics
from ui.terminal.output import PlainErrors, agree, console, say
from ui.words.texts import format_count

_HELP = """\
Usage: noted [COMMAND]        without a command, the page is served

Noted is a chat assistant that shows how it understood you, and remembers when you correct it.

{commands}
Host:               serve, chat, mcp, password, restore, models, embedder

`noted COMMAND --help` explains a command; `--json` prints a result for programs, `--version` the version.
Commands refer to the last answer and the last saved entry, unless you name another."""

Serve = Callable[[Settings], None]
Restore = Callable[[Settings, Path], tuple[Backup, int]]  # contents of the backup, and number of repeated erasures
Pull = Callable[[str], None]  # name on the hub
ServeMcp = Callable[[Services, str], None]  # for a user

PullName = Annotated[str, typer.Argument(metavar="NAME", help="OWNER/MODEL on the hub; else the bundled one.")]
BackupFile = Annotated[Path, typer.Argument(help="What `backup` wrote.", exists=True, dir_okay=False)]
Version = Annotated[bool, typer.Option("--version", help="Show the version.", is_eager=True)]
GetName = Annotated[str, typer.Argument(metavar="NAME", help="A name of `noted models`, or OWNER/REPO/FILE.gguf.")]
RemoveName = Annotated[str, typer.Argument(metavar="NAME", help="A model on this machine.")]


class Grouped(PlainErrors):
    """Commands with a help page of names by topic."""

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002  prints by itself
        say(_HELP.format(commands="\n".join(topics())))


def command_line(
    compose: Compose, serve: Serve, restore: Restore, pull_embedder: Pull, serve_mcp: ServeMcp
) -> typer.Typer:
    """Compose the commands. `serve` blocks until the page is stopped, `serve_mcp` until its client leaves."""
    app = typer.Typer(cls=Grouped, invoke_without_command=True, pretty_exceptions_enable=False, add_completion=False)

    @app.callback()
    def noted(context: typer.Context, *, version: Version = False) -> None:
        if version:
            say(f"noted {__version__}")
        elif context.invoked_subcommand is None:
            start(serve)

    for operation in OPERATIONS.values():
        add_command(app, operation, compose)
    add_host_commands(app, compose, serve, restore, serve_mcp)
    app.add_typer(models_commands(compose), name="models")
    embedder = typer.Typer(help="Download the embedder, which compares meanings.", no_args_is_help=True)
    app.add_typer(embedder, name="embedder")

    @embedder.command("pull")
    def pull(name: PullName = "") -> None:
        """Download a sentence-transformers model from a hub into the local cache. Run it again to resume."""
        pull_embedder(name)
        say(f"Downloaded. To use it: NOTED_EMBEDDER={name}" if name else "Downloaded.", err=True)

    return app


def add_host_commands(app: typer.Typer, compose: Compose, serve: Serve, restore: Restore, serve_mcp: ServeMcp) -> None:
    """Add the commands of the host. `restore` does not open the current memory, which may be damaged."""

    @app.command("serve")
    def serve_page(
        host: Annotated[str | None, typer.Option(help="Address to serve on.")] = None,
        port: Annotated[int | None, typer.Option(help="Port to serve on.")] = None,
        home: Home = None,
    ) -> None:
        """Serve the page (this is also what happens without a command)."""
        start(serve, host, port, home)

    @app.command()
    def chat(user: User = LOCAL_PERSON, home: Home = None) -> None:
        """Chat in the terminal; lines may also come from a file or a pipe."""
        with closing(compose(Settings.load(home=home))) as services:
            services.start()
            with redirect_stderr(sys.stdout):  # the transcript includes standard error
                talk(Client(services, Scope(user)), app, lines_of_a_user())

    @app.command()
    def mcp(user: User = LOCAL_PERSON, home: Home = None) -> None:
        """Serve MCP on standard input and output, for an assistant that starts this command."""
        with closing(compose(Settings.load(home=home))) as services:
            services.start()
            serve_mcp(services, Scope(user).person)

    @app.command()
    def password(name: Annotated[str, typer.Argument(help="The name to sign in with.")]) -> None:
        """Print the line that lets a user sign in; add it to NOTED_AUTH or to the file NOTED_AUTH_FILE."""
        from ui.server.sign_in import check_name, format_password  # heavy import

        check_name(name)
        chosen = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
        say(format_password(name, chosen))

    @app.command("restore")
    def put_back(file: BackupFile, home: Home = None, *, yes: Yes = False) -> None:
        """Replace the memory of all users by a backup. Erasures since the backup are repeated."""
        if not yes:
            agree("Replace the whole memory by this backup? The current memory is permanently deleted.")
        settings = Settings.load(home=home)
        settings.make_home()
        found, again = restore(settings, file)
        say(f"Restored: {describe_backup(found)}. The previous memory was deleted.", err=True)
        if again:
            say(f"Erased again, because it was erased since: {format_count('erasures', again)}.", err=True)
        with closing(compose(settings)) as services, console(err=True).status("") as status:
            services.store.indexer.rebuild(status.update)
        say("The index was rebuilt.", err=True)


def start(serve: Serve, host: str | None = None, port: int | None = None, home: str | None = None) -> None:
    """Serve the page until it is stopped."""
    settings = Settings.load(host=host, port=port, home=home)
    os.environ.pop("GRADIO_SERVER_PORT", None)  # Gradio cannot be imported if this is not a number
    serve(settings)


def models_commands(compose: Compose) -> typer.Typer:
    """Return the group `models`; without a subcommand it shows models in use, installed and available."""
    models = typer.Typer(help="Show which models are in use, why, and which are on this machine.")

    @models.callback(invoke_without_command=True)
    def show(context: typer.Context, home: Home = None) -> None:
        if context.invoked_subcommand:
            return
        with closing(compose(Settings.load(home=home))) as services:
            say(f"Answers:    {services.models.note(LOCAL_PERSON)} NOTED_MODEL names another.")
            say(f"Similarity: {services.embedder_note()}")
            say(f"Memory:     {services.memory_note(LOCAL_PERSON)}")
            say("\n".join((*_found(services), *_local_models(Settings.load(home=home)))))

    @models.command("get")
    def get(name: GetName, home: Home = None) -> None:
        """Download a language model that runs on this machine. Run it again to resume."""
        settings = Settings.load(home=home)
        settings.make_home()
        wanted = hub.find(name)
        licence = hub.catalogue().get(wanted.name, {}).get("licence", "see its page on the hub")
        say(f"Getting {wanted.file} of {wanted.repo}. Its terms: {licence}.", err=True)
        with console(err=True).status("") as status:
            for here, whole in hub.download(wanted, settings.models):
                status.update(f"{here / 1e6:,.1f} of {whole / 1e6:,.1f} MB…")
        say(f"Downloaded. To use it: NOTED_MODEL={LOCAL}{wanted.name}", err=True)

    @models.command("remove")
    def remove(name: RemoveName, home: Home = None) -> None:
        """Delete a model from this machine."""
        hub.delete(name.removeprefix(LOCAL), Settings.load(home=home).models)
        say("Removed.", err=True)

    return models


def _found(services: Services) -> Iterator[str]:
    """Yield model servers and keys on this machine, with the line to use each, if the embedded model answers."""
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
    """Yield the models on this machine and the models of the catalogue."""
    used, files = settings.model_file, hub.find_installed(settings.models)
    files += [used] if used is not None and used not in files else []
    if files:
        yield "\nOn this machine:"
    for file in files:
        name = f"{LOCAL}{file.stem}" if file.parent == settings.models else str(file)
        try:
            header = read_header(file)
            memory = gigabytes(header.memory(settings.window))
            size = f"{gigabytes(header.file_bytes)}, up to {memory} of memory"
        except ModelError as error:
            size = str(error)
        yield f"  {name}  {size}{', in use' if file == used else ''}"
    yield "\nTo get (noted models get NAME), or any OWNER/REPO/FILE.gguf of the hub:"
    for name, model in hub.catalogue().items():
        size = f"{model['size_gb']} GB, {model['memory_gb']} GB of memory"
        yield f"  {name}  {size}, {model['licence']}, {'tried' if model['tried'] else 'not tried'}"
        yield f"    languages: {model['languages']}"
