"""Operations on words, their definitions, and their inference from two examples."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.models.embedded.operations import NAMED, UNNAMED, Subject, infer, text_operation


@settings(deadline=None)
@given(st.text(max_size=60), st.lists(st.integers(-99, 99), max_size=3), st.lists(st.text(max_size=1), max_size=2))
def test_operations_take_any_text(word: str, numbers: list[int], letters: list[str]) -> None:
    subject = Subject(word, tuple(numbers), sum(numbers), tuple(letters))
    for operation in (*NAMED.values(), *map(text_operation, UNNAMED)):
        assert all(isinstance(answer, str) for answer in operation.solve(subject))


@pytest.mark.parametrize(("shown", "word", "answer"), [
    ({"happy": "unhappy", "fair": "unfair"}, "kind", "unkind"),
    ({"cat": "c*t", "stone": "st*n*"}, "garden", "g*rd*n"),
    ({"hot": "cold"}, "early", "late"),
    ({"stone": "st*n*"}, "garden", ""),  # one example is ambiguous
    ({"hot": "cold", "river": "revir"}, "window", ""),
])  # fmt: skip
def test_operation_is_inferred_or_none_is(shown: dict[str, str], word: str, answer: str) -> None:
    operation = infer([(Subject(one), says) for one, says in shown.items()])
    assert (next(iter(operation.solve(Subject(word))), "") if operation else "") == answer
