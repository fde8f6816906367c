import sys

import pytest

from assistant.language.lexicon import lexicon


@pytest.mark.parametrize(
    ("word", "synonym", "antonym"),
    [("quick", "fast", "slow"), ("happy", "glad", "unhappy"), ("begin", "start", "end"), ("brave", "courageous", ""),
     ("huge", "vast", ""), ("hot", "", "cold"), ("enormous", "", "little"), ("buy", "", "sell"),
     ("quickly", "", "slowly"), ("rich", "", "poor")],
)  # fmt: skip
def test_the_first_synonym_and_antonym_are_the_usual_ones(word: str, synonym: str, antonym: str) -> None:
    found = lexicon().find(word)
    assert found is not None
    assert not synonym or found.synonyms[0] == synonym
    assert not antonym or found.antonyms[0] == antonym


def test_homophones_sound_the_same_and_where_there_are_none_one_word_comes_near() -> None:
    assert lexicon().find("flower").homophones == ("flour",)  # type: ignore[union-attr]
    assert lexicon().find("whether").homophones == ("weather",)  # type: ignore[union-attr]
    assert lexicon().find("mouse").homophones == ()  # type: ignore[union-attr]
    assert lexicon().find("mouse").near == "house"  # type: ignore[union-attr]


def test_an_inflected_form_leads_to_its_base_form() -> None:
    children = lexicon().find("Children")
    assert children is not None
    assert lexicon().base_of(children).text == "child"
    assert lexicon().base_of(lexicon().base_of(children)).text == "child"


def test_words_spelled_with_the_same_letters_come_in_the_order_of_their_frequency() -> None:
    assert lexicon().spelled_with("tca")[:2] == ("act", "cat")
    assert lexicon().spelled_with("") == ()


def test_an_unknown_word_is_not_found() -> None:
    assert [lexicon().find(word) for word in ("zzyzx", "", "ਪਾਣੀ", "two words", "\ud800")] == [None] * 5


def test_a_rare_word_is_one_of_which_nothing_is_known() -> None:
    assert lexicon().is_rare("zymurgy")
    assert lexicon().find("zymurgy") is None
    assert not any(map(lexicon().is_rare, ("quick", "zzyzx", "", "\ud800")))


def test_every_relation_leads_to_a_single_plain_word() -> None:
    words = list(lexicon().frequent(sys.maxsize))
    for word in words:
        assert set(word.parts) <= set("nvar"), word
        assert word.base.isascii(), word
        others = [*word.synonyms, *word.antonyms, *word.general.split(), *word.homophones, *word.near.split()]
        assert all(other.isalpha() and other != word.text for other in others), word
    assert len(words) > 40_000


def test_special_words_are_those_of_which_a_word_is_the_more_general_one() -> None:
    found = lexicon().special("animal")
    assert found
    assert all(word.general == "animal" for text in found if (word := lexicon().find(text)))
    assert lexicon().special("zzyzx") == ()
