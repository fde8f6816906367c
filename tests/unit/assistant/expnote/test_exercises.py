"""Exercises are read from a table, or refused with the number of the line."""

import pytest

from assistant.errors import InputError
from assistant.limits import Limits
from assistant.papers.expnote.practice import Exercise, read_exercises

pytestmark = pytest.mark.promise("practice-files-are-checked")

UNCLE = Exercise("Who is my mother's brother, please?", "uncle")


@pytest.mark.parametrize(
    "line",
    [
        '"Who is my mother\'s brother, please?",uncle',
        '"Who is my mother\'s brother, please?", "uncle"',
        "Who is my mother's brother, please?\tuncle",
    ],
)
def test_each_way_to_write_one(line: str) -> None:
    assert read_exercises(f"\ufeff\n{line}\r\n\n", header=False).cases == [UNCLE]


def test_a_first_line_may_name_the_columns() -> None:
    assert [one.question for one in read_exercises("Question,Answer\nhot,cold\n").cases] == ["hot"]
    other = read_exercises("Frage;Antwort\nWho is it?;Bo\n", header=True)
    assert other.cases == [Exercise("Who is it?", "Bo")]


@pytest.mark.parametrize("line", ["only a question", "a, b, c?,d", "a?,", ",b", '"a?', "a?\tb\tc", "\u200b,b"])
def test_bad_line_refuses_the_table(line: str) -> None:
    with pytest.raises(InputError, match=r"^Line 3"):
        read_exercises(f"question,answer\n\n{line}\nc?,d")


def test_what_is_too_long_says_so() -> None:
    with pytest.raises(InputError, match=r"Line 2: .*5"):
        read_exercises("question,answer\nabcdef?,b", Limits(question=5))


@pytest.mark.parametrize(("lines", "held_out"), [(0, 0), (2, 0), (3, 1), (10, 2), (101, 20)])
def test_the_last_fifth_is_held_out(lines: int, held_out: int) -> None:
    exercises = read_exercises("\n".join(f"{number}?,{number}" for number in range(lines)), header=False)
    assert len(exercises.held_out) == held_out
    assert [one.answer for one in (*exercises.cases, *exercises.held_out)] == [*map(str, range(lines))]
