"""A thousand edits in a row, without a model, as MemLLM has them of ZsRE (section 4.3).

An edit is a question with its answer: the thing that it names, its other words as the relation, the answer. A question
is read by the thing that it names and the nearest of what is told of that. REL: the question of the edit. GEN: another
question that asks for the same. LOC: one about something that no edit speaks of, for which nothing may be found.
`near`: one that asks something else of a thing that an edit speaks of; the paper has none such.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from random import Random
from typing import Protocol

from assistant.conversation import Assistant
from assistant.events import Finished
from assistant.kinds import Place, Triple
from assistant.papers.memllm.sheet import Query
from assistant.text.words import as_words
from assistant.types import Entry
from evaluation.memllm.questions import TopicQuestion, named_in, rest_of
from evaluation.memllm.reading import EDITED, READER, nearest
from evaluation.store_filling import fact_draft
from evaluation.streams.pages import mean
from memory_store.language.normalize import form_of
from memory_store.store import Store

EDITS = 1_000
_AGAIN = 10  # one of so many is edited again
_NEW = "the newer one of"


@dataclass(frozen=True, slots=True)
class Plan:
    """The edits, and the questions that are asked afterwards."""

    edits: Sequence[TopicQuestion]
    reworded: Mapping[int, Sequence[TopicQuestion]]  # by the place of their edit
    unrelated: Sequence[TopicQuestion]
    near: Sequence[TopicQuestion]

    @classmethod
    def of(cls, asked: Sequence[TopicQuestion], seed: int, edits: int = EDITS) -> Plan:
        """Of the questions that name their topic; those that are asked in several ways are edits first."""
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
        told = {topic: {groups[key][0].answers[0] for key in chosen if key[0] == topic} for topic in topics}
        named = [one for some in groups.values() for one in some if one.topic in topics]
        return cls(
            [groups[key][0] for key in chosen],
            {place: same[key] for place, key in enumerate(chosen)},
            [one for one in asked if one.topic not in topics][:edits],
            [one for one in named if not told[one.topic] & {*one.answers}][:edits],
        )


def forms_of(plan: Plan) -> frozenset[str]:
    """The forms of the names of what is edited."""
    return frozenset(form_of(one.topic) for one in plan.edits)


class Editor(Protocol):
    """Takes edits, and answers."""

    def edit(self, asked: TopicQuestion, answer: str) -> Entry:
        """Tell it; what was told before of the same is replaced."""

    def ask(self, question: str) -> str:
        """The answer; empty where there is none."""

    def is_right(self, answer: str, wanted: str) -> bool:
        """Whether an answer says this."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Implements `Editor` without a model: the answer is what is found."""

    store: Store
    names: frozenset[str]  # forms of the things that are edited

    def edit(self, asked: TopicQuestion, answer: str) -> Entry:
        query = asked.in_own_words
        triple = Triple(subject=query.subject, relation=query.relation, object=answer)
        earlier = self.store.sheet.read(query, READER).rows
        entry = self.store.memory.remember(fact_draft(f"{asked.text} {answer}", triple), READER)
        for row in earlier:
            if form_of(row.triple.relation) == form_of(query.relation) and row.triple.object != answer:
                entry = self.store.memory.put(entry.id, Place.INSTEAD, row.entry.id, READER)
        return entry

    def ask(self, question: str) -> str:
        sheet = replace(self.store.sheet, profile=EDITED)
        queries = (Query(name, rest_of(question, name), "") for name in named_in(question, self.names))
        rows = [*chain.from_iterable(nearest(sheet.read(query, READER)) for query in queries)]
        return max(rows, key=lambda row: row.likeness).triple.object if rows else ""

    def is_right(self, answer: str, wanted: str) -> bool:
        return answer == wanted


@dataclass(slots=True)
class Chat:
    """Implements `Editor` through the whole app; each question is asked in a conversation of its own."""

    assistant: Assistant
    asked: int = 0

    def edit(self, asked: TopicQuestion, answer: str) -> Entry:
        query = asked.in_own_words
        triple = Triple(subject=query.subject, relation=query.relation, object=answer)
        return self.assistant.memory.remember(fact_draft(f"{asked.text.rstrip(' ?')}: {answer}", triple), READER)

    def ask(self, question: str) -> str:
        self.asked += 1
        events = self.assistant.ask(question, READER, f"c{self.asked}")
        return [event.turn for event in events if isinstance(event, Finished)][-1].reply.answer

    def is_right(self, answer: str, wanted: str) -> bool:
        return as_words(wanted).search(answer.casefold()) is not None if wanted else not answer


def run(editor: Editor, plan: Plan, told: Callable[[], None]) -> dict[str, float]:
    """Ask what is not edited, make the edits, and ask all. `told` hears of each edit and question."""

    def ask(question: str) -> str:
        told()
        return editor.ask(question)

    def edit(asked: TopicQuestion) -> None:
        told()
        editor.edit(asked, asked.answers[0])

    def share(answers: Sequence[tuple[str, str]]) -> float:
        return mean([editor.is_right(ask(question), wanted) for question, wanted in answers])

    first = [(one.text, one.answers[0]) for one in plan.edits]
    others = {"LOC": plan.unrelated, "near": plan.near}
    before = {name: [ask(one.text) for one in some] for name, some in others.items()}
    for one in plan.edits:
        edit(one)
    measures = {
        "REL": share(first),
        "GEN": share([(one.text, first[place][1]) for place, some in plan.reworded.items() for one in some]),
    }
    for name, some in others.items():
        measures[name] = mean([ask(one.text) == was for one, was in zip(some, before[name], strict=True)])
    return measures


def run_again(sheet: Sheet, plan: Plan, told: Callable[[], None]) -> dict[str, float]:
    """Of edits that are made, edit some again: the newest has to count, with all that was before."""
    again, others = plan.edits[: len(plan.edits) // _AGAIN], plan.edits[len(plan.edits) // _AGAIN :]
    newer = [sheet.edit(one, f"{_NEW} {one.answers[0]}") for one in again]
    history = sheet.store.memory.earlier([entry.id for entry in newer], READER)

    def is_now(asked: TopicQuestion, answer: str) -> bool:
        told()
        return sheet.ask(asked.text) == answer

    return {
        "edited again": mean([is_now(one, f"{_NEW} {one.answers[0]}") for one in again]),
        "not edited again": mean([is_now(one, one.answers[0]) for one in others]),
        "history whole": mean([bool(history.get(entry.id)) for entry in newer]),
    }


def steps(plan: Plan) -> int:
    """How many edits and questions `run` tells of."""
    reworded = sum(map(len, plan.reworded.values()))
    return 2 * len(plan.edits) + reworded + 2 * (len(plan.unrelated) + len(plan.near))
