"""Questions in another script than the entry that they need are counted apart."""

import json
from pathlib import Path

import pytest

from evaluation.cases import Benchmark, Case, Id, Outcome, Stored, crossing, with_crossings
from evaluation.decisions.report import report
from evaluation.reading import BadInput, read_benchmark

DATA = Path(__file__).parents[3] / "evaluation" / "data"
ROMANIZED = Stored("r", ("light chali gayi",), "bijli", lang="hinglish")
WRITTEN = Stored("g", ("ਲਾਈਟ ਚਲੀ ਗਈ",), "ਬਿਜਲੀ", lang="pa")
ENGLISH = Stored("e", ("the light is gone",), "the power", lang="en")


def test_a_crossing_has_both_scripts_and_none_is_in_english() -> None:
    assert crossing(ROMANIZED, Case("लाइट कब आएगी", "r", lang="hi")) == "Latin to Devanagari"
    assert crossing(WRITTEN, Case("light kado aau", "g", lang="pa-latn")) == "Gurmukhi to Latin"
    assert crossing(ROMANIZED, Case("light kab aayegi", "r", lang="hinglish")) is None
    assert crossing(ROMANIZED, Case("12 ?! 😅", "r", lang="hi")) is None
    assert crossing(ROMANIZED, Case("wifi नहीं चल रहा है", "r", lang="hi")) == "Latin to Devanagari"
    assert crossing(WRITTEN, Case("when is the power back", "g", lang="en")) is None
    assert crossing(ENGLISH, Case("लाइट कब आएगी", "e", lang="hi")) is None


def test_there_is_a_group_for_each_direction_that_is_asked() -> None:
    questions = (
        Case("लाइट कब आएगी", "r", lang="hi", groups=("half 1",)),
        Case("लाइट", None, "everyday", lang="hi"),
        Case("light kado aau", "g", lang="pa-latn"),
        Case("light kab aayegi", "r", lang="hinglish"),
    )
    benchmark = with_crossings(Benchmark((ROMANIZED, WRITTEN), questions))
    scores: dict[Id, float] = {"r": 0.5, "g": 0.25}
    found = [("r",), (), ("r", "g"), ("r",)]
    outcomes = [Outcome(ranked, scores=scores) for ranked in found]
    groups = report("", benchmark, outcomes, []).groups
    crossed = {name: one.questions for name, one in groups.items() if " to " in name}
    assert crossed == {"Latin to Devanagari": 1, "Gurmukhi to Latin": 1}
    assert groups["half 1"].questions == 1
    assert (groups["Gurmukhi to Latin"].recall_at[1], groups["Gurmukhi to Latin"].recall_at[3]) == (0, 1)


def test_further_entries_are_in_the_same_memory_under_ids_of_their_own(tmp_path: Path) -> None:
    entry = {"id": 1, "question": "light chali gayi", "wrong_understanding": "", "feedback": "bijli", "lang": "hi"}
    other = {**entry, "id": 2}
    asked = {"question": "लाइट", "applies": 2, "kind": "yes", "lang": "hi"}
    paths = {name: tmp_path / name for name in ("E", "Q", "A")}
    for name, line in (("E", entry), ("Q", asked), ("A", other)):
        paths[name].write_text(json.dumps(line), encoding="utf-8")
    benchmark = read_benchmark(paths["E"], paths["Q"], among=paths["A"])
    assert [stored.id for stored in benchmark.entries] == [1, 2]
    assert benchmark.questions[0].groups == ("Latin to Devanagari",)
    paths["A"].write_text(json.dumps({**other, "id": "1"}), encoding="utf-8")
    with pytest.raises(BadInput, match='A, line 1: the id "1" is there twice'):
        read_benchmark(paths["E"], paths["Q"], among=paths["A"])


def test_each_direction_is_asked_as_often() -> None:
    files = (DATA / "scripts_entries.jsonl", DATA / "scripts_questions.jsonl")
    benchmark = read_benchmark(*files, among=DATA / "first_entries.jsonl")
    groups = [group for asked in benchmark.questions for group in asked.groups]
    directions = ("Latin to Devanagari", "Devanagari to Latin", "Latin to Gurmukhi", "Gurmukhi to Latin")
    assert {name: groups.count(name) for name in groups} == dict.fromkeys(directions, 30)
