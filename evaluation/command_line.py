"""The commands. Tables go to standard output, everything else to standard error or to the file that is named.

Exit codes: 0 done, 1 it did not work, 2 the input or the command cannot be used (one sentence says why), 130 stopped.
"""

import typer

from assistant.errors import SettingsError
from evaluation.command_parts import commands_of_folders
from evaluation.reading import BadInput
from ui.terminal.command_parts import PlainErrors


class Measurements(PlainErrors):
    input_errors = (BadInput, SettingsError)
    stopped = "Stopped. What was written so far is whole."


def command_line() -> typer.Typer:
    """The commands of all folders, as `python -m evaluation` runs them."""
    app = typer.Typer(
        cls=Measurements,
        help="Measure Noted. Memory is made afresh for each run, in a folder of its own that is removed again.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # brackets are JSON here
        add_completion=False,
    )
    run = typer.Typer(
        help="Replay an experiment with simulated people, on any model.\n\n"
        "Each stream is a person who asks one question after the other and says something where the answer calls for "
        "it. What was done stays in DIR, also after Ctrl-C: the same command goes on where it stopped, and a model is "
        "never asked the same twice. At the end the report is written.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    app.add_typer(run, name="run")
    for folder in commands_of_folders():
        for command in folder.commands:
            app.command(command.__name__.replace("_", "-"))(command)
        for name, plan in folder.plans.items():
            run.command(name)(plan)
    return app
