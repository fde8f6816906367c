from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from assistant.models.lexicon import Lexicon

DATA = Path(__file__).parents[2] / "assistant" / "models" / "data"


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return Lexicon()


@pytest.mark.parametrize(
    ("word", "synonym"),
    [("quick", "fast"), ("happy", "glad"), ("begin", "start"), ("brave", "courageous"), ("huge", "vast")],
)
def test_the_first_synonym_is_the_usual_one(lexicon: Lexicon, word: str, synonym: str) -> None:
    found = lexicon.find(word)
    assert found is not None
    assert found.synonyms[0] == synonym


@pytest.mark.parametrize(
    ("word", "antonym"),
    [("hot", "cold"), ("enormous", "little"), ("buy", "sell"), ("quickly", "slowly"), ("rich", "poor")],
)
def test_the_first_antonym_is_the_usual_one_also_through_a_similar_adjective(
    lexicon: Lexicon, word: str, antonym: str
) -> None:
    found = lexicon.find(word)
    assert found is not None
    assert found.antonyms[0] == antonym


def test_homophones_sound_the_same_and_where_there_are_none_one_word_comes_near(lexicon: Lexicon) -> None:
    assert lexicon.find("flower").homophones == ("flour",)  # type: ignore[union-attr]
    assert lexicon.find("whether").homophones == ("weather",)  # type: ignore[union-attr]
    assert lexicon.find("mouse").homophones == ()  # type: ignore[union-attr]
    assert lexicon.find("mouse").near == "house"  # type: ignore[union-attr]


def test_an_inflected_form_leads_to_its_base_form(lexicon: Lexicon) -> None:
    children = lexicon.find("Children")
    assert children is not None
    assert lexicon.base_of(children).text == "child"
    assert lexicon.base_of(lexicon.base_of(children)).text == "child"


@pytest.mark.parametrize("word", ["zzyzx", "", "   ", "ਪਾਣੀ", "two words", "\ud800", "a" * 100_000])
def test_an_unknown_word_is_not_found(lexicon: Lexicon, word: str) -> None:
    assert lexicon.find(word) is None


def test_words_spelled_with_the_same_letters_come_in_the_order_of_their_frequency(lexicon: Lexicon) -> None:
    assert lexicon.spelled_with("tca")[:2] == ("act", "cat")
    assert lexicon.spelled_with("") == ()


def test_frequent_words_are_told_from_rare_and_unknown_ones(lexicon: Lexicon) -> None:
    assert lexicon.is_frequent("main")
    assert not lexicon.is_frequent("chahiye")
    assert not lexicon.is_frequent("house", among=10)


def test_the_file_is_small_and_its_notices_stand_beside_it() -> None:
    assert (DATA / "lexicon.json.gz").stat().st_size < 1_500_000
    assert "Princeton University" in (DATA / "NOTICE-wordnet.txt").read_text(encoding="utf-8")
    assert "Carnegie Mellon" in (DATA / "NOTICE-cmudict.txt").read_text(encoding="utf-8")


def test_every_relation_leads_to_a_single_plain_word() -> None:
    records = json.loads(gzip.decompress((DATA / "lexicon.json.gz").read_bytes()))
    for word, (parts, base, *lists, near) in records.items():
        assert set(parts) <= set("nvar"), word
        assert base.isascii(), word
        related = [other for entry in lists for other in ([entry] if isinstance(entry, str) else entry)]
        assert all(other.isalpha() and other != word for other in (*related, near) if other), word
