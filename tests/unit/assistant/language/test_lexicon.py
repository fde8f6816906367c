import pytest

from assistant.language.lexicon import lexicon


@pytest.mark.parametrize(
    ("word", "synonym", "antonym"),
    [("quick", "fast", "slow"), ("begin", "start", "end"), ("brave", "courageous", ""), ("buy", "", "sell")],
)
def test_usual_synonym_and_antonym_come_first(word: str, synonym: str, antonym: str) -> None:
    found = lexicon().find(word)
    assert found is not None
    assert not synonym or found.synonyms[0] == synonym
    assert not antonym or found.antonyms[0] == antonym


def test_homophones_sound_the_same() -> None:
    assert lexicon().find("flower").homophones == ("flour",)  # type: ignore[union-attr]
    assert lexicon().find("mouse").homophones == ()  # type: ignore[union-attr]
    assert lexicon().find("mouse").near == "house"  # type: ignore[union-attr]


def test_inflected_form_leads_to_its_base() -> None:
    children = lexicon().find("Children")
    assert children is not None
    assert lexicon().base_of(children).text == "child"
    assert lexicon().base_of(lexicon().base_of(children)).text == "child"


def test_anagrams_come_by_frequency() -> None:
    assert lexicon().spelled_with("tca")[:2] == ("act", "cat")
    assert lexicon().spelled_with("") == ()


def test_unknown_or_rare_word_has_no_entry() -> None:
    assert not any(map(lexicon().find, ("zzyzx", "", "ਪਾਣੀ", "two words", "\ud800", "zymurgy")))
    assert [*map(lexicon().is_rare, ("zymurgy", "quick", "zzyzx", "\ud800"))] == [True, False, False, False]
