"""The experiment with selection: the choices, what is fitted on other stories, and the fit."""

from pathlib import Path

import numpy as np
import pytest

from assistant.papers.selection.scores import Sample
from evaluation.reading import BadInput
from evaluation.selection.order import Order
from evaluation.selection.pairing import Fitness
from evaluation.selection.places import Near, words_shared
from evaluation.selection.questions import GROUPS, Asked, Choice, choices, folds_of, read_questions
from evaluation.selection.running import Scored, fitted
from evaluation.selection.texts import Rarity, parts_of


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


def test_what_cannot_be_chosen_from_or_parted_is_said() -> None:
    with pytest.raises(BadInput, match="has 5 questions"):
        choices(ASKED[:4], GROUPS["same story"], 1, seed=0)
    with pytest.raises(BadInput, match="must be 3, not 2"):
        folds_of(ASKED, 3, seed=0)
    assert sorted(folds_of(ASKED, 2, seed=0).values()) == [0, 1]


def test_a_line_without_an_answer_is_told(tmp_path: Path) -> None:
    line = '{"story": "s", "sections": ["1"], "text": "t", "question": "q?", "answers": []}\n'
    (tmp_path / "val.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(BadInput, match=r"line 1: answers"):
        read_questions(tmp_path)


def test_parts_are_sentences_and_those_beside_each_other() -> None:
    assert parts_of("A cat\nsat. It slept! Why?") == [
        "A cat sat.",
        "It slept!",
        "Why?",
        "A cat sat. It slept!",
        "It slept! Why?",
    ]


def test_a_rare_word_says_more() -> None:
    rarity = Rarity.of(["a cat", "a dog", "a dog", "a dog ran"])
    assert rarity(["a"]) == 0
    assert rarity(["cat"]) == pytest.approx(np.log(4 / 2))
    assert rarity(["dog"]) == pytest.approx(np.log(4 / 3))
    assert rarity(["never", "a"]) == pytest.approx(np.log(4))


def test_how_near_a_question_and_an_answer_are() -> None:
    nowhere, here = np.array([0.0, 0.0]), np.array([1.0, 0.0])
    together = Near(here, nowhere, here, nowhere)
    apart = Near(here, nowhere, here[::-1], nowhere)
    assert (together.in_one_place, apart.in_one_place) == (1.0, 0.0)
    assert together.around_the_answer == together.around_the_question > 0.99
    assert apart.around_the_answer == apart.around_the_question < 0.01
    assert words_shared("The big cat!", "a cat") == 0.5


def test_which_questions_look_back_is_learnt() -> None:
    kinds = {"why did it end?": [0.0, 1.0, 0.0], "what then came?": [1.0, 0.0, 0.0]}
    stories = [
        Asked(story=str(at), sections=("1",), text=f"{at}. B. C.", question=question, answers=(question,))
        for at in range(8)
        for question in kinds
    ]

    def near(sample: Sample) -> Near:
        """One asks about the second sentence, the other about the first; the answer is in the other of the two."""
        pairs, nothing = [0.0, 0.0], np.zeros(5)
        asked, answered = (np.array([*kinds[one], *pairs]) for one in (sample.text, sample.answer))
        return Near(asked, nothing, 1 - answered - np.array([0.0, 0.0, 1.0, *pairs]), nothing)

    fits = Order(stories, near).fitness([*range(2, 16)])
    assert fits(0, 0) > fits(0, 1)
    assert fits(1, 1) > fits(1, 0)
    unlearnt = Order(stories, near).fitness([2])
    assert unlearnt(0, 0) == unlearnt(0, 1) == 0.0


def test_what_is_learnt_is_learnt_without_the_story_that_it_is_tried_on() -> None:
    tried: list[frozenset[int]] = []

    def learnt(without: frozenset[int]) -> list[Fitness]:
        tried.append(without)
        return [lambda answer, question: float(sum(without))]

    some = [Choice(0, (0, 1)), Choice(1, (1, 2))]
    scored = Scored(some, np.array([1, 4]), np.zeros((2, 2, 1)), learnt)
    assert scored.table().shape == (2, 2, 2)
    assert tried == [{1}, {1}, {4}, {4}]
    tried.clear()
    assert scored.table(without=4)[:, 0, 1].tolist() == [5.0, 4.0]
    assert tried == [{1, 4}, {1, 4}, {4}, {4}]
    assert scored.right([0, 1]) == 0.5


def test_the_scorer_that_is_right_gets_the_weight() -> None:
    chance = np.random.default_rng(0)
    right = chance.integers(0, 5, 200)
    table = chance.random((200, 5, 3))
    table[np.arange(200), right, 1] += 1.0
    table[:, :, 2] = 7.0
    table[np.arange(200), right, 0] -= 1.0
    wrong, good, constant = fitted(table, right)
    assert wrong == 0.0
    assert good > 1.0
    assert np.isfinite(constant)
