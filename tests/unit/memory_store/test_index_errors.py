import pytest

from memory_store.vectors.index import IndexUnavailable, _unavailable


class PanicException(BaseException):
    pass


@pytest.mark.parametrize("error", [RuntimeError("a"), KeyError("a"), OSError(), PanicException("called unwrap()")])
def test_whatever_damage_raises_is_one_error(error: BaseException) -> None:
    with pytest.raises(IndexUnavailable) as raised, _unavailable():
        raise error
    assert raised.value.__cause__ is error


def test_one_that_is_said_already_is_not_wrapped() -> None:
    error = IndexUnavailable()
    with pytest.raises(IndexUnavailable) as raised, _unavailable():
        raise error
    assert raised.value is error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(), GeneratorExit()])
def test_what_ends_a_program_is_no_damage(error: BaseException) -> None:
    with pytest.raises(type(error)), _unavailable():
        raise error
