"""Asks the embedded model, in the app, what is in the files of `data/wordings`, and counts what it follows."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer

from assistant.events import RunSoFar
from assistant.gate.gate import just_told
from assistant.kinds import EXAMPLE, Example
from assistant.models.embedded.reader import NOT_UNDERSTOOD
from assistant.prompt.sections import Asking
from assistant.reply.parser import parse_reply
from assistant.types import Action, Decision, Draft, Reply, Scope
from evaluation.command_parts import show_table
from evaluation.memprompt.tasks.lexical import Lexical
from evaluation.memprompt.tasks.word_tasks import WordItem
from evaluation.store_filling import filled
from ui.server.services import Services

HALVES = ("dev", "heldout")
OPEN = HALVES[0]
POSSIBLE, IMPOSSIBLE = "possible", "impossible"
FOLLOWED, OTHER, DECLINED = "followed", "another task", "declined"
_DATA = Path(__file__).parents[1] / "data" / "wordings"
_WINDOW = 32_768
_TYPES = {"synonym": "syn", "antonym": "ant", "homophone": "hom", "definition": "defn", "sentence": "sent"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one question."""

    file: str
    half: str
    group: str  # language; of operations whether one can express it
    result: str  # one of the three above
    asked: str
    reply: Reply


def measured(half: str) -> Iterator[Outcome]:
    """Every question of one half of the files, each by a person of its own, in the app on a new store."""
    with filled(()) as app:
        for kind, outcomes in (("described", _described), ("outside", _outside), ("invented", _invented)):
            for row in _rows(f"{kind}_{half}"):
                for group, asked, result, reply in outcomes(row, app.services):
                    yield Outcome(kind, half, group, result, asked, reply)


_Outcomes = Iterator[tuple[str, str, str, Reply]]


def _described(row: dict[str, Any], services: Services) -> _Outcomes:
    """A question that does not say what is wanted, and what the person said then."""
    scope = _somebody(row)
    first = RunSoFar().after(services.assistant.ask(row["question"], scope)).turn
    turn = RunSoFar().after(services.assistant.clarify(first.id, row["text"], scope)).turn
    task = Lexical()
    kind = _TYPES[row["task"]]
    item = WordItem(row["question"], kind, row["lang"], "", task.answers(kind, row["word"]), about=row["word"])
    result = FOLLOWED if all(task.verdict(item, turn)) else OTHER
    yield (
        row["lang"],
        f"{row['task']}: {row['question']} - {row['text']}",
        _unless_declined(result, turn.reply),
        turn.reply,
    )


def _outside(row: dict[str, Any], services: Services) -> _Outcomes:
    """A question that it cannot answer: whatever it says is wrong."""
    turn = RunSoFar().after(services.assistant.ask(row["text"], _somebody(row))).turn
    yield row["lang"], row["text"], _unless_declined(OTHER, turn.reply), turn.reply


def _invented(row: dict[str, Any], services: Services) -> _Outcomes:
    """An operation that is shown twice, under a name that nobody knows."""
    scope = _somebody(row)
    shown = [_shown(question, answer, row, services, scope) for question, answer in row["shows"]]
    for question, answers in row["asks"]:
        runner = services.assistant.runner
        prompt = runner.prompt_builder.answer(Asking(question, scope, shown), _WINDOW)
        reply = parse_reply("".join(runner.model.stream(prompt.messages)))
        is_right = row["possible"] and (not answers or reply.answer in answers)
        result = FOLLOWED if is_right else OTHER
        group = POSSIBLE if row["possible"] else IMPOSSIBLE
        yield group, f"{row['shows']} {question}: {answers}", _unless_declined(result, reply), reply


def _shown(question: str, answer: str, row: dict[str, Any], services: Services, scope: Scope) -> Decision:
    about = question.removeprefix(f"{row['name']} of ")
    example = Example(understanding=f'You want the {row["name"]} of "{about}".', answer=answer)
    entry = services.assistant.memory.remember(Draft(EXAMPLE, question, example, question), scope)
    return replace(just_told(entry), action=Action.SHOW)


def _somebody(row: dict[str, Any]) -> Scope:
    return Scope(str(abs(hash(json.dumps(row)))))


def _unless_declined(result: str, reply: Reply) -> str:
    return DECLINED if reply.understanding == NOT_UNDERSTOOD else result


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines() if line]


def show(found: Sequence[Outcome], *, misses: bool) -> None:
    """One table: a row for each group of each file, and what went wrong in the open half where that is wanted."""
    counts: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for one in found:
        for group in ("all", one.group):
            counts[one.file, one.half, group][one.result] += 1
    results = (FOLLOWED, OTHER, DECLINED)
    rows = [
        (f"{file}, {half}: {group}", *(count[one] for one in results), count.total())
        for (file, half, group), count in sorted(counts.items())
    ]
    show_table("file", (*results, "of"), rows)
    for one in found:
        right = DECLINED if one.group == IMPOSSIBLE or one.file == "outside" else FOLLOWED
        if misses and one.half == OPEN and one.result != right:
            typer.echo(f"{one.file} {one.result}: {one.asked}\n    -> {one.reply.understanding} | {one.reply.answer}")
