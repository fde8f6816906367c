"""The experiment with selection: the choices, and how often the scorers are right."""

from pathlib import Path

import pytest

from evaluation.reading import BadInput
from evaluation.selection.questions import GROUPS, Asked, choices, read_questions
from evaluation.selection.running import measured
from tests.support.memory.store import LetterPairs


def asked(story: str, section: str, question: str = "who?") -> Asked:
    return Asked(story=story, sections=(section,), text="A cat.", question=question, answers=("a cat",))


ASKED = [asked(story, str(at // 6), f"q{at}?") for story in ("one", "two") for at in range(8)]


@pytest.mark.parametrize(("name", "number"), [("same story", 16), ("same section", 12)])
def test_each_question_is_one_of_five_of_its_group(name: str, number: int) -> None:
    group = GROUPS[name]
    made = choices(ASKED, group, 2, seed=0)
    assert [one.right for one in made] == [at for at in sorted({one.right for one in made}) for _ in range(2)]
    assert len(made) == 2 * number
    for one in made:
        assert one.right in one.among
        assert len(set(one.among)) == 5
        assert {group(ASKED[at]) for at in one.among} == {group(ASKED[one.right])}
    assert len({one.among.index(one.right) for one in made}) == 5
    assert choices(ASKED, group, 2, seed=0) == made != choices(ASKED, group, 2, seed=1)


def test_too_few_questions_to_choose_from() -> None:
    with pytest.raises(BadInput, match="has 5 questions"):
        choices(ASKED[:4], GROUPS["same story"], 1, seed=0)


def test_a_line_without_an_answer_is_told(tmp_path: Path) -> None:
    line = '{"story": "s", "sections": ["1"], "text": "t", "question": "q?", "answers": []}\n'
    (tmp_path / "val.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(BadInput, match=r"line 1: answers"):
        read_questions(tmp_path)


def test_round_trip_finds_the_question_that_leads_to_the_answer() -> None:
    pets = ("cat", "dog", "owl", "hen", "pig")
    text = " ".join(f"The {pet} sat." for pet in pets)
    made = [
        Asked(story="s", sections=("1",), text=text, question=f"The {pet} sat?", answers=(f"the {pet} sat",))
        for pet in pets
    ]
    found = measured(made, LetterPairs(), 1, seed=0)["same story"]
    assert found["round trip, by words"] == found["any scorer (oracle)"] == 1.0
    assert found["1-grams"] < 1.0  # of equals the first
