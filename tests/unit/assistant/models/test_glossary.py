from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assistant.models.embedded.glossary
from assistant.language.lexicon import Lexicon
from assistant.models.embedded.glossary import Glossary, words_of
from memory_store.language.normalize import fold

FILE = Path(assistant.models.embedded.glossary.__file__).with_name("data") / "glossary.toml"
GLOSSARY = Glossary(fold, Lexicon().is_frequent)


def test_no_two_entries_of_a_section_fold_to_the_same_expression() -> None:
    for section, entries in tomllib.loads(FILE.read_text(encoding="utf-8")).items():
        meanings: dict[str, set[str]] = {}
        for english, expressions in entries.items():
            for expression in expressions:
                meanings.setdefault(fold(expression), set()).add(english)
        assert "" not in meanings, section
        assert {key: found for key, found in meanings.items() if len(found) > 1} == {}, section


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("hot ka ulta kya hai", ("hot", "of", "opposite", "what", "is")),
        ("ਹੌਟ ਦਾ ਉਲਟਾ", ("ਹੌਟ", "of", "opposite")),
        ("what is the main thing", ("what", "is", "the", "main", "thing")),
        ("letters 2 and 17", ("letter", "number", "and", "number")),
    ],
)
def test_a_question_is_put_into_english_word_by_word(text: str, tokens: tuple[str, ...]) -> None:
    assert GLOSSARY.question(text) == tokens
    assert GLOSSARY.question("HOT ka ulta", {fold("hot")}) == ("of", "opposite")  # the word asked about is left out


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert all(words_of(text))
    assert all(GLOSSARY.question(text))
    assert all(GLOSSARY.clarification(text))
