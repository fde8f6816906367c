"""Which lessons a model that chooses among notes is shown: those that bear on a question, and any on everyday ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assistant.conversation import Assistant
from assistant.gate.gate import Gate
from assistant.kinds import LESSON
from assistant.models.embedded.lessons.book import LessonBook
from assistant.models.embedded.lessons.family import Noted
from assistant.types import Action, Scope
from evaluation.expnote.running import lesson_draft
from evaluation.expnote.tasks.task import Item, MakeSplit
from evaluation.expnote.taught import book_of
from evaluation.facts.fitting import everyday
from evaluation.store_filling import fresh_app

_CASES, _TESTS = 200, 100
_PERSON = Scope("person")


@dataclass(frozen=True, slots=True)
class Shown:
    """Of some questions."""

    way: str  # how lessons are found
    questions: str
    share: float  # of them for which all lessons are shown that bear on them; for everyday ones, any
    lessons: float  # shown for each


def shown(tasks: dict[str, MakeSplit], seed: int) -> Iterator[Shown]:
    """From a memory of all that the embedded model learns from the cases of these tasks."""
    with fresh_app() as services:
        book = book_of(services)
        splits = {name: make(seed, _CASES, _TESTS) for name, make in tasks.items()}
        learnt = {name: _learnt(split.cases, book) for name, split in splits.items()}
        for lesson in (lesson for some in learnt.values() for lesson in some):
            services.assistant.memory.remember(lesson_draft(lesson.key, lesson.rule), _PERSON)
        services.upkeep.rebuild_index()
        by_key = services.assistant.with_parts(**services.connected)
        gate = Gate.from_file().only_offering()
        alone = {"recall": services.parts.recall, "choose": gate}
        for way, assistant in (("by what they say", by_key.with_parts(**alone)), ("and by their keys", by_key)):
            for name, split in splits.items():
                yield _of(way, name, assistant, _bearing(split.tests, learnt[name], book))
            yield _of(way, "everyday", assistant, [(case.question, set()) for case in everyday("first", "second")])


def _learnt(cases: Sequence[Item], book: LessonBook) -> list[Noted]:
    known: list[Noted] = []
    for case in cases:
        if explained := book.explain(case.question, case.answer, known):
            known.append(explained.lesson)
    return known


def _bearing(tests: Sequence[Item], lessons: Sequence[Noted], book: LessonBook) -> list[tuple[str, set[str]]]:
    """Questions with the rules from which their answers follow."""
    solved = [(test.question, book.solve(test.question, lessons)) for test in tests if test.answer]
    return [(question, {lessons[at].rule for at in one.rests_on}) for question, one in solved if one and one.answer]


def _of(way: str, name: str, assistant: Assistant, asked: Sequence[tuple[str, set[str]]]) -> Shown:
    found = [_rules(assistant, question) for question, _ in asked]
    right = sum(bears <= some if bears else bool(some) for (_, bears), some in zip(asked, found, strict=True))
    return Shown(way, name, right / len(asked), sum(map(len, found)) / len(asked))


def _rules(assistant: Assistant, question: str) -> set[str]:
    offered = [one.entry for one in assistant.preview(question, _PERSON) if one.action is Action.OFFER]
    return {entry.shown for entry in offered if entry.kind is LESSON}
