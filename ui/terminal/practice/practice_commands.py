"""The command that has the model practise on one's own questions, and shows what that was worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from assistant.errors import InputError, NotedError
from assistant.papers.expnote.practice import (
    FLIPS,
    Exercises,
    Practice,
    Tried,
    curve,
    disagreeing,
    is_worse,
    read_exercises,
)
from assistant.sentences import Sentence
from assistant.text.cleaning import printable
from assistant.types import Entry, Scope
from ui.server.identity import LOCAL_PERSON
from ui.terminal.command_parts import AsJson, Compose, Home, User, bar, echo, opened, opened_there, print_json
from ui.terminal.files import Header, read_table_in
from ui.words.texts import counted

_Effect = tuple[Entry, int, int]
_MOST_SHOWN = 20  # lessons
_MOST_DISAGREEING = 10
_GO_ON = "Nothing is lost; the same command goes on."


@dataclass(slots=True)
class _Practised:
    """How far a practice came."""

    count: int  # exercises
    tried: list[Tried] = field(default_factory=list)
    tests: list[Tried] = field(default_factory=list)
    error: Sentence | None = None  # that it ended with
    stopped: bool = False

    @property
    def is_over(self) -> bool:
        return not (self.stopped or self.error)

    @property
    def flips(self) -> Counter[str]:
        return Counter(test.flip for test in self.tests)


def add_practice_command(app: typer.Typer, compose: Compose) -> None:
    """Add the command."""

    @app.command()
    def practice(
        file: Annotated[Path, typer.Argument(help="A question and its answer on each line: CSV, or with a tab.")],
        user: User = LOCAL_PERSON,
        home: Home = None,
        *,
        header: Header = None,
        keep: Annotated[bool, typer.Option("--keep", help="Use what was learnt from this file from now on.")] = False,
        forget: Annotated[bool, typer.Option("--forget", help="Throw away what was learnt from this file.")] = False,
        as_json: AsJson = False,
    ) -> None:
        """Have the model answer questions, tell it the right answers, and let it note lessons.

        The last fifth is held out, and shows what the lessons are worth. Ctrl-C stops; the same command goes on.
        """
        name, scope = str(file.resolve()), Scope(user)  # another file that is called the same is another practice
        if forget:
            with opened_there(compose, home) as services:
                echo(f"Thrown away: {counted('lessons', services.practice.forget(name, scope))}.", err=True)
            return
        with opened(compose, home) as services:
            limits = services.assistant.limits
            exercises = read_table_in(file, header, lambda text, header: read_exercises(text, limits, header))
            if not exercises.cases:
                raise InputError(f"There is no question with an answer in {file}.")
            said = f"{len(exercises.cases):,} questions to learn from, {len(exercises.held_out):,} held out"
            echo(f"{said}. Model: {services.models.name}.", err=True)
            done = _practise(services.practice, name, exercises, scope)
            is_kept = keep and done.is_over and not is_worse(done.tests)
            if is_kept:
                services.practice.keep(name, scope)
            learnt = _effects(services.practice.lessons(name, scope), done.tests)
        if as_json:
            print_json(_fields(done, learnt))
        else:
            _show(done, learnt)
        _end(done, is_kept=is_kept)


def _practise(practice: Practice, name: str, exercises: Exercises, scope: Scope) -> _Practised:
    """Go through all of it, with a bar, until it ends, fails, or is stopped."""
    done = _Practised(len(exercises.cases) + len(exercises.held_out))
    with bar("Practising", done.count) as (interrupts, advance):
        try:
            for tried in practice.cases(name, exercises.cases, scope):
                done.tried += [] if tried.error else [tried]
                advance()
                if tried.error or interrupts:
                    done.error, done.stopped = tried.error, bool(interrupts)
                    return done
            for test in practice.tests(name, exercises.held_out, scope):
                done.tests.append(test)
                advance()
                if interrupts:
                    done.stopped = True
                    return done
            if len(done.tests) < len(exercises.held_out):
                done.error = done.tests[-1].error
        except NotedError as error:
            done.error = error.sentence
    return done


def _show(done: _Practised, learnt: Sequence[_Effect]) -> None:
    if parts := [f"{share:.0%}" for share in curve(done.tried)]:
        right = sum(one.right for one in done.tried)
        echo(f"Right while learning: {right:,} of {len(done.tried):,}; in its parts {' '.join(parts)}")
    _show_disagreeing(disagreeing(done.tried))
    if done.tests:
        before, after = sum(test.before for test in done.tests), sum(test.right for test in done.tests)
        echo(f"Held out, {len(done.tests):,}: {before:,} right without the lessons, {after:,} with them")
        echo("  " + ", ".join(f"{flip} {done.flips[flip]:,}" for flip in FLIPS))
        if failed := [one.error for one in done.tests if one.error]:
            echo(f"  {len(failed):,} of these wrong without an answer: {failed[-1]}")
    if learnt:
        _show_lessons(learnt)
    else:
        echo("No lesson was noted.")


def _show_disagreeing(cases: Sequence[Tried]) -> None:
    if cases:
        echo(f"Cases that disagree with what was learnt before: {len(cases):,}")
    for one in cases[:_MOST_DISAGREEING]:
        told = f"your answer {one.exercise.answer}, by what was learnt {one.said}"
        echo(f"  {printable(f'{one.exercise.question}: {told}')}")


def _effects(lessons: Sequence[Entry], tests: Sequence[Tried]) -> list[_Effect]:
    """Return each lesson with the answers that used it and how many of these were right, most used first."""
    found: list[_Effect] = []
    for lesson in lessons:
        right = [test.right for test in tests if lesson.id in test.used]
        found.append((lesson, lesson.used + len(right), lesson.helped + sum(right)))
    return sorted(found, key=lambda one: -one[1])


def _show_lessons(learnt: Sequence[_Effect]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(counted("lessons", len(learnt)))
    for name in ("used", "right", "wrong"):
        table.add_column(name, justify="right")
    for lesson, used, right in learnt[:_MOST_SHOWN]:
        resting = " (rests)" if lesson.resting else ""
        numbers = (used, right, used - right)
        table.add_row(printable(lesson.shown) + resting, *(f"{number:,}" for number in numbers))
    Console(highlight=False, markup=False, emoji=False).print(table)
    if len(learnt) > _MOST_SHOWN:
        echo(f"… and {len(learnt) - _MOST_SHOWN:,} more: `memory list` shows them.")


def _end(done: _Practised, *, is_kept: bool) -> None:
    """Say how to go on, where it is not at its end, or how to go back. Raises Exit, unless all was well."""
    if not done.is_over:
        echo(str(done.error) if done.error else "Stopped.", err=True)
        echo(f"{len(done.tried) + len(done.tests):,} of {done.count:,} are done. {_GO_ON}", err=True)
        raise typer.Exit(130 if done.stopped else 1)
    if is_kept:
        echo("The lessons are used from now on; --forget throws them away.", err=True)
    elif is_worse(done.tests):
        echo("Fewer are right with the lessons, so they can't be kept; --forget throws them away.", err=True)
    else:
        echo("The lessons are not used yet: --keep uses them from now on, --forget throws them away.", err=True)


def _fields(done: _Practised, learnt: Sequence[_Effect]) -> dict[str, Any]:
    return {
        "learnt_from": len(done.tried),
        "right": sum(one.right for one in done.tried),
        "curve": curve(done.tried),
        "disagreeing": [
            {"question": one.exercise.question, "answer": one.exercise.answer, "learnt": one.said}
            for one in disagreeing(done.tried)
        ],
        "held_out": len(done.tests),
        "failed": sum(one.error is not None for one in done.tests),
        "flips": {flip: done.flips[flip] for flip in FLIPS},
        "lessons": [
            {"entry": lesson.id, "lesson": lesson.shown, "used": used, "right": right} for lesson, used, right in learnt
        ],
        "finished": done.is_over,
    }
