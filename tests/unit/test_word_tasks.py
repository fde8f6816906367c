from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.models.lexicon import Lexicon
from assistant.models.word_tasks import ENGLISH, TASKS, Subject, WordTask, letters_of, task_named_in, task_shown_by

LEXICON = Lexicon()
WORDS = ("garden", "planet", "angle", "elephant", "cricket", "window", "vision", "actors", "wasted", "provisional")

words = st.sampled_from(WORDS)


def task(understanding: str) -> WordTask:
    found = task_named_in(understanding)
    assert found is not None
    return found


@given(st.text(min_size=1))
def test_reversing_twice_gives_the_word_back(word: str) -> None:
    reverse = task("spelled backwards")
    assert reverse.answer(Subject(reverse.answer(Subject(word), LEXICON)), LEXICON) == word


@settings(deadline=None)  # the first use loads the lexicon
@given(words, st.integers(1, 10))
def test_a_rotated_word_is_found_again(word: str, by: int) -> None:
    by %= len(word)
    rotated = word[by:] + word[:by]
    if rotated != word:
        assert word in task("a rotation").solve(Subject(rotated), LEXICON, ENGLISH)


@given(words, st.lists(st.text("!./- ,;:#*", max_size=3), min_size=12, max_size=12))
def test_symbols_are_removed_wherever_they_stand(word: str, symbols: list[str]) -> None:
    littered = "".join(letter + symbol for letter, symbol in zip(word, symbols, strict=False))
    assert task("without its symbols").answer(Subject(littered), LEXICON) == word


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
        assert word in task(understanding).solve(Subject(scrambled), LEXICON, ENGLISH)


@settings(deadline=None)
@given(st.text(max_size=60), st.lists(st.integers(-99, 99), max_size=3))
def test_every_task_has_an_answer_for_any_text(word: str, positions: list[int]) -> None:
    for each in TASKS:
        answer = each.answer(Subject(word, tuple(positions)), LEXICON)
        assert answer or not word


@pytest.mark.parametrize(
    ("understanding", "word", "answer"),
    [
        ('You want the opposite of "hot".', "hot", "cold"),
        ('You want a word that means the same as "quick".', "Quick", "fast"),
        ('You want a word that sounds the same as "knight".', "knight", "night"),
        ('You want the opposite of "children".', "zzyzx", 'I do not know the word "zzyzx".'),
        ('You want a word that means the same as "happier".', "happier", "glad"),
    ],
)
def test_the_understanding_names_the_task(understanding: str, word: str, answer: str) -> None:
    assert task(understanding).answer(Subject(word), LEXICON) == answer


def test_letters_are_counted_from_either_end() -> None:
    letters = task('the letters at positions 1 and 2 of "window"')
    assert letters.answer(Subject("window", (2, -1)), LEXICON) == "i, w"
    assert "does not have" in letters.answer(Subject("window", (7,)), LEXICON)


@pytest.mark.parametrize(
    ("word", "answer", "name"),
    [
        ("hot", "cold", "opposites"),
        ("night", "knight", "words that sound the same"),
        ("nepo", "open", "words spelled backwards"),
    ],
)
def test_a_task_without_a_name_is_found_by_its_answer(word: str, answer: str, name: str) -> None:
    found = task_shown_by(Subject(word), answer, LEXICON)
    assert found is not None
    assert found.name == name


def test_no_task_leads_to_an_unrelated_answer() -> None:
    assert task_shown_by(Subject("sky"), "because air scatters light", LEXICON) is None


@settings(deadline=None)
@given(words)
def test_definitions_and_sentences_are_whole_sentences_about_the_word(word: str) -> None:
    for understanding in ('You want to know what "x" means.', 'You want a sentence with "x".'):
        answer = task(understanding).answer(Subject(word), LEXICON)
        assert word in answer
        assert answer.endswith(".")


@given(st.text())
def test_letters_of_a_text_are_letters(text: str) -> None:
    assert all(character.isalpha() for character in letters_of(text))
