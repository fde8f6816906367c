"""The command that measures the embedded model on wordings that were written blind."""

from __future__ import annotations

from typing import Annotated

import typer

from evaluation.command_parts import Commands


def described(
    *,
    misses: Annotated[bool, typer.Option("--misses", help="Print what went wrong, of the open half only.")] = False,
) -> None:
    """What the embedded model follows, takes for something else, or declines.

    Clarifications that describe a word task and do not name it; questions of first visitors that are outside of what it
    can do; and operations under invented names, shown twice. They were written by people who had not seen the model. Of
    each file one half was open while it was made, the other was not.
    """
    from evaluation.words.described import HALVES, measured, show

    found = [one for half in HALVES for one in measured(half)]
    show(found, misses=misses)


COMMANDS = Commands(commands=[described])
