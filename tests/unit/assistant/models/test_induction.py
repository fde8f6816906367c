"""An operation that nobody named is inferred from two examples, or none is."""

import pytest

from assistant.models.embedded.induction import infer
from assistant.models.embedded.operations import Subject
from assistant.models.embedded.phrases import phrases_for

ENGLISH = phrases_for("")
Shown = dict[str, str]


def inferred(shown: Shown, word: str) -> str:
    """Return the best answer for a word by what the examples show; empty where they show nothing."""
    operation = infer([(Subject(one), answer) for one, answer in shown.items()], ENGLISH)
    return next(iter(operation.solve(Subject(word), ENGLISH)), "") if operation else ""


@pytest.mark.parametrize(("shown", "word", "answer"), [
    ({"happy": "unhappy", "fair": "unfair"}, "kind", "unkind"),
    ({"cat": "c*t", "stone": "st*n*"}, "garden", "g*rd*n"),
    ({"cat": "dbu", "hat": "ibu"}, "dog", "eph"),
    ({"stone": "se", "garden": "gn"}, "window", "ww"),
    ({"cat": "atcay", "stone": "tonesay"}, "garden", "ardengay"),
    ({"garden": "GAR", "planet": "PLA"}, "window", "WIN"),
    ({"city": "CITIES", "cat": "CATS"}, "child", "CHILDREN"),
    ({"go": "w-e-n-t", "walk": "w-a-l-k-e-d"}, "sing", "s-a-n-g"),
    ({"hot": "cold!", "up": "down!"}, "early", "late!"),
])  # fmt: skip
def test_two_examples_show_an_operation(shown: Shown, word: str, answer: str) -> None:
    assert inferred(shown, word) == answer


@pytest.mark.parametrize("shown", [
    {"spain": "madrid", "italy": "rome"},
    {"grass": "green", "sky": "blue"},
    {"spider": "8", "dog": "4"},
    {"spring": "summer", "autumn": "winter"},
    {"poland": "pole", "turkey": "turk"},
    {"iron": "fe", "gold": "au"},
    {"ninety": "a", "eighty": "b"},
    {"hot": "cold", "river": "revir"},
])  # fmt: skip
def test_examples_without_an_operation_show_none(shown: Shown) -> None:
    assert inferred(shown, "window") == ""


def test_one_example_shows_nothing_that_could_be_many_things() -> None:
    assert inferred({"stone": "st*n*"}, "garden") == ""
    assert inferred({"hot": "cold"}, "early") == "late"


def test_answers_may_be_written_as_sentences() -> None:
    assert inferred({"hot": "Cold.", "up": "Down."}, "early") == "late"
