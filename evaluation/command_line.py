"""The commands. Tables go to standard output, everything else to standard error or to the file that is named.

Exit codes: 0 done, 1 it did not work, 2 the input or the command cannot be used (one sentence says why), 130 stopped.
"""

from __future__ import annotations

import typer

from assistant.errors import SettingsError
from evaluation.costs.commands import page, saving, speed
from evaluation.decisions.commands import ablation, clinc150, decisions, hinglish_top, templates
from evaluation.memprompt.commands import report, run
from evaluation.reading import BadInput
from ui.terminal.command_parts import PlainErrors


class Measurements(PlainErrors):
    input_errors = (BadInput, SettingsError)
    stopped = "Stopped. What was written so far is whole."


def command_line() -> typer.Typer:
    """The commands, as `python -m evaluation` runs them."""
    app = typer.Typer(
        cls=Measurements,
        help="Measure Noted. Memory is made afresh for each run, in a folder of its own that is removed again.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # brackets are JSON here
        add_completion=False,
    )

    for command in (decisions, clinc150, hinglish_top, templates, ablation, speed, saving, page, run, report):
        app.command(command.__name__.replace("_", "-"))(command)
    return app
