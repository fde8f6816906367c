from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.types import Key, KeyOrigin, Reply, Turn
from memory_store.rule_keys import cleared_up, rule_keys


def keys(question: str, words: str, understood: str = "", *, again: bool = True) -> list[str]:
    reply = Reply("", understanding=understood)
    turn = Turn("t", "c", "me", question, reply=reply, clarified_with="e" if again else None)
    found = rule_keys(turn, words)
    assert all(key.origin is KeyOrigin.RULE for key in found)
    return [key.text for key in found]


@pytest.mark.parametrize(("question", "words", "phrase"), [
    ("is this song lit", 'by "lit" I mean very good', "lit"),
    ("ye gaana lit hai kya", "lit se mera matlab bahut badhiya", "lit"),
    ("यह गाना लिट है क्या", "by 'lit' I mean good", "लिट"),
    ("kal ka mausam kaisa hai", "kal se mera matlab aane wala kal", "kal"),
    ("can you set up a call with him tomorrow", "by 'set up' I mean arrange", "set up"),
    ("how far is mercury", "I mean mercury the metal", "mercury"),
])  # fmt: skip
def test_the_phrase_that_was_cleared_up_is_a_key(question: str, words: str, phrase: str) -> None:
    assert keys(question, words) == [phrase]


def test_what_the_question_asks_about_is_masked_and_no_phrase() -> None:
    assert keys("what is akin to quick ?", "I want a synonym of quick", 'sounds like "quick"') == [
        "what is akin to ▢ ?"
    ]


def test_while_it_is_open_what_was_asked_about_there_is_no_phrase() -> None:
    question, words = "kal ka mausam kaisa hai", "kal se mera matlab aane wala kal"
    assert keys(question, words, again=False) == []
    assert keys(question, words, "the weather of tomorrow") == ["kal"]


@pytest.mark.parametrize(("question", "words"), [
    ("give me 5 names for my dog", "I want names for a female dog"),  # two phrases are shared
    ("is this good", 'I meant "tasty"'),  # what is quoted is not in the question
    ("lit", "lit means drunk"),  # the whole question is a key already
    ("what is it of the", "of the other"),  # nothing but small words is shared
    ("lit " * 300, "by lit I mean good"),
])  # fmt: skip
def test_where_it_is_not_plain_there_is_no_phrase(question: str, words: str) -> None:
    assert keys(question, words) == []


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_is_read(question: str, words: str) -> None:
    phrase = cleared_up(question, words)
    assert phrase is None or phrase in " ".join(question.split())
    assert all(isinstance(key, Key) for key in rule_keys(Turn("t", "c", "me", question), words))
