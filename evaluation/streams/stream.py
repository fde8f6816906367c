"""A stream: somebody asks one question after the other, and a teacher says something where it is called for.

Everything goes through the assistant as it does behind the page: `ask`, then whatever a person may do. What is counted
is what became of a question the first time. Chance is drawn anew for each step from the seed and the number of the
step, so that a stream that was stopped goes on as if it had not been.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from random import Random
from time import perf_counter

from assistant.events import RunSoFar
from assistant.types import Scope
from evaluation.replies import CountedModel
from evaluation.streams.experiment import Asked, Experiment, Item, StreamSettings


@dataclass(frozen=True, slots=True)
class Step:
    """One question and what became of it; one line of the log. Understanding and answer are of the first reply."""

    number: int  # from 0
    person: int  # number of who asked
    type: str
    lang: str
    way: str
    question: str
    understanding: str
    answer: str
    understood: bool  # Acc(u)
    answered: float | None  # Acc(y); None where it cannot be told
    used: tuple[str, ...]  # the types that the entries in the prompt were said for; a wrong one is marked with "!"
    # `right`, `wrong` (said for another type, or wrongly), `missed` (there was one for this way of asking, and it would
    # have been needed), or `none`.
    splice: str
    prompt_tokens: int  # of the first prompt
    ms: Mapping[str, float]  # of the parts of the first turn
    left_out: int = 0  # from here on as in `Taught`
    said: str = ""
    erred: bool = False
    again: bool | None = None
    entry: str = ""
    groups: tuple[str, ...] = ()  # in which it is counted, beside those of its type
    cost: Mapping[str, int] = field(default_factory=dict)  # of all calls for this question
    seconds: float = 0.0  # with all that followed


@dataclass
class Stream:
    """Runs one stream, with `model` as the model of its assistant; `settle` waits for its background."""

    settings: StreamSettings
    experiment: Experiment
    model: CountedModel
    settle: Callable[[], object]
    _told: dict[str, Step] = field(default_factory=dict, init=False)  # by the entry that came of it

    def run(self, done: Iterable[Step] = ()) -> Iterator[Step]:
        """The steps that are not `done` yet on this store, each as soon as it is over."""
        first = 0
        for step in done:
            first = step.number + 1
            self._keep(step)
        items = self.experiment.task.items(self.settings.lang, self.settings.seed)
        for number, item in zip(range(self.settings.length), items, strict=False):
            if number >= first:
                step = self._step(number, item)
                self._keep(step)
                yield step

    def _keep(self, step: Step) -> None:
        if step.entry:
            self._told[step.entry] = step

    def _step(self, number: int, item: Item) -> Step:
        task, assistant = self.experiment.task, self.experiment.assistant
        chance = Random(f"{self.settings.id} {number}")  # noqa: S311  a repeatable choice is wanted
        person = chance.randrange(self.settings.people)
        scope = Scope(self.settings.id if self.settings.is_shared else f"{self.settings.id}-{person}")
        self.settle()
        self.model.take_cost()
        began = perf_counter()
        turn = RunSoFar().after(assistant.ask(item.question, scope)).turn
        first = self.model.take_cost()
        verdict = task.verdict(item, turn)
        used = {entry: self._told[entry] for entry in turn.used if entry in self._told}
        misleading = tuple(entry for entry, told in used.items() if told.erred or told.type != item.type)
        if used:
            splice = "wrong" if misleading else "right"
        else:
            splice = "missed" if not verdict.understood and self._is_known(item, person) else "none"
        taught = self.experiment.teacher(Asked(item, turn, verdict, misleading, assistant, scope, chance))
        cost = {name: value + asdict(first)[name] for name, value in asdict(self.model.take_cost()).items()}
        return Step(
            number=number,
            person=person,
            type=item.type,
            lang=item.lang,
            way=item.way,
            question=item.question,
            understanding=turn.reply.understanding,
            answer=turn.reply.answer,
            understood=verdict.understood,
            answered=verdict.answered,
            used=tuple(f"{told.type}{'!' * told.erred}" for told in used.values()),
            splice=splice,
            prompt_tokens=first.prompt,
            ms=dict(turn.ms),
            groups=item.groups,
            **taught._asdict(),
            cost=cost,
            seconds=round(perf_counter() - began, 4),
        )

    def _is_known(self, item: Item, person: int) -> bool:
        """Whether this person's memory has what was said about this way of asking."""
        return any(
            told.way == item.way and not told.erred and (self.settings.is_shared or told.person == person)
            for told in self._told.values()
        )
