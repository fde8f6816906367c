from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.models.embedded.word_tasks import ENGLISH, TASKS, Subject, WordTask, task_named_in, task_shown_by

WORDS = ("garden", "planet", "angle", "elephant", "cricket", "window", "vision", "actors", "wasted", "provisional")

words = st.sampled_from(WORDS)


def task(understanding: str) -> WordTask:
    found = task_named_in(understanding)
    assert found is not None
    return found


@settings(deadline=None)  # the first use loads the lexicon
@given(words, st.integers(1, 10))
def test_a_rotated_word_is_found_again(word: str, by: int) -> None:
    by %= len(word)
    rotated = word[by:] + word[:by]
    if rotated != word:
        assert word in task("a rotation").solve(Subject(rotated), ENGLISH)


@settings(deadline=None)
@given(words, st.randoms(use_true_random=False))
@pytest.mark.parametrize(
    ("understanding", "fixed"),
    [("its first and last letter kept in place", 1), ("its first two letters kept", 2), ("jumbled", 0)],
)
def test_a_scrambled_word_is_found_again(understanding: str, fixed: int, word: str, random: Random) -> None:
    middle = list(word[fixed : len(word) - fixed])
    random.shuffle(middle)
    scrambled = word[:fixed] + "".join(middle) + word[len(word) - fixed :]
    if scrambled != word:
        assert word in task(understanding).solve(Subject(scrambled), ENGLISH)


@settings(deadline=None)
@given(st.text(max_size=60), st.lists(st.integers(-99, 99), max_size=3))
def test_every_task_has_an_answer_for_any_text(word: str, positions: list[int]) -> None:
    for each in TASKS:
        answer = each.answer(Subject(word, tuple(positions)))
        assert answer or not word


def test_letters_are_counted_from_either_end() -> None:
    letters = task('the letters at positions 1 and 2 of "window"')
    assert letters.answer(Subject("window", (2, -1))) == "i, w"
    assert "does not have" in letters.answer(Subject("window", (7,)))


@pytest.mark.parametrize(
    ("word", "answer", "name"),
    [
        ("hot", "cold", "opposites"),
        ("nepo", "open", "words spelled backwards"),
        ("sky", "because air scatters light", None),
    ],
)
def test_a_task_without_a_name_is_found_by_its_answer(word: str, answer: str, name: str | None) -> None:
    found = task_shown_by(Subject(word), answer)
    assert (found.name if found else None) == name
