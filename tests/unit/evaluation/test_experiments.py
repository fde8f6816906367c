"""The tasks and scorers of the experiments: what they ask, and what they count as right."""

from importlib.util import find_spec

import pytest

from evaluation.expnote.cases import choose_vocabulary, make_letters
from evaluation.labelled.facts import AnswerMark, ToldLine, mark, parse_answer
from evaluation.memprompt.experiment import measure_memory
from evaluation.memprompt.stream import StreamStep
from evaluation.selection.experiment import bleu_4, rouge_l

with_metrics = pytest.mark.skipif(find_spec("rouge_score") is None, reason="needs the group experiments")


def step(*, understood: bool, splice: str = "none", said: str = "") -> StreamStep:
    return StreamStep("syn", "w", ("odd",), "?", "", "", understood, understood, splice, 100, 1, 0.5, said=said)


def test_measures_of_streams_by_hand() -> None:
    right, wrong, idle = (
        step(understood=True, splice="right"),
        step(understood=False, said="no"),
        step(understood=False, splice="right"),
    )
    found = measure_memory({0: [right, wrong, idle, right]}, {0: [wrong, wrong, wrong, right]})
    assert (found["Acc(u)"], found["corrections"], found["right note"], found["without effect"]) == (0.5, 1, 0.75, 0.25)
    assert (found["fixed"], found["broken"], found["against none"]) == (1, 0, 1)


def test_letters_go_by_the_rule_of_the_paper() -> None:
    made, known = make_letters(0, 50, 50), choose_vocabulary(0)
    for item in (*made.cases, *made.tests):
        named = item.question.split('"')[1::2]
        places = [int("".join(filter(str.isdigit, part.split()[-3]))) for part in item.question.split('"')[:-1:2]]
        assert item.answer == "".join(word[at - 1] for word, at in zip(named, places, strict=True))
        assert {*named} <= {*known}
    assert not {item.question for item in made.cases} & {item.question for item in made.tests}


@pytest.mark.parametrize(
    ("answer", "right", "mark_"),
    [
        ("Yes.", "yes", AnswerMark.RIGHT),
        ("Haan.", "no", AnswerMark.WRONG),
        ("Rome.", "Turin", AnswerMark.WRONG),
        ("You told me: Rex is a dog.", "unknown", AnswerMark.RIGHT),
        ("Eh mainu aje nahi pata. Dasso, main yaad rakhanga.", "yes", AnswerMark.DECLINED),
        ("Yes.", "unknown", AnswerMark.WRONG),
    ],
)
def test_answers_are_marked(answer: str, right: str, mark_: AnswerMark) -> None:
    assert mark(ToldLine(facts=(), question="?", answer=right, lang="en"), answer) is mark_
    assert parse_answer("I don't know that yet. Tell me, and I'll remember it.") == ""


@with_metrics
def test_bleu_and_rouge_by_hand() -> None:
    written, reference = "Where did the king of the land live?", "Where did the king live?"
    assert bleu_4([written], [reference]) == pytest.approx((5 / 8 * 3 / 7 * 2 / 6 * 1 / 5) ** 0.25)
    assert bleu_4(["Who found a ring?"], ["Who lost the cat?"]) == pytest.approx(0, abs=1e-9)
    assert bleu_4([""], ["Who?"]) == 0.0
    assert rouge_l("who found the ring", "Who lost the old ring?") == pytest.approx(
        2 * (3 / 4) * (3 / 5) / (3 / 4 + 3 / 5)
    )
    assert rouge_l("", "Who?") == 0.0
