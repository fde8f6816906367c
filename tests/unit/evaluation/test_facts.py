"""The measurements of facts: what counts as right, and that weights are fitted on other questions."""

import json
from pathlib import Path

import pytest

from evaluation.facts.bank import Bank, Compared, bm25, hits
from evaluation.facts.chosen import ShownFacts, shown_facts
from evaluation.facts.fitting import memories
from evaluation.facts.sets import FactCase, fact_set
from evaluation.reading import BadInput
from tests.support.memory.store import LetterPairs

FACTS = ["a dog is a kind of animal", "the sun rises in the east", "ice is frozen water"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [
        {"question": f"Which is true? {fact}?", "answer": "it is", "hypothesis": fact, "core": [fact.upper()]}
        for fact in FACTS
    ]
    nothing = {"question": "why?", "answer": "so", "hypothesis": "so", "core": []}
    (tmp_path / "dev.jsonl").write_text("\n".join(map(json.dumps, [*rows, nothing])), encoding="utf-8")
    sentences = [*(f"{fact} ." for fact in FACTS), "iron is a metal", "water is a liquid"]
    (tmp_path / "facts.txt").write_text("\n".join(sentences), encoding="utf-8")
    return tmp_path


def test_a_sentence_with_the_same_words_is_the_core_fact(folder: Path) -> None:
    bank = Bank.read(folder)
    assert (len(bank.questions), len(bank.sentences)) == (3, 5)
    compared = Compared.of(bank, LetterPairs())
    assert compared.right.sum(axis=1).tolist() == [1, 1, 1]
    ranked = compared.ranks("Noted")
    assert hits(ranked["hypothesis", "core"]) == hits(ranked["hypothesis", "all"]) == (1.0, 1.0)


def test_a_folder_without_the_sentences_is_said(folder: Path) -> None:
    (folder / "facts.txt").unlink()
    with pytest.raises(BadInput, match=r"facts\.txt"):
        Bank.read(folder)


def test_the_rarer_and_the_shorter_counts_more() -> None:
    (scores,) = bm25(
        ["rare common"], ["common here", "rare here", "rare here and a lot more there", "common too", "common"]
    )
    assert scores.argmax() == 1
    assert scores[1] > scores[2] > 0


def test_right_is_all_that_bears_and_nothing_else() -> None:
    bears = FactCase(question="q", bears=("1", "2"), near=None, kind="direct", lang="en")
    alike = FactCase(question="q", bears=(), near="3", kind="look-alike", lang="en")
    everyday = FactCase(question="q", bears=(), near=None, kind="everyday", lang="en")
    assert [ShownFacts(bears, (), shown).is_right for shown in (["1", "2", "3"], ["1"])] == [True, False]
    assert [ShownFacts(alike, (), shown).is_right for shown in (["3"], ["1"])] == [False, True]
    assert [ShownFacts(everyday, (), shown).is_right for shown in (["3"], [])] == [False, True]


@pytest.mark.parametrize("name", ["fit", "test"])
def test_the_sets_are_whole(name: str) -> None:
    facts = fact_set(name)
    ids = {fact.id for fact in facts.facts}
    assert len(ids) == len(facts.facts)
    for case in facts.cases:
        assert {*case.bears, *filter(None, [case.near])} <= ids
        assert bool(case.bears) is (case.kind not in {"look-alike", "everyday"})


def test_most_of_what_bears_is_shown_without_an_embedder_too() -> None:
    shown = [one for one in shown_facts(fact_set("fit"), None) if one.case.kind == "direct"]
    assert sum(one.is_right for one in shown) > 0.9 * len(shown)


def test_the_gate_is_fitted_on_no_question_of_the_test_set() -> None:
    tested = {case.question for case in fact_set("test").cases}
    assert not tested & {case.question for memory in memories(fact_set("fit")) for case in memory.questions}
