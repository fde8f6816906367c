"""The commands. Tables go to standard output, everything else to standard error or to the file that is named.

Exit codes: 0 done, 1 it did not work, 2 the input or the command cannot be used (one sentence says why), 130 stopped.
"""

from __future__ import annotations

import typer

from evaluation.cost_commands import page, saving, speed
from evaluation.decision_commands import clinc150, decisions, hinglish_top, templates
from evaluation.memprompt.commands import report, run


def command_line() -> typer.Typer:
    """The commands, as `python -m evaluation` runs them."""
    app = typer.Typer(
        help="Measure Noted. Memory is made afresh for each run, in a folder of its own that is removed again.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # brackets are JSON here
        add_completion=False,
    )

    app.command("decisions")(decisions)
    app.command("clinc150")(clinc150)
    app.command("hinglish-top")(hinglish_top)
    app.command("templates")(templates)
    app.command("speed")(speed)
    app.command("saving")(saving)
    app.command("page")(page)
    app.command("run")(run)
    app.command("report")(report)
    return app
