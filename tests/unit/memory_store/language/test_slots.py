"""The word that a question asks about, masked where it can be told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.types import Key, KeyOrigin, Reply, Turn
from memory_store.language.slots import mask_slot, masked_key


@pytest.mark.parametrize(
    ("question", "hint", "said", "masked"),
    [
        ("what is akin to < quick > ?", "", "", "what is akin to ▢ ?"),
        ("ਸੋਹਣਾ ਵਰਗਾ ਸ਼ਬਦ ਦੱਸੋ", "", "", "▢ ਵਰਗਾ ਸ਼ਬਦ ਦੱਸੋ"),
        ("pot can be used how ?", 'You want uses of a "pot".', "", "▢ can be used how ?"),
        ("pot can be used how ?", "", "", None),
        # The hint names a word that else shapes questions.
        ("find di goonj vich ki hai", 'You want the opposite of "find".', "", "▢ di goonj vich ki hai"),
        # A word that no list has makes an English question no other one.
        ("serenade cos over a trapdoor", "", "no, a word that sounds the same", None),
        # The person repeats all the rest.
        ("what hides inside landlord ?", "", "if I say what hides inside, define it", "what hides inside ▢ ?"),
        # What the person repeats tells more than an understanding that was wrong.
        ("take mean for a walk", 'A homophone of "walk".', '"take ... for a walk" means it', "take ▢ for a walk"),
        ("take bridge for a walk", 'A homophone of "walk".', "I wanted a sentence", "take bridge for a ▢"),
        # What is left out beside a word of content that is left out too only joins.
        ("happy ਵਰਗਾ ਕੋਈ ਸ਼ਬਦ ਦੱਸੋ", "", "ਬੋਲਣ ਵਿੱਚ ਇਸ ਵਰਗਾ ਸ਼ਬਦ ਦੱਸੋ", "▢ ਵਰਗਾ ਕੋਈ ਸ਼ਬਦ ਦੱਸੋ"),
        ("what's the damage?", "", "", None),
        ("", "", "", None),
        ("what is akin to " + "quick " * 500, "", "", None),
    ],
)
def test_the_word_asked_about_is_masked_where_it_can_be_told(
    question: str, hint: str, said: str, masked: str | None
) -> None:
    assert mask_slot(question, hint, said) == masked


@given(st.text(st.characters(codec=None), max_size=80), st.text(max_size=40))
def test_any_text_can_be_masked(question: str, hint: str) -> None:
    masked = mask_slot(question, hint)
    assert masked is None or "▢" in masked


def test_the_masked_question_is_a_key() -> None:
    turn = Turn("", "", "ann", "what is akin to quick ?", reply=Reply.of("", 'You want a word like "quick".'))
    assert masked_key(turn, "a synonym") == (Key("what is akin to ▢ ?", KeyOrigin.RULE),)
    assert masked_key(Turn("", "", "ann", "hello"), "I meant goodbye") == ()
