"""Exercises are read from lines of JSON, CSV, or with a tab; what is none is told with its number."""

import pytest

from assistant.expnote.exercises import Exercise, Exercises
from assistant.limits import Limits

UNCLE = Exercise("Who is my mother's brother, please?", "uncle")


@pytest.mark.parametrize(
    "line",
    [
        '"Who is my mother\'s brother, please?",uncle',
        '"Who is my mother\'s brother, please?", "uncle"',
        "Who is my mother's brother, please?\tuncle",
        '{"question": "Who is my mother\'s brother, please?", "answer": "uncle"}',
        '  {"answer": "uncle", "question": "Who is my mother\'s brother, please?", "more": 1}',
    ],
)
def test_each_way_to_write_one(line: str) -> None:
    assert Exercises.of(f"\ufeff\n{line}\r\n\n") == Exercises([UNCLE], [])


def test_a_first_line_may_name_the_columns() -> None:
    assert [one.question for one in Exercises.of("Question,Answer\nquestion,answer\n").told] == ["question"]
    assert [one.question for one in Exercises.of("question\tanswer\na?\tb").told] == ["a?"]


@pytest.mark.parametrize(
    "line",
    [
        "only a question",
        "a, b, c?,d",
        "a?,",
        ",b",
        '"a?',
        '{"question": "a?"}',
        '{"question": "a?", "answer": 3}',
        '{"question": ',
        "{" * 50_000,
        "a?\tb\tc",
        "\u200b,b",
    ],
)
def test_what_is_none_is_told_and_the_rest_is_taken(line: str) -> None:
    exercises = Exercises.of(f"a?,b\n\n{line}\nc?,d")
    assert str(exercises.bad[0]).startswith("Line 3: ")
    assert len(exercises.bad) == 1
    assert exercises.told == [Exercise("a?", "b"), Exercise("c?", "d")]


def test_what_is_too_long_says_so() -> None:
    (why,) = Exercises.of("abcdef?,b", Limits(question=5)).bad
    assert "5" in str(why)


@pytest.mark.parametrize(("lines", "held_out"), [(0, 0), (2, 0), (3, 1), (10, 2), (101, 20)])
def test_the_last_fifth_is_held_out(lines: int, held_out: int) -> None:
    exercises = Exercises.of("\n".join(f"{number}?,a" for number in range(lines)))
    assert len(exercises.held_out) == held_out
    assert [*exercises.cases, *exercises.held_out] == exercises.told
