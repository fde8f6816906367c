"""What operations do with words, and what is defined of them."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.models.embedded.operations import NAMED, UNNAMED, Subject, definitions, text_operation
from assistant.models.embedded.phrases import VOICES, phrases_for
from memory_store.language.languages import LANGUAGES

ENGLISH = phrases_for("")
WORDS = ("garden", "planet", "angle", "elephant", "cricket", "window", "vision", "actors", "wasted", "provisional")

words = st.sampled_from(WORDS)


def solved(name: str, word: str, *numbers: int, letters: tuple[str, ...] = ()) -> list[str]:
    return list(NAMED[name].solve(Subject(word, numbers, letters=letters), ENGLISH))


@settings(deadline=None)  # the first use loads the lexicon
@given(words, st.integers(1, 10))
def test_a_rotated_word_is_found_again(word: str, by: int) -> None:
    by %= len(word)
    rotated = word[by:] + word[:by]
    if rotated != word:
        assert word in solved("unrotated", rotated)


@settings(deadline=None)
@given(words, st.randoms(use_true_random=False))
@pytest.mark.parametrize(("name", "fixed"), [("unscrambled_1", 1), ("unscrambled_2", 2), ("unscrambled", 0)])
def test_a_scrambled_word_is_found_again(name: str, fixed: int, word: str, random: Random) -> None:
    middle = list(word[fixed : len(word) - fixed])
    random.shuffle(middle)
    scrambled = word[:fixed] + "".join(middle) + word[len(word) - fixed :]
    if scrambled != word:
        assert word in solved(name, scrambled)


@settings(deadline=None)
@given(st.text(max_size=60), st.lists(st.integers(-99, 99), max_size=3), st.lists(st.text(max_size=1), max_size=2))
def test_every_operation_takes_any_text(word: str, numbers: list[int], letters: list[str]) -> None:
    subject = Subject(word, tuple(numbers), sum(numbers), tuple(letters))
    for operation in (*NAMED.values(), *map(text_operation, UNNAMED)):
        assert all(isinstance(answer, str) for answer in operation.solve(subject, ENGLISH))


@pytest.mark.parametrize(("name", "word", "answer"), [
    ("antonym", "hot", "cold"),
    ("plural", "city", "cities"),
    ("plural", "child", "children"),
    ("singular", "boxes", "box"),
    ("past", "stop", "stopped"),
    ("past", "go", "went"),
    ("ing", "make", "making"),
    ("comparative", "big", "bigger"),
    ("superlative", "beautiful", "most beautiful"),
    ("without_symbols", "g/a.r!d-en", "garden"),
    ("count_vowels", "banana", "3"),
])  # fmt: skip
def test_the_best_answer(name: str, word: str, answer: str) -> None:
    assert solved(name, word)[0] == answer


def test_a_rhyme_ends_alike() -> None:
    assert "night" in solved("rhyme", "light")


def test_letters_are_counted_from_either_end() -> None:
    assert solved("letters_at", "window", 2, -1) == ["i, w"]
    assert solved("letters_at", "window", 7) == []
    assert solved("without", "banana", letters=("n",)) == ["baaa"]


def test_two_operations_are_done_one_after_the_other() -> None:
    both = NAMED["plural"].then(NAMED["reversed"])
    assert both.names == ("plural", "reversed")
    assert list(both.solve(Subject("city"), ENGLISH)) == ["seitic"]


def test_every_operation_that_has_a_name_is_defined_in_all_languages_and_every_definition_is_of_one() -> None:
    assert definitions().keys() == NAMED.keys()
    for name in NAMED:
        assert definitions()[name].english
        assert definitions()[name].others
        assert len(definitions()[name].says) == len(VOICES)
        assert all("{it}" in says for says in definitions()[name].says)


def test_no_definition_stands_for_two_operations() -> None:
    defined = [(name, text) for name, each in definitions().items() for text in (*each.english, *each.others)]
    found: dict[str, str] = {}
    for name, text in defined:
        assert found.setdefault(LANGUAGES.fold(text), name) == name, text
