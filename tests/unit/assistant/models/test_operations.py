"""Operations on words, their definitions, and their inference from two examples."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.models.embedded.induction import infer
from assistant.models.embedded.operations import NAMED, UNNAMED, Subject, definitions, text_operation
from assistant.models.embedded.phrases import VOICES, phrases_for, script_of
from memory_store.language.languages import LANGUAGES

ENGLISH = phrases_for("")
WORDS = ("garden", "planet", "angle", "elephant", "cricket", "window", "vision", "actors", "wasted", "provisional")

words = st.sampled_from(WORDS)


def solved(name: str, word: str, *numbers: int, letters: tuple[str, ...] = ()) -> list[str]:
    return list(NAMED[name].solve(Subject(word, numbers, letters=letters), ENGLISH))


@settings(deadline=None)
@given(words, st.randoms(use_true_random=False))
@pytest.mark.parametrize(("name", "fixed"), [("unscrambled_1", 1), ("unscrambled_2", 2), ("unscrambled", 0)])
def test_scrambled_word_is_found_again(name: str, fixed: int, word: str, random: Random) -> None:
    middle = list(word[fixed : len(word) - fixed])
    random.shuffle(middle)
    scrambled = word[:fixed] + "".join(middle) + word[len(word) - fixed :]
    if scrambled != word:
        assert word in solved(name, scrambled)


@settings(deadline=None)
@given(st.text(max_size=60), st.lists(st.integers(-99, 99), max_size=3), st.lists(st.text(max_size=1), max_size=2))
def test_operations_take_any_text(word: str, numbers: list[int], letters: list[str]) -> None:
    subject = Subject(word, tuple(numbers), sum(numbers), tuple(letters))
    for operation in (*NAMED.values(), *map(text_operation, UNNAMED)):
        assert all(isinstance(answer, str) for answer in operation.solve(subject, ENGLISH))


def test_operations_take_numbers_and_letters() -> None:
    assert "night" in solved("rhyme", "light")
    assert solved("letters_at", "window", 2, -1) == ["i, w"]
    assert solved("letters_at", "window", 7) == []
    assert solved("without", "banana", letters=("n",)) == ["baaa"]
    assert "window" in solved("unrotated", "owwind")


def test_operations_are_defined_in_all_languages() -> None:
    assert definitions().keys() == NAMED.keys()
    found: dict[str, str] = {}
    for name, defined in definitions().items():
        assert defined.english
        assert defined.others
        assert all("{it}" in says for says in defined.says)
        assert [script_of(says) for says in defined.says] == [script for _, script in VOICES]
        for text in (*defined.english, *defined.others):
            assert found.setdefault(LANGUAGES.fold(text), name) == name, text


@pytest.mark.parametrize(("shown", "word", "answer"), [
    ({"happy": "unhappy", "fair": "unfair"}, "kind", "unkind"),
    ({"cat": "c*t", "stone": "st*n*"}, "garden", "g*rd*n"),
    ({"city": "CITIES", "cat": "CATS"}, "child", "CHILDREN"),
    ({"hot": "cold"}, "early", "late"),
    ({"stone": "st*n*"}, "garden", ""),  # one example is ambiguous
    ({"poland": "pole", "turkey": "turk"}, "window", ""),
    ({"hot": "cold", "river": "revir"}, "window", ""),
])  # fmt: skip
def test_operation_is_inferred_or_none_is(shown: dict[str, str], word: str, answer: str) -> None:
    operation = infer([(Subject(one), says) for one, says in shown.items()], ENGLISH)
    assert (next(iter(operation.solve(Subject(word), ENGLISH)), "") if operation else "") == answer
