"""How practice went: the curve and the flips."""

import pytest

from assistant.papers.expnote.practice import Exercise, Tried, curve, disagreeing, is_worse
from assistant.sentences import Sentence

ASKED = Exercise("a?", "b")


def tried(*used: str, right: bool, before: bool = False) -> Tried:
    return Tried(ASKED, "b" if right else "c", right, used, before=before)


@pytest.mark.parametrize(
    ("right", "points"),
    [("", []), ("01", [0, 1]), ("00000000001111111111", [0] * 5 + [1] * 5), ("0" * 10 + "11111", None)],
)
def test_the_curve_is_of_the_answers_in_their_order(right: str, points: list[float] | None) -> None:
    drawn = curve([tried(right=one == "1") for one in right])
    if points is None:
        assert (len(drawn), drawn[0], drawn[-1]) == (10, 0, 1)
    else:
        assert drawn == points


def test_flips() -> None:
    flips = [tried(right=after, before=before).flip for before in (False, True) for after in (False, True)]
    assert flips == ["wrong to wrong", "wrong to right", "right to wrong", "right to right"]


@pytest.mark.promise("practice-waits-to-be-kept")
@pytest.mark.parametrize(("before", "after", "worse"), [("11", "10", True), ("10", "01", False), ("", "", False)])
def test_lessons_with_which_fewer_are_right_are_worse(before: str, after: str, *, worse: bool) -> None:
    tests = [tried(right=other == "1", before=one == "1") for one, other in zip(before, after, strict=True)]
    assert is_worse(tests) is worse


def test_a_case_disagrees_where_what_was_learnt_says_something_else() -> None:
    against = tried("lesson", right=False)
    failed = Tried(ASKED, "", right=False, used=("lesson",), error=Sentence("practice.none"))
    assert disagreeing([tried("lesson", right=True), tried(right=False), failed, against]) == [against]
