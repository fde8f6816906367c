"""What a part is worth: taken out, one that matters costs something, and one that does nothing costs nothing."""

import gc
import io
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from rich.console import Console

from assistant.choose.calibration import Evidence
from evaluation.cases import Benchmark
from evaluation.decisions.ablation import ablation, decision_sets, losses, losses_table
from evaluation.decisions.ablation_parts import PARTS, Part, taken_out, together
from evaluation.gate.data import Remembered, asked_again, decisions
from memory_store.language.word_translation import READINGS

GLOSSES = next(part for part in PARTS if part.name == "word translation")
READING = next(part for part in PARTS if part.name == "reading for the embedder")
NOTHING = Part("nothing", signals=frozenset({"what no gate knows"}))
ENTRIES = 10  # of each set; the first are of everyday Hindi in Latin letters


@pytest.fixture(autouse=True)
def _caches_are_found() -> Iterator[None]:
    """What is cached is emptied by way of the garbage collector, which does not name what it spares."""
    gc.unfreeze()
    yield
    gc.freeze()


def some(memory: Remembered) -> Remembered:
    kept = memory.entries[:ENTRIES]
    asked = [case for case in memory.questions if case.applies in {None, *(entry.id for entry in kept)}]
    return replace(memory, entries=kept, questions=asked[::6])


def scripts() -> Benchmark:
    made = decision_sets("S", every=1)["S scripts"]()
    kept = made.entries[:ENTRIES]
    return Benchmark(kept, tuple(case for case in made.questions if case.applies in {entry.id for entry in kept}))


def test_a_part_that_matters_costs_something_and_one_that_does_nothing_nothing() -> None:
    plain = some(decisions("fourth", keys=False))
    data = {
        Evidence.QUESTION: [plain],
        Evidence.QUESTIONS: [asked_again(plain, 1)],
        Evidence.FURTHER: [some(decisions("fourth", keys=True))],
    }
    only = {GLOSSES.name, NOTHING.name, "signal filler"}
    found = dict(ablation(lambda: data, {"S scripts": scripts}, only, (GLOSSES, NOTHING)))
    assert list(found) == ["as it is", GLOSSES.name, NOTHING.name, "signal filler"]
    lost = {name: losses(found["as it is"], rest)["S"] for name, rest in found.items()}
    assert lost[GLOSSES.name][0] > 0.05
    assert lost[NOTHING.name] == [0.0] * 4
    text = io.StringIO()
    Console(file=text, width=126).print(losses_table(found))
    shown = text.getvalue()
    assert 0 < shown.index("as it is") < shown.index(GLOSSES.name) < shown.index(NOTHING.name)


def test_another_embedder_is_measured_as_memory_uses_it(trial: Callable[[str], str]) -> None:
    name = trial("pieces")
    data = {evidence: [some(decisions("fourth", keys=False))] for evidence in Evidence}
    found = dict(ablation(lambda: data, {"S scripts": scripts}, {READING.name}, (READING,), name))
    assert found["as it is"]["S scripts"][0] > found[READING.name]["S scripts"][0]  # it knows English only


def test_all_parts_can_be_taken_out_together_and_come_back() -> None:
    with taken_out(together("all", *PARTS)):
        assert READINGS.english("aspatal kahan hai") == "aspatal kahan hai"
    assert READINGS.english("aspatal kahan hai") != "aspatal kahan hai"
