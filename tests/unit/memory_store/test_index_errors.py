import pytest

from memory_store.vectors.index import IndexUnavailable, _unavailable


class PanicException(BaseException):
    pass


@pytest.mark.parametrize("error", [RuntimeError("a"), OSError(), PanicException("called unwrap()")])
def test_damage_is_one_error(error: BaseException) -> None:
    with pytest.raises(IndexUnavailable) as raised, _unavailable():
        raise error
    assert raised.value.__cause__ is error


@pytest.mark.parametrize("error", [IndexUnavailable(), KeyboardInterrupt(), SystemExit(), GeneratorExit()])
def test_other_errors_pass_unchanged(error: BaseException) -> None:
    with pytest.raises(type(error)) as raised, _unavailable():
        raise error
    assert raised.value is error
