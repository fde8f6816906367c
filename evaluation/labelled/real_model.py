"""Sixty questions and twenty corrections, written blind, on a real model: what is shown, and what is followed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from time import monotonic
from typing import Annotated, Any, NamedTuple

import typer

from assistant.conversation import Assistant
from assistant.gate.gate import just_told
from assistant.types import Candidate, Decision, Entry, Question, Scope
from evaluation.harness.dataset import DATA
from evaluation.harness.options import RUNS, Out, chosen
from evaluation.harness.report import Cell, Report, Share, Table, publish
from evaluation.harness.runner import Runner, progress
from evaluation.harness.subject import Subject
from ui.server.services import Services

WAYS = ("alone", "noted", "found")
_MARKS = re.compile(
    r"</?\s*(?:understanding|answer|notes|correction|readings|fact|keep|look)\b|<\|\w|\bnote by the user\b|tavrin"
    r"|\A\W*(?:understanding|answer)\s*:|^\W*question\s*:",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Answered:
    """What the user saw of one reply."""

    understanding: str
    answer: str
    seconds: float

    @property
    def is_whole(self) -> bool:
        """Return True if both an understanding and an answer came."""
        return bool(self.understanding.strip() and self.answer.strip())

    @property
    def shows_marks(self) -> bool:
        """Return True if a tag, a mark, a label or the text of an example is in sight."""
        return any(_MARKS.search(text) for text in (self.understanding, self.answer))

    def follows(self, correction: dict[str, Any]) -> bool:
        """Return True if the answer follows a correction, by the expressions that were written with it."""
        wanted, banned = correction["followed"]["any"], correction["followed"]["none"]
        found = not wanted or any(re.search(each, self.answer, re.IGNORECASE) for each in wanted)
        return found and not any(re.search(each, self.answer, re.IGNORECASE) for each in banned)


class Asked(NamedTuple):
    """A question, the correction that it needs, and who answers."""

    way: str
    text: str
    subject: Subject
    correction: dict[str, Any] | None = None


def real_model(
    model: Annotated[str, typer.Option(help="A LiteLLM name, local/NAME, or the path of a GGUF file.", metavar="M")],
    *,
    out: Out = RUNS / "real-model",
    api_base: Annotated[str | None, typer.Option(help="Address of the server.", metavar="URL")] = None,
    ways: Annotated[str, typer.Option(help="Ways with commas between.")] = ",".join(WAYS),
) -> None:
    """Ask a real model sixty questions, and what was corrected in twenty others, written blind.

    `whole` replies have an understanding and an answer; `marks` are replies in which a tag, a label or the text of an
    example is in sight; `followed` are answers that follow the correction: `noted` has it beside the question, `found`
    only where the gate finds it. NOTED_PROMPT says how the prompt is written, NOTED_API_KEY is the key.
    """
    wanted = chosen(ways, WAYS, "way")
    runner, rows = Runner(out, model, api_base), dict[str, dict[str, Cell]]()
    with runner.app() as services:
        every = [one for one in asked_of(services) if one.way in wanted]
        with progress("Asking", len(every)) as tell:
            log = runner.log(Answered, tell)
            found = [(one, log.of(f"{one.way}: {at}", partial(_answer, one))) for at, one in enumerate(every)]
    for way in wanted:
        replies = [reply for one, reply in found if one.way == way]
        follows = [reply.follows(one.correction) for one, reply in found if one.way == way and one.correction]
        rows[way] = {
            "whole": Share.of_all(reply.is_whole for reply in replies),
            "marks": sum(reply.shows_marks for reply in replies),
            "followed": Share.of_all(follows),
            "seconds": median(reply.seconds for reply in replies),
        }
    publish(Report(name="real-model", tables=(Table.of("replies", rows),), model=model), out)


def _answer(asked: Asked) -> Answered:
    began = monotonic()
    reply = asked.subject.ask(asked.text, f"{asked.way} {asked.text}").reply
    return Answered(reply.understanding, reply.answer, round(monotonic() - began, 1))


def asked_of(services: Services) -> Iterator[Asked]:
    """Yield every question in every way, with the assistant of that way."""
    for one in _read("questions")["question"]:
        yield Asked("alone", one["text"], Subject(services.assistant, Scope("asker")))
    for place, one in enumerate(_read("corrections")["correction"]):
        scope = Scope(f"corrected-{place}")
        entry = services.assistant.remember(one["first"], one["said"], scope)
        for way, assistant in {"noted": _beside(services, entry), "found": services.assistant}.items():
            yield Asked(way, one["later"], Subject(assistant, scope), one)


def _beside(services: Services, entry: Entry) -> Assistant:
    """Return an assistant that puts a note beside any question."""
    fit = services.models.connected["fit"]

    def recall(question: Question, scope: Scope) -> list[Candidate]:  # noqa: ARG001
        return [Candidate(entry, entry.keys[0])]

    def gate(candidates: Sequence[Candidate], scope: Scope) -> list[Decision]:  # noqa: ARG001
        return [just_told(entry)]

    return services.assistant.with_parts(
        recall=recall, retrievers=(), gate=gate, fit=lambda model: {**fit(model), "gate": gate}
    )


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((DATA / f"real_model_{name}.toml").read_text(encoding="utf-8"))
