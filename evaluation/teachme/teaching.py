"""A simulated teacher and a generated world, as in section 4 of TeachMe, through the whole app on the embedded model.

Half of the facts are known before. Where an answer is wrong the teacher tells the core facts that were not told yet;
where it is right, nothing. A second memory is told all facts, a share of those known before wrongly: of an answer that
is wrong the teacher disputes each wrong fact on which it says that it rests, once, and tells what is so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from assistant.conversation import Assistant
from assistant.models.embedded.phrases import say
from assistant.types import Scope
from evaluation.store_filling import app_in, fact_draft
from evaluation.streams.step_log import StepLog
from evaluation.teachme.told import asked, says
from evaluation.teachme.worlds import DEPTHS, Question, World

TYPES = ("all", *(f"depth {depth}" for depth in DEPTHS))
_QUESTIONS, _NEW, _CONTRADICTIONS = 1_000, 500, 50
STEPS = 4 * _QUESTIONS + 2 * _NEW + _CONTRADICTIONS
"""How many questions are asked, at most."""
_KNOWN, _WRONG = 0.5, 0.1
_RIGHT, _ERRING, _TORN = Scope("right"), Scope("erring"), Scope("torn")

Measures = Mapping[str, Mapping[str, float]]
"""What was measured, by name: the share of the questions with the right answer, of all and by depth."""


@dataclass(frozen=True, slots=True)
class Heard:
    """An answer, and the facts on which it says that it rests."""

    answer: str
    because: tuple[str, ...]


@dataclass(slots=True)
class Pupil:
    """A person's memory that is taught, and asked."""

    assistant: Assistant
    log: StepLog[Heard]
    scope: Scope
    told: set[str] = field(default_factory=set)

    def tell(self, fact: str, *, denied: bool = False) -> None:
        """Tell it, once."""
        self.assistant.memory.remember(fact_draft(fact, denied=denied), self.scope)
        if not denied:
            self.told.add(fact)

    def ask(self, phase: str, question: str) -> Heard:
        """Ask it in a conversation of its own."""
        step = f"{self.scope.person}/{phase}/{question}"

        def ask() -> Heard:
            reply = asked(self.assistant, question, self.scope, step).reply
            because = reply.fields.get("because", ())
            return Heard(reply.answer, tuple(map(str, because if isinstance(because, tuple) else ())))

        return self.log.of(step, ask)

    def shares(self, phase: str, questions: Iterable[Question]) -> dict[str, float]:
        """How many of the answers are right, of all and by depth."""
        right: dict[str, list[bool]] = defaultdict(list)
        for one in questions:
            is_right = says(self.ask(phase, one.text).answer) == one.answer
            right["all"].append(is_right)
            right[f"depth {one.depth}"].append(is_right)
        return {name: sum(some) / len(some) for name, some in right.items()}


def run(folder: Path, seed: int, told: Callable[[int], object]) -> Measures:
    """Teach and measure, or go on with it; `told` hears how many questions are answered."""
    world = World(seed)
    questions, facts = world.questions(_QUESTIONS), world.facts()
    known = Random(seed).sample(facts, round(_KNOWN * len(facts)))  # noqa: S311
    used = {fact for one in questions for fact in one.facts} | {*known}
    other = {one.text for one in questions}
    new = [one for one in world.questions(10**6) if one.text not in other and used.issuperset(one.facts)][:_NEW]
    with app_in(folder) as services:
        log = StepLog(folder / "answers.jsonl", Heard, told)
        right, erring, torn = (Pupil(services.assistant, log, scope) for scope in (_RIGHT, _ERRING, _TORN))
        return {
            **_taught(right, questions, known, new),
            **_disputed(erring, questions, facts, world.wrong(known, _WRONG), new),
            "contradictions asked": {"all": _contradicted(torn, world.opposites(_CONTRADICTIONS))},
        }


def _taught(pupil: Pupil, questions: Sequence[Question], known: Sequence[str], new: Sequence[Question]) -> Measures:
    for fact in known:
        pupil.tell(fact)
    measures = {"before teaching": pupil.shares("before", questions)}
    for one in questions:
        if says(pupil.ask("before", one.text).answer) != one.answer:
            for fact in one.facts:
                if fact not in pupil.told:
                    pupil.tell(fact)
    measures["after"] = pupil.shares("after", questions)
    measures["never taught for"] = pupil.shares("new", new)
    return measures


def _disputed(
    pupil: Pupil, questions: Sequence[Question], facts: Sequence[str], wrong: Mapping[str, str], new: Sequence[Question]
) -> Measures:
    """All facts are told, some of them wrong; then each wrong one is disputed where an answer is wrong over it."""
    for fact in facts:
        pupil.tell(wrong.get(fact, fact))
    measures = {"wrong facts": pupil.shares("wrong", questions)}
    so = {untrue: fact for fact, untrue in wrong.items()}
    for one in questions:
        heard = pupil.ask("wrong", one.text)
        if says(heard.answer) == one.answer:
            continue
        for untrue in [fact for fact in heard.because if fact in so]:
            pupil.tell(untrue, denied=True)
            pupil.tell(so[untrue])
        for fact in one.facts:
            if fact not in pupil.told:
                pupil.tell(fact)
    measures["wrong facts, disputed"] = pupil.shares("disputed", questions)
    measures["disputed, never taught for"] = pupil.shares("disputed new", new)
    return measures


def _contradicted(pupil: Pupil, opposites: Sequence[tuple[str, str, str]]) -> float:
    """The share of the contradictions of which the model says both sides and asks which holds."""
    asks = say("disputed", 0, facts="\0").partition("\0")[0]
    found = 0
    for fact, opposite, question in opposites:
        pupil.tell(fact)
        pupil.tell(opposite)
        heard = pupil.ask("torn", question)
        found += heard.answer.startswith(asks) and {fact, opposite} <= {*heard.because}
    return found / len(opposites)
