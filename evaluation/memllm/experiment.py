"""Edit a sheet of facts, as MemLLM does with ZsRE (section 4.3).

An edit is a question with its answer: the thing that it names, its other words as the relation, and the answer. A
question is answered by the nearest fact about the thing that it names. REL: the question of the edit. GEN: another
question with the same meaning. LOC: one about something without edits, for which nothing should be found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Annotated, Protocol, cast

import typer

from assistant.kinds import Place
from assistant.papers.memllm.sheet import Profile, Query
from assistant.papers.teachme.facts import fact
from assistant.text.sentences import as_words
from assistant.types import Entry, Scope
from evaluation.harness.options import MODELS, RUNS, Data, Out, Seed
from evaluation.harness.report import Cell, Report, Table, mean, publish
from evaluation.harness.runner import ResultLog, Runner
from evaluation.harness.simulated_user import NO_TURN, SimulatedUser, open_fresh_app
from evaluation.memllm.web_questions import WEB_QUESTIONS, TopicQuestion, find_names, read_questions, remove_name
from memory_store.language.normalize import fold_name
from memory_store.sheet.sheet import LedgerFactSheet
from ui.server.services import Services

READER = Scope("reader")
EDITED = Profile(0.85, 0.3, 0.65)
"""As `EDIT`, but fitted for the bundled embedder with a question's own words as the relation, so that other questions
about the same thing find less."""


def memllm(
    context: typer.Context,
    data: Data,
    *,
    out: Out = RUNS / "memllm",
    edits: Annotated[int, typer.Option(min=0, help="Edits in a row.")] = 1_000,
    model: Annotated[
        str, typer.Option(help=f"Ask through the app as well: `embedded`, or {MODELS}.", metavar="M")
    ] = "",
    seed: Seed = 0,
) -> None:
    """Make edits in a row, without a model and, with --model, through the app as well (MemLLM).

    The edits are questions of WebQuestions, on which the thresholds were chosen.
    """
    every = [one for split in WEB_QUESTIONS.splits for one in read_questions(data, split)]
    plan = EditPlan.of(every, seed, edits)
    edited: dict[str, dict[str, Cell]] = {}
    with open_fresh_app() as services:
        edited["without a model"] = {**run(SheetEditor(services, plan.forms), plan)}
    if model:
        runner = Runner(out, context.params, model)
        with runner.app() as services, runner.asking(services, plan.asked) as tell:
            subject = SimulatedUser(services.assistant, READER)
            edited[model] = {**run(ChatEditor(subject, runner.log(str, tell)), plan)}
    title = f"{len(plan.edits):,} edits; {sum(map(len, plan.reworded))} reworded, {len(plan.unrelated):,} unrelated"
    settings = {"seed": seed, "edits": edits}
    publish(Report(name="memllm", tables=(Table.of(title, edited),), model=model, settings=settings), out)


@dataclass(frozen=True, slots=True)
class EditPlan:
    """The edits, and the questions that are asked afterwards."""

    edits: Sequence[TopicQuestion]
    reworded: Sequence[Sequence[TopicQuestion]]  # per edit
    unrelated: Sequence[TopicQuestion]

    @classmethod
    def of(cls, asked: Sequence[TopicQuestion], seed: int, edits: int) -> EditPlan:
        """Choose edits among the questions that name their topic, preferring those with several wordings."""
        groups: dict[tuple[str, str], list[TopicQuestion]] = {}
        for one in asked:
            if one.is_named:
                groups.setdefault((one.topic, one.relation), []).append(one)
        same = {key: [o for o in some[1:] if {*o.answers} & {*some[0].answers}] for key, some in groups.items()}
        keys = sorted(groups)
        Random(seed).shuffle(keys)  # noqa: S311
        keys.sort(key=lambda key: not same[key])
        chosen = keys[:edits]
        topics = {topic for topic, _ in chosen}
        return cls(
            [groups[key][0] for key in chosen],
            [same[key] for key in chosen],
            [one for one in asked if one.topic not in topics][:edits],
        )

    @property
    def forms(self) -> frozenset[str]:
        """Return the folded names of edited things."""
        return frozenset(fold_name(one.topic) for one in self.edits)

    @property
    def asked(self) -> int:
        """Return the number of questions that `run` asks."""
        return len(self.edits) + sum(map(len, self.reworded)) + 2 * len(self.unrelated)


class Editor(Protocol):
    """Takes edits and answers questions."""

    def edit(self, asked: TopicQuestion, answer: str) -> Entry:
        """Store an edit; it replaces an earlier fact about the same."""

    def ask(self, question: str) -> str:
        """Return the answer; empty if there is none."""

    def is_right(self, answer: str, wanted: str) -> bool:
        """Return True if an answer contains the wanted one."""


@dataclass(frozen=True, slots=True)
class SheetEditor:
    """Implements `Editor` without a model, by looking facts up."""

    services: Services
    names: frozenset[str]  # folded names of edited things

    def edit(self, asked: TopicQuestion, answer: str) -> Entry:
        query, memory = asked.in_own_words, self.services.memory
        earlier = self.services.sheet.read(query, READER).rows
        entry = memory.remember(fact(NO_TURN, f"{asked.text} {answer}", triples=[asked.triple(answer)]), READER)
        for row in earlier:
            if fold_name(row.triple.relation) == fold_name(query.relation) and row.triple.object != answer:
                entry = memory.put(entry.id, Place.INSTEAD, row.entry.id, READER)
        return entry

    def ask(self, question: str) -> str:
        sheet = replace(cast("LedgerFactSheet", self.services.sheet), profile=EDITED)
        queries = (Query(name, remove_name(question, name), "") for name in find_names(question, self.names))
        rows = [row for query in queries for row in sheet.read(query, READER).rows]
        return max(rows, key=lambda row: row.likeness).triple.object if rows else ""

    def is_right(self, answer: str, wanted: str) -> bool:
        return answer == wanted


@dataclass(slots=True)
class ChatEditor:
    """Implements `Editor` by the whole app; each question has its own conversation."""

    subject: SimulatedUser
    log: ResultLog[str]
    asked: int = 0

    def edit(self, asked: TopicQuestion, answer: str) -> Entry:
        return self.subject.tell(f"{asked.text.rstrip(' ?')}: {answer}", asked.triple(answer))

    def ask(self, question: str) -> str:
        self.asked += 1
        conversation = f"c{self.asked}"
        return self.log.of(conversation, lambda: self.subject.ask(question, conversation).reply.answer)

    def is_right(self, answer: str, wanted: str) -> bool:
        return as_words(wanted).search(answer.casefold()) is not None if wanted else not answer


def run(editor: Editor, plan: EditPlan) -> dict[str, float]:
    """Ask about unedited things, make the edits, and ask all questions."""
    before = [editor.ask(one.text) for one in plan.unrelated]
    for one in plan.edits:
        editor.edit(one, one.answers[0])
    pairs = zip(plan.edits, plan.reworded, strict=True)
    reworded = [(one.text, edit.answers[0]) for edit, some in pairs for one in some]
    return {
        "REL": mean(editor.is_right(editor.ask(one.text), one.answers[0]) for one in plan.edits),
        "GEN": mean(editor.is_right(editor.ask(question), wanted) for question, wanted in reworded),
        "LOC": mean(editor.ask(one.text) == was for one, was in zip(plan.unrelated, before, strict=True)),
    }
