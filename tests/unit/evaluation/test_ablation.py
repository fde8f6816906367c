"""What a part is worth: taken out, one that matters costs something, and one that does nothing costs nothing."""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

from assistant.choose.calibration import Evidence
from evaluation.decisions.ablation import ablation, decision_sets, losses, losses_table
from evaluation.decisions.ablation_parts import PARTS, Part, taken_out, together
from evaluation.gate.data import Remembered, asked_again, decisions
from memory_store.language.readings import READINGS
from memory_store.language.word_translation import WordLists

GLOSSES = next(part for part in PARTS if part.name == "word translation")
NOTHING = Part("nothing", {"memory_store.language.word_translation:WordLists.english": WordLists.english})


def some(memory: Remembered) -> Remembered:
    return replace(memory, questions=memory.questions[::6])


def test_a_part_that_matters_costs_something_and_one_that_does_nothing_nothing() -> None:
    plain = decisions("fourth", keys=False)
    data = {
        Evidence.QUESTION: [some(plain)],
        Evidence.QUESTIONS: [some(asked_again(plain, 1))],
        Evidence.FURTHER: [some(decisions("fourth", keys=True))],
    }
    sets = decision_sets("S", every=4)
    found = dict(ablation(lambda: data, sets, {GLOSSES.name, NOTHING.name, "signal filler"}, (GLOSSES, NOTHING)))
    assert list(found) == ["as it is", GLOSSES.name, NOTHING.name, "signal filler"]
    lost = {name: losses(found["as it is"], rest)["S"] for name, rest in found.items()}
    assert lost[GLOSSES.name][0] > 0.05
    assert lost[NOTHING.name] == [0.0] * 4
    text = io.StringIO()
    Console(file=text, width=126).print(losses_table(found))
    shown = text.getvalue()
    assert 0 < shown.index("as it is") < shown.index(GLOSSES.name) < shown.index(NOTHING.name)


def test_all_parts_can_be_taken_out_together_and_come_back() -> None:
    before = READINGS.english("aspatal kahan hai")
    with taken_out(together("all", *PARTS)):
        assert READINGS.english("aspatal kahan hai") == "aspatal kahan hai"
    assert READINGS.english("aspatal kahan hai") == before != "aspatal kahan hai"
