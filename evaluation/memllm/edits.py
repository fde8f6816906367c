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

from assistant.kinds import FACT, Fact, Place, Triple
from assistant.memllm.sheet import EDITED, Query
from assistant.types import Draft, Entry
from evaluation.memllm.questions import TopicQuestion, named_in, rest_of
from evaluation.memllm.reading import READER, nearest
from memory_store.language.normalize import form_of
from memory_store.store import Store

EDITS = 1_000
_AGAIN = 0.1  # edits that are edited again
_NEW = "the newer one of"


@dataclass(frozen=True, slots=True)
class Plan:
    """The edits, and the questions that are asked afterwards."""

    edits: Sequence[TopicQuestion]
    reworded: Mapping[int, Sequence[TopicQuestion]]  # by the place of their edit
    unrelated: Sequence[TopicQuestion]
    near: Sequence[TopicQuestion]

    @classmethod
    def of(cls, asked: Sequence[TopicQuestion], seed: int) -> Plan:
        """Of the questions that name their topic; those that are asked in several ways are edits first."""
        groups: dict[tuple[str, str], list[TopicQuestion]] = {}
        for one in asked:
            if one.is_named:
                groups.setdefault((one.topic, one.relation), []).append(one)
        same = {key: [o for o in some[1:] if {*o.answers} & {*some[0].answers}] for key, some in groups.items()}
        keys = sorted(groups)
        Random(seed).shuffle(keys)  # noqa: S311
        keys.sort(key=lambda key: not same[key])
        chosen = keys[:EDITS]
        topics = {topic for topic, _ in chosen}
        told = {topic: {groups[key][0].answers[0] for key in chosen if key[0] == topic} for topic in topics}
        named = [one for some in groups.values() for one in some if one.topic in topics]
        return cls(
            [groups[key][0] for key in chosen],
            {place: same[key] for place, key in enumerate(chosen)},
            [one for one in asked if one.topic not in topics],
            [one for one in named if not told[one.topic] & {*one.answers}],
        )


@dataclass(frozen=True, slots=True)
class Editor:
    """A person who edits, and asks."""

    store: Store
    names: frozenset[str]  # forms of the things that were edited

    def edit(self, asked: TopicQuestion, answer: str) -> Entry:
        """Tell it; what was told before of the same is replaced."""
        query = asked.in_own_words
        triple = Triple(subject=query.subject, relation=query.relation, object=answer)
        earlier = self.store.sheet.read(query, READER).rows
        text = f"{asked.text} {answer}"
        entry = self.store.memory.remember(Draft(FACT, text, Fact(text=text, triples=(triple,)), text), READER)
        for row in earlier:
            if form_of(row.triple.relation) == form_of(query.relation) and row.triple.object != answer:
                entry = self.store.memory.put(entry.id, Place.INSTEAD, row.entry.id, READER)
        return entry

    def ask(self, question: str) -> str:
        """The object that is found; empty where nothing is."""
        sheet = replace(self.store.sheet, profile=EDITED)
        queries = (Query(name, rest_of(question, name), "") for name in named_in(question, self.names))
        rows = [*chain.from_iterable(nearest(sheet.read(query, READER)) for query in queries)]
        return max(rows, key=lambda row: row.likeness).triple.object if rows else ""


def run(store: Store, plan: Plan, told: Callable[[], None]) -> dict[str, float]:
    """Make the edits and ask; some of them are then edited again. `told` hears of each edit and question."""
    editor = Editor(store, frozenset(form_of(one.topic) for one in plan.edits))

    def share(answers: Sequence[tuple[str, str]]) -> float:
        right = 0
        for question, answer in answers:
            right += editor.ask(question) == answer
            told()
        return right / len(answers) if answers else 0.0

    for one in plan.edits:
        editor.edit(one, one.answers[0])
        told()
    store.indexer.catch_up()
    first = [(one.text, one.answers[0]) for one in plan.edits]
    reworded = [(one.text, first[place][1]) for place, some in plan.reworded.items() for one in some]
    measures = {
        "REL": share(first),
        "GEN": share(reworded),
        "LOC": share([(one.text, "") for one in plan.unrelated]),
        "near": share([(one.text, "") for one in plan.near]),
    }
    again = plan.edits[: round(_AGAIN * len(plan.edits))]
    newer = [editor.edit(one, f"{_NEW} {one.answers[0]}") for one in again]
    store.indexer.catch_up()
    changed = [(one.text, f"{_NEW} {one.answers[0]}") for one in again]
    history = store.memory.earlier([entry.id for entry in newer], READER)
    return measures | {
        "edited again": share(changed),
        "not edited again": share(first[len(again) :]),
        "history whole": sum(bool(history.get(entry.id)) for entry in newer) / len(newer),
    }


def steps(plan: Plan) -> int:
    """How many edits and questions `run` tells of."""
    reworded = sum(map(len, plan.reworded.values()))
    return 3 * len(plan.edits) + reworded + len(plan.unrelated) + len(plan.near)
