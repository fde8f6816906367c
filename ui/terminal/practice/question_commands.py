"""The command that makes study questions of a text."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from assistant.errors import InputError, NotedError
from assistant.papers.selection.study import SAMPLES, Passage, Study, StudyQuestion
from assistant.sentences import Sentence
from assistant.settings import MOST_DRAFTS
from assistant.types import Scope
from ui.server.identity import LOCAL_PERSON
from ui.terminal.command_parts import AsJson, Compose, Home, User, bar, echo, opened, print_json
from ui.terminal.files import text_in
from ui.words.study import FORMATS, lines_of, made_question


@dataclass(slots=True)
class _Made:
    """What was made, and why there is no more."""

    questions: list[StudyQuestion] = field(default_factory=list)
    error: Sentence | None = None
    stopped: bool = False


def add_questions_command(app: typer.Typer, compose: Compose) -> None:
    """Add the command."""

    @app.command()
    def questions(
        file: Annotated[Path, typer.Argument(help="A text.")],
        answers: Annotated[
            Path | None, typer.Option(help="Answers that the questions are to have, one on each line.", metavar="FILE")
        ] = None,
        samples: Annotated[
            int, typer.Option(min=1, max=MOST_DRAFTS, help="So many are written each time, the best is kept.")
        ] = SAMPLES,
        out: Annotated[
            Path | None,
            typer.Option(help="Keep them here: .csv (for `practice`), .json, .txt.", metavar="FILE"),
        ] = None,
        user: User = LOCAL_PERSON,
        home: Home = None,
        *,
        show_all: Annotated[bool, typer.Option("--all", help="Show all that were written, with scores.")] = False,
        as_json: AsJson = False,
    ) -> None:
        """Make study questions of a text: for each answer, or else for each sentence. Ctrl-C keeps what was made."""
        written = FORMATS.get(out.suffix if out else ".csv")
        if written is None:
            raise InputError("study.format")
        with opened(compose, home) as services:
            study, scope = services.study, Scope(user)
            passages = study.passages(text_in(file), text_in(answers).splitlines() if answers else ())
            if not passages:
                raise InputError("study.none")
            calls = study.most_calls(len(passages), samples)
            costs = f"up to {calls:,} calls of the model" if calls else "no call of a model"
            echo(f"{len(passages):,} places, up to {samples} questions each: {costs}. {services.models.name}", err=True)
            made = _make(study, passages, samples, scope)
        if out:
            out.write_text(written(made.questions), encoding="utf-8")
        if as_json:
            print_json({"questions": [made_question(one) for one in made.questions], "places": len(passages)})
        for one in () if as_json or out else made.questions:
            for line in lines_of(one, with_others=show_all):
                echo(line)
        _end(made, len(passages), out)


def _make(study: Study, passages: Sequence[Passage], samples: int, scope: Scope) -> _Made:
    """Ask about all of them, with a bar, until that ends, fails, or is stopped."""
    made = _Made()
    with (
        bar("Asking", len(passages)) as (interrupts, advance),
        closing(study.questions(passages, samples, scope)) as coming,
    ):
        try:
            for one in coming:
                if one:
                    made.questions.append(one)
                    advance()
                if interrupts:
                    made.stopped = True
                    break
        except NotedError as error:
            made.error = error.sentence
    return made


def _end(made: _Made, places: int, out: Path | None) -> None:
    """Say what there is. Raises Exit where it is not all."""
    kept = sum(one.kept is not None for one in made.questions)
    echo(f"{kept:,} questions, about {len(made.questions):,} of {places:,} places.", err=True)
    if out and out.suffix == ".csv" and kept:
        echo(f"`noted practice {out}` practises on them.", err=True)
    if made.stopped or made.error:
        echo(str(made.error) if made.error else "Stopped.", err=True)
        raise typer.Exit(130 if made.stopped else 1)
