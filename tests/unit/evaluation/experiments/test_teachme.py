"""The generated worlds of the TeachMe experiment, and how answers are marked."""

import pytest

from assistant.reasoning.reasoner import Note, Reasoner
from evaluation.teachme.told import Line, Mark, mark, says
from evaluation.teachme.worlds import DEPTHS, World
from memory_store.language.languages import LANGUAGES

REASONER = Reasoner(LANGUAGES)


def test_a_world_has_300_facts_and_its_questions_follow_from_their_core_facts() -> None:
    world = World(3)
    facts, questions = world.facts(), world.questions(200)
    assert (len(facts), len(set(facts)), len({one.text for one in questions})) == (300, 300, 200)
    assert {one.depth for one in questions} == {*DEPTHS}
    assert {one.answer for one in questions} == {"yes", "no"}
    for one in questions:
        assert {*one.facts} <= {*facts}
        assert REASONER.outcome(one.text, [Note(fact) for fact in one.facts]).verdict == one.answer, one
        assert REASONER.outcome(one.text, [Note(fact) for fact in one.facts[:-1]]).verdict == "unknown", one


def test_wrong_facts_stand_for_right_ones_and_opposites_contradict() -> None:
    world = World(3)
    facts = world.facts()
    wrong = world.wrong(facts, 0.1)
    assert len(wrong) == 30
    assert not {*wrong.values()} & {*facts}
    for fact, opposite, question in world.opposites(20):
        assert REASONER.outcome(question, [Note(fact), Note(opposite)]).verdict == "disputed"


def test_the_same_seed_is_the_same_world() -> None:
    assert World(1).facts() == World(1).facts() != World(2).facts()


@pytest.mark.parametrize(
    ("answer", "right", "mark_"),
    [
        ("Yes.", "yes", Mark.RIGHT),
        ("ਨਹੀਂ।", "no", Mark.RIGHT),
        ("Haan.", "no", Mark.WRONG),
        ("Turin.", "turin", Mark.RIGHT),
        ("Rome.", "Turin", Mark.WRONG),
        ("You told me: Rex is a dog.", "unknown", Mark.RIGHT),
        ("Eh mainu aje nahi pata. Dasso, main yaad rakhanga.", "yes", Mark.DECLINED),
        ("Yes.", "unknown", Mark.WRONG),
    ],
)
def test_answers_are_marked(answer: str, right: str, mark_: Mark) -> None:
    assert mark(Line(facts=(), question="?", answer=right, lang="en"), answer) is mark_
    assert says("I don't know that yet. Tell me, and I'll remember it.") == ""
