"""Exercises are parsed from a table, or refused with the number of the line."""

import pytest

from assistant.errors import InputError
from assistant.papers.expnote.practice import Exercise, Practised, TriedCase, read_exercises

pytestmark = pytest.mark.promise("practice-files-are-checked", "practice-waits-to-be-kept")


def test_first_line_may_be_a_header() -> None:
    assert [one.question for one in read_exercises("Question,Answer\nhot,cold\n").cases] == ["hot"]
    other = read_exercises("Frage;Antwort\nWho is it?;Bo\n", header=True)
    assert other.cases == [Exercise("Who is it?", "Bo")]


@pytest.mark.parametrize("line", ["only a question", "a, b, c?,d", ",b", '"a?', "\u200b,b"])
def test_bad_line_refuses_the_table(line: str) -> None:
    with pytest.raises(InputError, match=r"^Line 3"):
        read_exercises(f"question,answer\n\n{line}\nc?,d")


@pytest.mark.parametrize(("lines", "held_out"), [(2, 0), (3, 1), (101, 20)])
def test_last_fifth_is_held_out(lines: int, held_out: int) -> None:
    exercises = read_exercises("\n".join(f"{number}?,{number}" for number in range(lines)), header=False)
    assert len(exercises.held_out) == held_out
    assert [one.answer for one in (*exercises.cases, *exercises.held_out)] == [*map(str, range(lines))]


ASKED = Exercise("a?", "b")


def tried(*used: str, right: bool, before: bool = False) -> TriedCase:
    return TriedCase(ASKED, "b" if right else "c", right, used, before=before)


@pytest.mark.parametrize(("before", "after", "worse"), [("11", "10", True), ("10", "01", False), ("", "", False)])
def test_fewer_right_answers_are_worse(before: str, after: str, *, worse: bool) -> None:
    tests = tuple(tried(right=other == "1", before=one == "1") for one, other in zip(before, after, strict=True))
    assert Practised(tests=tests).is_worse is worse
