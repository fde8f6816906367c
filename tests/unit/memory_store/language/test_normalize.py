import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_store.language.normalize import fold, is_same_name, respell, spelling_similarity, to_latin

ANY_TEXT = st.text(st.characters(codec=None), max_size=60)
WORDS = ["kyaa", "h", "nahin", "mtlb", "शब्द", "ਸ਼ਬਦ", "مطلب", "what's", "q.u.i.c.k", "Öl", "achchha", "१२", "ﬁ", "phir"]
TEXT = ANY_TEXT | st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)

# Each line has spellings of one word, with "_" for a space.
SPELLINGS = """
    मतलब ਮਤਲਬ مطلب matlab mtlb
    क्या_है kya_hai kyaa_h kia_he
    नहीं ਨਹੀਂ nahin nhi
    ज़्यादा zyada
    ਰਹਿਣ rehan
    'ਚ vich
    कहना kehna
    accha achchha
    Crème_brûlée creme_brulee
    don’t don't
    q.u.i.c.k quick <_quick_> qui\u200bck
    ﬁne_Ⅳ fine_iv
    kamal कमल ਕਮਲ কমল કમલ கமல் కమల్ ಕಮಲ್ കമല് କମଳ୍
    paani पानी ਪਾਣੀ পানি પાણી پانی
"""

DIGITS = [letter for letter in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(letter) == "Nd"]


@pytest.mark.parametrize("line", SPELLINGS.strip().splitlines())
def test_spellings_of_one_word_fold_alike(line: str) -> None:
    assert len({fold(spelling.replace("_", " ")) for spelling in line.split()}) == 1


def test_digits_of_all_scripts_fold_alike() -> None:
    for digit in DIGITS:
        assert fold(digit) == str(unicodedata.digit(digit))


@pytest.mark.parametrize(("first", "second"), [("kya", "kyun"), ("jaisa", "kaisa"), ("100", "10")])
def test_different_words_stay_different(first: str, second: str) -> None:
    assert fold(first) != fold(second)


@given(TEXT)
def test_folded_text_is_plain_words(text: str) -> None:
    folded = fold(text)
    assert fold(folded) == folded
    assert folded.isascii()
    assert folded == " ".join(folded.split())
    assert all(letter.isalnum() or letter == " " for letter in folded)


@pytest.mark.parametrize(("one", "other", "is_same"), [
    ("José", "Jose", True),
    ("अन्ना", "अना", False),
    ("Riya", "Ria", False),
    ("C#", "C++", False),
    ("-5", "5", False),
    ("他", "她", False),
    ("St. John", "St John", True),
])  # fmt: skip
def test_names_in_two_spellings_are_one(one: str, other: str, is_same: bool) -> None:
    assert is_same_name(one, other) is is_same_name(other, one) is is_same


@given(TEXT, TEXT)
def test_similarity_is_symmetric(first: str, second: str) -> None:
    first, second = fold(first), fold(second)
    assert spelling_similarity(first, second) == pytest.approx(spelling_similarity(second, first))
    assert 0.0 <= spelling_similarity(first, second) <= 1.0
    assert spelling_similarity(first, first) == pytest.approx(1.0 if first else 0.0)


@given(TEXT)
def test_every_word_has_a_latin_spelling(word: str) -> None:
    for spelled in (to_latin(word), respell(word)):
        assert spelled == "" or (spelled.isascii() and spelled.isalnum() and spelled == spelled.lower())
    assert to_latin(to_latin(word)) == to_latin(word)
    assert respell(respell(word)) == respell(word) == respell(to_latin(word))
    assert respell("achchha") == respell("accha") != respell("hai")
