"""The words of other languages, as answers give them."""

import re

import pytest

from memory_store.language.languages import NATIVE_WORDS, native

_ROWS = [line.split("\t") for line in NATIVE_WORDS.read_text(encoding="utf-8").splitlines()[1:]]


def test_each_word_is_listed_once() -> None:
    assert len({english for english, _, _ in _ROWS}) == len(_ROWS)
    assert all(re.fullmatch("[a-z'-]+", english) for english, _, _ in _ROWS)
    assert all(re.fullmatch("[\u0900-\u0963 \u200d]*", hindi) for _, hindi, _ in _ROWS)
    assert all(re.fullmatch("[\u0a00-\u0a7f ]*", punjabi) for _, _, punjabi in _ROWS)
    assert all(hindi or punjabi for _, hindi, punjabi in _ROWS)


@pytest.mark.parametrize(("language", "own", "in_latin"), [("hi", "ठंडा", "thanda"), ("pa", "ਗਰਮ", "garam")])
def test_word_is_given_in_either_script(language: str, own: str, in_latin: str) -> None:
    english = next(row[0] for row in _ROWS if own in row)
    assert native(english, language, in_latin=False) == own
    assert native(english, language, in_latin=True) == in_latin
    assert native("xylophonist", language, in_latin=True) == ""
